/**
 * The callbacks of Twilio's API: a form with the status that a message has got. Twilio calls when it has sent a message
 * and when it is delivered or has failed; the first status is in the answer to the request.
 */
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { MessageEvent } from '../message/events.ts'
import { type Content, senderOf } from '../message/message.ts'
import { maskRecipient } from '../message/searchable.ts'
import type { WebhookEventType } from '../webhooks/endpoint.ts'
import { toTwilioError } from './error-codes.ts'
import { toTwilioStatus } from './message-status.ts'
import { toSid } from './sids.ts'
import type { TwilioTerms } from './terms.ts'

export const API_VERSION = '2010-04-01'

export const CALLBACK_EVENTS: readonly WebhookEventType[] = [
  'message.sent',
  'message.delivered',
  'message.failed',
  'message.expired',
]

/** `shown` is the same with the recipient masked, to be kept of the attempt. */
export type StatusCallback = Readonly<{ form: URLSearchParams; shown: URLSearchParams }>

export function toStatusCallback({ state }: MessageEvent, content: Content, terms: TwilioTerms): StatusCallback {
  const status = toTwilioStatus(state)
  const sid = toSid('SM', state.id)
  const error = toTwilioError(state)
  const fields = omitUndefined({
    ErrorCode: error && String(error.code),
    ErrorMessage: error?.message,
    SmsSid: sid,
    SmsStatus: status,
    MessageStatus: status,
    To: content.to as string,
    MessagingServiceSid: terms.messagingServiceSid,
    MessageSid: sid,
    AccountSid: terms.accountSid,
    From: senderOf(content),
    ApiVersion: API_VERSION,
  })
  return { form: new URLSearchParams(fields), shown: new URLSearchParams({ ...fields, To: maskRecipient(content) }) }
}
