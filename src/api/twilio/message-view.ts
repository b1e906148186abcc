/** A message as Twilio shows it. */
import { senderOf } from '../../domain/message/message.ts'
import { isForgotten, maskRecipient } from '../../domain/message/searchable.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { toTwilioError } from '../../domain/twilio/error-codes.ts'
import { type TwilioStatus, toTwilioStatus } from '../../domain/twilio/message-status.ts'
import { toSid } from '../../domain/twilio/sids.ts'
import { API_VERSION } from '../../domain/twilio/status-callback.ts'
import type { Accepted, Submission } from '../../flows/send/accept.ts'
import type { Instant } from '../../lib/time.ts'
import type { FoundMessage } from '../messages/find-message.ts'
import { toAccountSid } from './account-sid.ts'

export type MessageView = Readonly<{
  sid: string
  account_sid: string
  messaging_service_sid: string | null
  to: string
  from: string | null
  body: string
  status: TwilioStatus | 'accepted'
  num_segments: string
  num_media: '0'
  direction: 'outbound-api'
  api_version: string
  price: null
  price_unit: null
  error_code: number | null
  error_message: string | null
  date_created: string
  date_updated: string
  date_sent: string | null
  uri: string
  subresource_uris: Readonly<{ media: string }>
}>

const toRfc2822 = (at: Instant): string => new Date(at).toUTCString().replace('GMT', '+0000')

export const toMessagesPath = (accountSid: string): string => `/${API_VERSION}/Accounts/${accountSid}/Messages`

function toFixed(sid: string, accountSid: string) {
  const path = `${toMessagesPath(accountSid)}/${sid}`
  return {
    num_media: '0',
    direction: 'outbound-api',
    api_version: API_VERSION,
    price: null,
    price_unit: null,
    uri: `${path}.json`,
    subresource_uris: { media: `${path}/Media.json` },
  } as const
}

/** The answer to the caller who sent it, who knows its content. Twilio says `accepted` while it chooses the sender. */
export function toSentView(accepted: Accepted, { content, tenantId, accountId }: Submission): MessageView {
  const [sid, accountSid] = [toSid('SM', accepted.id), toAccountSid({ tenantId, accountId })]
  const at = toRfc2822(accepted.createdAt)
  const { messagingServiceSid } = content.twilio ?? {}
  return {
    sid,
    account_sid: accountSid,
    messaging_service_sid: messagingServiceSid ?? null,
    to: content.to,
    from: senderOf(content) ?? null,
    body: content.channel === 'sms' ? content.body : '',
    status: messagingServiceSid === undefined ? 'queued' : 'accepted',
    num_segments: String(accepted.segments),
    error_code: null,
    error_message: null,
    date_created: at,
    date_updated: at,
    date_sent: null,
    ...toFixed(sid, accountSid),
  }
}

export type Shown = Readonly<{ state: MessageState }> & Pick<FoundMessage, 'content'> & Masked
type Masked = Readonly<{ searchable?: Readonly<{ to: string }> | undefined }>

/** `isFull`: the caller may read the content. Otherwise the recipient is masked and the text is missing. */
export function toMessageView({ state, content, searchable }: Shown, isFull = false): MessageView {
  const [sid, accountSid] = [toSid('SM', state.id), toAccountSid(state)]
  const error = toTwilioError(state)
  const masked = isForgotten(state) ? '' : ((content && maskRecipient(content)) ?? searchable?.to ?? '')
  return {
    sid,
    account_sid: accountSid,
    messaging_service_sid: content?.twilio?.messagingServiceSid ?? null,
    to: isFull && content !== undefined ? content.to : masked,
    from: (content && senderOf(content)) ?? null,
    body: isFull && content?.channel === 'sms' ? content.body : '',
    status: toTwilioStatus(state),
    num_segments: String(state.segments),
    error_code: error?.code ?? null,
    error_message: error?.message ?? null,
    date_created: toRfc2822(state.createdAt),
    date_updated: toRfc2822(state.updatedAt),
    date_sent: state.handedOffAt === undefined ? null : toRfc2822(state.handedOffAt),
    ...toFixed(sid, accountSid),
  }
}
