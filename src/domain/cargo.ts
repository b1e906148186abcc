/**
 * How much content a process may have in hand at once. Most of it weighs nothing; a mail with attachments does, and
 * hundreds of those in flight would be more than there is memory for.
 */
import type { Content } from './message.ts'

/** What weighs less than this, in characters, is not counted. */
const LIGHT = 64 * 1024

/** In kilobytes; undefined where it is not worth counting. */
export function weightOf(content: Content): number | undefined {
  if (content.channel === 'sms') return undefined
  const { html, text = '', attachments = [] } = content
  const characters = attachments.reduce((sum, attachment) => sum + attachment.content.length, html.length + text.length)
  return characters < LIGHT ? undefined : Math.ceil(characters / 1024)
}

export class Cargo {
  readonly #capacity: number
  #aboard = 0

  /** In kilobytes. */
  constructor(capacity: number) {
    this.#capacity = capacity
  }

  /** Undefined where there is no room for it now; else it must be unloaded. What is too heavy for all of it goes alone. */
  take(weight: number): (() => void) | undefined {
    if (this.#aboard > 0 && this.#aboard + weight > this.#capacity) return undefined
    this.#aboard += weight
    return () => {
      this.#aboard -= weight
    }
  }
}
