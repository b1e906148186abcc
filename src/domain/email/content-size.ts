/** The size of a message's content, for the memory budget. Only emails with attachments are large enough to count. */
import type { Content } from '../message/message.ts'

/** Smaller content, in characters, is not counted. */
const MIN_COUNTED = 64 * 1024

/** In kilobytes; undefined when too small to count. */
export function sizeOf(content: Content): number | undefined {
  if (content.channel === 'sms') return undefined
  const { html, text = '', attachments = [], source } = content
  const texts = html.length + text.length + (source?.raw.length ?? 0)
  const characters = attachments.reduce((sum, attachment) => sum + attachment.content.length, texts)
  return characters < MIN_COUNTED ? undefined : Math.ceil(characters / 1024)
}
