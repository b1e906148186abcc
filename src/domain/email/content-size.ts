/** How much memory the content of a message takes, where that is worth counting: mail with attachments. */
import type { Content } from '../message/message.ts'

/** What weighs less than this, in characters, is not counted. */
const LIGHT = 64 * 1024

/** In kilobytes; undefined where it is not worth counting. */
export function weightOf(content: Content): number | undefined {
  if (content.channel === 'sms') return undefined
  const { html, text = '', attachments = [] } = content
  const characters = attachments.reduce((sum, attachment) => sum + attachment.content.length, html.length + text.length)
  return characters < LIGHT ? undefined : Math.ceil(characters / 1024)
}
