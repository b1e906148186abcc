/**
 * Mail that arrived over SMTP and is sent as it came. Two headers are put in front: our reference to the attempt, which
 * comes back in bounces, and a Message-ID if there was none. Everything else stays as it is, byte for byte, so that
 * signatures in it stay valid.
 */
import type { AttemptRef } from '../domain/ids.ts'
import { toReference } from '../domain/message/attempt-reference.ts'
import type { Attachment, MailSource } from '../domain/message/message.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import type { Mail } from './mime.ts'

/** Callers cannot set it: see `RESERVED_PREFIX`. */
export const ATTEMPT_HEADER = 'X-Pombo-Attempt'

const END_OF_HEADERS = '\r\n\r\n'
const MESSAGE_ID = /^message-id[ \t]*:\s*<([^<>\s]{1,250})>/im
const HAS_MESSAGE_ID = /^message-id[ \t]*:/im

/** `messageId` is for a mail without its own. */
export function completeSource({ raw }: MailSource, ref: AttemptRef, messageId: string): Mail {
  const bytes = Buffer.from(raw, 'base64')
  const end = bytes.indexOf(END_OF_HEADERS)
  const headers = bytes.toString('latin1', 0, end === -1 ? bytes.length : end)
  const added = [`${ATTEMPT_HEADER}: ${toReference(ref)}`]
  if (!HAS_MESSAGE_ID.test(headers)) added.push(`Message-ID: <${messageId}>`)
  const [, own = messageId] = MESSAGE_ID.exec(headers) ?? []
  return { raw: Buffer.concat([Buffer.from(`${added.join('\r\n')}\r\n`), bytes]), messageId: own }
}

/** Whether a server must know that it gets bytes which are no ASCII (RFC 6152). */
export const hasEightBits = (raw: Uint8Array): boolean => raw.some((byte) => byte > 127)

export async function attachmentsIn({ raw }: MailSource): Promise<readonly Attachment[]> {
  const { default: PostalMime } = await import('postal-mime')
  const { attachments } = await PostalMime.parse(Buffer.from(raw, 'base64'), { forceRfc822Attachments: true })
  return attachments.map(({ filename, mimeType, content, contentId }) =>
    omitUndefined({
      filename: filename ?? 'attachment',
      contentType: mimeType,
      content: Buffer.from(content as ArrayBuffer).toString('base64'),
      contentId: contentId?.replace(/^<|>$/g, ''),
    }),
  )
}
