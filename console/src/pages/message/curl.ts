/** Builds curl calls. They contain `$TOKEN`; those of a stored message also placeholders for recipient and content. */
import type { MessageDetails } from '../../api/client.ts'

const AUTHORIZATION = `-H "Authorization: Bearer $TOKEN"`

export const toReadCall = (origin: string, { id }: MessageDetails): string =>
  `curl -sS ${quote(`${origin}/v1/messages/${id}`)} \\\n  ${AUTHORIZATION}`

export const toSendCall = (origin: string, details: MessageDetails): string =>
  toPostCall(`${origin}/v1/${details.channel}/send`, toBody(details), [`-H "Idempotency-Key: $(uuidgen)"`])

export function toPostCall(url: string, body: object, options: readonly string[] = []): string {
  const lines = [
    `curl -sS -X POST ${quote(url)}`,
    AUTHORIZATION,
    `-H 'Content-Type: application/json'`,
    ...options,
    `-d ${quote(JSON.stringify(body, null, 2))}`,
  ]
  return lines.join(' \\\n  ')
}

/** Encrypted fields become placeholders. */
function toBody(details: MessageDetails): Record<string, unknown> {
  const { sender_id: sender, tags, metadata, lane, callback_url, type } = details
  const isEmail = details.channel === 'email'
  return {
    to: isEmail ? '<address>' : '<+number>',
    ...(isEmail ? { subject: details.subject ?? '<subject>', html: '<html>' } : { message: '<text>' }),
    ...(type === 'flash_sms' ? { type } : {}),
    ...(sender === null ? {} : { [isEmail ? 'from' : 'sender_id']: sender }),
    ...(lane === 'bulk' ? { lane } : {}),
    ...(tags.length === 0 ? {} : { tags }),
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...(callback_url === null ? {} : { callback_url }),
  }
}

/** Quotes for a POSIX shell. */
const quote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
