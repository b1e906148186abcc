/** Writes the callback of a message that was sent through Twilio's API, signed with the auth token of that request. */
import type { MessageEvent } from '../../domain/message/events.ts'
import type { Content } from '../../domain/message/message.ts'
import { toStatusCallback } from '../../domain/twilio/status-callback.ts'
import { toWebhookId } from '../../domain/webhooks/payload.ts'
import { signFrom } from '../../lib/hmac-sha1.ts'
import { toSignedForm } from '../../lib/signed-form.ts'
import type { SignedForm } from './post-webhook.ts'

/** Undefined for any other webhook. */
export function toTwilioForm(
  { url, twilio }: Readonly<{ url: string }> & Pick<Content, 'twilio'>,
  event: MessageEvent,
  content: Content,
): SignedForm | undefined {
  if (twilio?.signing === undefined) return undefined
  const { form, shown } = toStatusCallback(event, content, twilio)
  const headers = {
    'content-type': 'application/x-www-form-urlencoded',
    'x-twilio-signature': signFrom(twilio.signing, toSignedForm(url, form)),
    // The same for every attempt, so that a receiver can deduplicate.
    'i-twilio-idempotency-token': toWebhookId(event),
  }
  return { headers, body: String(form), shown: String(shown) }
}
