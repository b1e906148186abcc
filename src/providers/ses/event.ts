/**
 * Parses one SES event. Identities call its type `notificationType`, configuration sets `eventType`. The details are our
 * own texts, because SES quotes addresses.
 *
 * | SES                              | Pombo                                   |
 * |----------------------------------|-----------------------------------------|
 * | Send                             | accepted                                |
 * | DeliveryDelay                    | accepted, DELAYED                       |
 * | Delivery                         | delivered                               |
 * | Bounce, Permanent                | bounced, HARD_BOUNCE, and a suppression |
 * | Bounce, Transient, Undetermined  | dropped, SOFT_BOUNCE                    |
 * | Complaint                        | complaint, and a suppression            |
 * | Complaint with not-spam feedback | ignored                                 |
 * | Reject, Rendering Failure        | dropped                                 |
 * | Open, Click, Subscription, …     | ignored                                 |
 *
 * A soft bounce does not outrank a delivery: an out-of-office reply to a delivered mail is reported as one.
 */
import { Type } from 'typebox'
import type { Receipt } from '../../ports/provider.ts'
import { parser } from '../json.ts'

export type SesEvent = Readonly<{
  report: Pick<Receipt, 'state' | 'code' | 'detail' | 'suppresses'>
  /** Identifies the event among those of the mail; missing if an equal event may occur several times. */
  id?: string
  /** Missing if the event is about the mail as a whole. */
  recipients?: readonly string[]
}>

const OptionalText = Type.Optional(Type.Union([Type.String(), Type.Null()]))
const Recipients = Type.Array(Type.Object({ emailAddress: Type.String() }))

const parseEventType = parser(Type.Object({ eventType: Type.String() }))
const parseNotificationType = parser(Type.Object({ notificationType: Type.String() }))
const parseDelivery = parser(Type.Object({ delivery: Type.Object({ recipients: Type.Array(Type.String()) }) }))
const parseDelay = parser(
  Type.Object({ deliveryDelay: Type.Object({ delayType: OptionalText, delayedRecipients: Recipients }) }),
)
const parseBounce = parser(
  Type.Object({
    bounce: Type.Object({
      bounceType: Type.String(),
      bounceSubType: OptionalText,
      bouncedRecipients: Recipients,
      feedbackId: Type.String({ maxLength: 200 }),
    }),
  }),
)
const parseComplaint = parser(
  Type.Object({
    complaint: Type.Object({
      complaintFeedbackType: OptionalText,
      complaintSubType: OptionalText,
      complainedRecipients: Recipients,
      feedbackId: Type.String({ maxLength: 200 }),
    }),
  }),
)

/** Undefined if it is not an event, or one that we ignore. */
export function parseEvent(json: unknown): SesEvent | undefined {
  switch (parseEventType(json)?.eventType ?? parseNotificationType(json)?.notificationType) {
    case 'Send':
      return { report: { state: 'accepted' }, id: 'sent' }
    case 'Delivery':
      return ofDelivery(json)
    case 'DeliveryDelay':
      return ofDelay(json)
    case 'Bounce':
      return ofBounce(json)
    case 'Complaint':
      return ofComplaint(json)
    case 'Reject':
      return dropped('SES_REJECTED', 'SES accepted the email and then found malware in it')
    case 'Rendering Failure':
      return dropped('SES_RENDERING_FAILED', 'SES could not render the email from its template')
    default:
      return undefined
  }
}

const dropped = (code: string, detail: string): SesEvent => ({
  report: { state: 'dropped', code, detail },
  id: 'dropped',
})

function ofDelivery(json: unknown): SesEvent | undefined {
  const recipients = parseDelivery(json)?.delivery.recipients
  return recipients && { report: { state: 'delivered' }, id: 'delivered', recipients }
}

const DELAYS: ReadonlyMap<string, string> = new Map([
  ['MailboxFull', 'the mailbox is full'],
  ['SpamDetected', "the recipient's server takes the email for spam"],
  ['RecipientServerError', "the recipient's server has an error"],
  ['IPFailure', "the recipient's server blocks or throttles the IP address of SES"],
  ['TransientCommunicationFailure', "the recipient's server is unreachable"],
  ['InternalFailure', 'SES has an internal error'],
])

function ofDelay(json: unknown): SesEvent | undefined {
  const delay = parseDelay(json)?.deliveryDelay
  if (delay === undefined) return undefined
  const why = DELAYS.get(delay.delayType ?? '') ?? 'the email could not be delivered yet'
  return {
    report: { state: 'accepted', code: 'DELAYED', detail: `${why}; SES keeps trying` },
    recipients: toAddresses(delay.delayedRecipients),
  }
}

const ON_LIST = 'SES did not send the email: the address is on'
const HARD: ReadonlyMap<string, string> = new Map([
  ['NoEmail', 'the mailbox does not exist'],
  ['Suppressed', `${ON_LIST} its suppression list`],
  ['OnAccountSuppressionList', `${ON_LIST} the account's suppression list`],
])
const SOFT: ReadonlyMap<string, string> = new Map([
  ['MailboxFull', 'the mailbox is full'],
  ['MessageTooLarge', 'the email is too large for the mailbox'],
  ['ContentRejected', "the recipient's server rejected the content"],
  ['AttachmentRejected', "the recipient's server rejected an attachment"],
])

function ofBounce(json: unknown): SesEvent | undefined {
  const bounce = parseBounce(json)?.bounce
  if (bounce === undefined) return undefined
  const { bounceType, bounceSubType, bouncedRecipients, feedbackId: id } = bounce
  const report: SesEvent['report'] =
    bounceType === 'Permanent'
      ? {
          state: 'bounced',
          code: 'HARD_BOUNCE',
          detail: HARD.get(bounceSubType ?? '') ?? 'the mailbox permanently rejects email',
          suppresses: 'hard_bounce',
        }
      : {
          state: 'dropped',
          code: 'SOFT_BOUNCE',
          detail: SOFT.get(bounceSubType ?? '') ?? 'the mailbox rejected the email for now',
        }
  return { report, id, recipients: toAddresses(bouncedRecipients) }
}

function ofComplaint(json: unknown): SesEvent | undefined {
  const complaint = parseComplaint(json)?.complaint
  if (complaint === undefined || complaint.complaintFeedbackType === 'not-spam') return undefined
  const isOnList = complaint.complaintSubType === 'OnAccountSuppressionList'
  const detail = isOnList ? `${ON_LIST} the account's suppression list` : 'the recipient marked the email as spam'
  return {
    report: { state: 'complaint', code: 'COMPLAINT', detail, suppresses: 'complaint' },
    id: complaint.feedbackId,
    recipients: toAddresses(complaint.complainedRecipients),
  }
}

const toAddresses = (recipients: readonly Readonly<{ emailAddress: string }>[]): readonly string[] =>
  recipients.map(({ emailAddress }) => emailAddress)
