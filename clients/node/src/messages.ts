/** Messages, and waiting for one. */
import { WaitError } from './errors.ts'
import { MessagesCalls } from './generated/resources.ts'
import type { MessageDetails, MessageStatus } from './generated/types.ts'
import { pause } from './retry.ts'

export type WaitOptions = Readonly<{
  /** How long to wait; by default a minute. */
  timeoutMs?: number | undefined
  signal?: AbortSignal | undefined
}>

const WITHIN_MS = 60_000
const FIRST_DELAY_MS = 200
const MAX_DELAY_MS = 5_000

/** A message passes these in this order. */
const ON_THE_WAY: readonly MessageStatus[] = ['queued', 'sending', 'sent', 'delivered']
const ENDED: ReadonlySet<MessageStatus> = new Set(['delivered', 'failed', 'expired'])

export class Messages extends MessagesCalls {
  /**
   * Resolves with the message once it has this status, or a later one on the way to `delivered`. Rejects with a
   * WaitError if it ended otherwise, or did not get there in time. A provider that sends no delivery reports leaves
   * messages at `sent`.
   */
  async waitFor(id: string, status: MessageStatus, options: WaitOptions = {}): Promise<MessageDetails> {
    const { timeoutMs = WITHIN_MS, signal } = options
    const giveUpAt = Date.now() + timeoutMs
    for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(delayMs * 1.5, MAX_DELAY_MS)) {
      const message = await this.get(id, { events_limit: 1 }, { signal })
      if (hasReached(message.status, status)) return message
      if (ENDED.has(message.status)) throw new WaitError('MESSAGE_ENDED', toReason(message, status), message)
      const leftMs = giveUpAt - Date.now()
      if (leftMs <= 0) {
        const detail = `The message was not ${status} within ${timeoutMs} ms: it is ${message.status}`
        throw new WaitError('WAIT_TIMEOUT', detail, message)
      }
      await pause(Math.min(delayMs, leftMs), signal)
    }
  }
}

function hasReached(current: MessageStatus, wanted: MessageStatus): boolean {
  const place = ON_THE_WAY.indexOf(wanted)
  return current === wanted || (place >= 0 && ON_THE_WAY.indexOf(current) > place)
}

function toReason({ status, error_code: code }: MessageDetails, wanted: MessageStatus): string {
  return `The message is ${status}${code === null ? '' : ` (${code})`} and will not be ${wanted}`
}
