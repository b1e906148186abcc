/**
 * What one notification of SES says, in our words: its own quote addresses. Identities call it `notificationType`,
 * configuration sets `eventType`.
 *
 * | SES                              | here                                       |
 * |----------------------------------|--------------------------------------------|
 * | Send                             | accepted                                   |
 * | DeliveryDelay                    | accepted, DELAYED                          |
 * | Delivery                         | delivered                                  |
 * | Bounce, Permanent                | bounced, HARD_BOUNCE: no more mail to them |
 * | Bounce, Transient, Undetermined  | dropped, SOFT_BOUNCE                       |
 * | Complaint                        | complaint: no more mail to them            |
 * | Complaint that it is no spam     | nothing                                    |
 * | Reject, Rendering Failure        | dropped                                    |
 * | Open, Click, Subscription, …     | nothing                                    |
 *
 * A soft bounce ranks no higher than a delivery: somebody out of office answers what was delivered with one.
 */
import { Type } from 'typebox'
import type { Receipt } from '../../ports/provider.ts'
import { parser } from '../json.ts'

export type News = Readonly<{
  said: Pick<Receipt, 'state' | 'code' | 'detail' | 'suppresses'>
  /** Tells it from other news of the mail; missing where the same may be told several times and be news each time. */
  name?: string
  /** Whom it is about; missing where it is about the mail as a whole. */
  recipients?: readonly string[]
}>

const Word = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const People = Type.Array(Type.Object({ emailAddress: Type.String() }))

const parseEventType = parser(Type.Object({ eventType: Type.String() }))
const parseNotificationType = parser(Type.Object({ notificationType: Type.String() }))
const parseDelivery = parser(Type.Object({ delivery: Type.Object({ recipients: Type.Array(Type.String()) }) }))
const parseDelay = parser(Type.Object({ deliveryDelay: Type.Object({ delayType: Word, delayedRecipients: People }) }))
const parseBounce = parser(
  Type.Object({
    bounce: Type.Object({
      bounceType: Type.String(),
      bounceSubType: Word,
      bouncedRecipients: People,
      feedbackId: Type.String({ maxLength: 200 }),
    }),
  }),
)
const parseComplaint = parser(
  Type.Object({
    complaint: Type.Object({
      complaintFeedbackType: Word,
      complaintSubType: Word,
      complainedRecipients: People,
      feedbackId: Type.String({ maxLength: 200 }),
    }),
  }),
)

/** Undefined for what is none, or none that matters. */
export function parseNews(json: unknown): News | undefined {
  switch (parseEventType(json)?.eventType ?? parseNotificationType(json)?.notificationType) {
    case 'Send':
      return { said: { state: 'accepted' }, name: 'sent' }
    case 'Delivery':
      return ofDelivery(json)
    case 'DeliveryDelay':
      return ofDelay(json)
    case 'Bounce':
      return ofBounce(json)
    case 'Complaint':
      return ofComplaint(json)
    case 'Reject':
      return dropped('SES_REJECTED', 'SES took the mail and then found harmful content in it')
    case 'Rendering Failure':
      return dropped('SES_RENDERING_FAILED', 'SES could not make the mail from its template')
    default:
      return undefined
  }
}

const dropped = (code: string, detail: string): News => ({ said: { state: 'dropped', code, detail }, name: 'dropped' })

function ofDelivery(json: unknown): News | undefined {
  const recipients = parseDelivery(json)?.delivery.recipients
  return recipients && { said: { state: 'delivered' }, name: 'delivered', recipients }
}

const DELAYS: ReadonlyMap<string, string> = new Map([
  ['MailboxFull', 'the mailbox is full'],
  ['SpamDetected', 'the mail is taken for spam'],
  ['RecipientServerError', 'the server of the recipient fails'],
  ['IPFailure', 'the address that SES sends from is held back'],
  ['TransientCommunicationFailure', 'the server of the recipient cannot be reached'],
  ['InternalFailure', 'SES itself fails'],
])

function ofDelay(json: unknown): News | undefined {
  const delay = parseDelay(json)?.deliveryDelay
  if (delay === undefined) return undefined
  const why = DELAYS.get(delay.delayType ?? '') ?? 'the mail could not be delivered yet'
  return {
    said: { state: 'accepted', code: 'DELAYED', detail: `${why}; SES keeps trying` },
    recipients: toAddresses(delay.delayedRecipients),
  }
}

const ON_LIST = 'SES did not try: the address is on'
const HARD: ReadonlyMap<string, string> = new Map([
  ['NoEmail', 'there is no such mailbox'],
  ['Suppressed', `${ON_LIST} its suppression list`],
  ['OnAccountSuppressionList', `${ON_LIST} the suppression list of the account`],
])
const SOFT: ReadonlyMap<string, string> = new Map([
  ['MailboxFull', 'the mailbox is full'],
  ['MessageTooLarge', 'the mail is too large for the mailbox'],
  ['ContentRejected', 'the server of the recipient refuses what the mail says'],
  ['AttachmentRejected', 'the server of the recipient refuses an attachment'],
])

function ofBounce(json: unknown): News | undefined {
  const bounce = parseBounce(json)?.bounce
  if (bounce === undefined) return undefined
  const { bounceType, bounceSubType, bouncedRecipients, feedbackId: name } = bounce
  const said: News['said'] =
    bounceType === 'Permanent'
      ? {
          state: 'bounced',
          code: 'HARD_BOUNCE',
          detail: HARD.get(bounceSubType ?? '') ?? 'the mailbox refuses mail for good',
          suppresses: 'hard_bounce',
        }
      : {
          state: 'dropped',
          code: 'SOFT_BOUNCE',
          detail: SOFT.get(bounceSubType ?? '') ?? 'the mailbox did not take the mail',
        }
  return { said, name, recipients: toAddresses(bouncedRecipients) }
}

function ofComplaint(json: unknown): News | undefined {
  const complaint = parseComplaint(json)?.complaint
  if (complaint === undefined || complaint.complaintFeedbackType === 'not-spam') return undefined
  const isOnList = complaint.complaintSubType === 'OnAccountSuppressionList'
  const detail = isOnList ? `${ON_LIST} the suppression list of the account` : 'the recipient complained of the mail'
  return {
    said: { state: 'complaint', code: 'COMPLAINT', detail, suppresses: 'complaint' },
    name: complaint.feedbackId,
    recipients: toAddresses(complaint.complainedRecipients),
  }
}

const toAddresses = (people: readonly Readonly<{ emailAddress: string }>[]): readonly string[] =>
  people.map(({ emailAddress }) => emailAddress)
