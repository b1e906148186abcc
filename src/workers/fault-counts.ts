/**
 * How often each message has met a fault of ours in a row. A job is handed back after a growing wait, and one that
 * still cannot be processed after so many faults is poison: it would come back for ever. Counted in this process alone.
 */
import type { MessageId } from '../domain/ids.ts'
import { type Millis, millis, seconds } from '../lib/time.ts'

export const FIRST_DELAY: Millis = seconds(5)
const LONGEST_DELAY = seconds(300)
/** About a quarter of an hour after the first. */
export const MOST_FAULTS = 8
/** Beyond this many messages at once further ones have to wait until others have ended. */
const MOST_MESSAGES = 10_000

export class FaultCounts {
  readonly #counts = new Map<MessageId, number>()

  /** Counts one more fault, and answers how many there were. */
  add(id: MessageId): number {
    const count = (this.#counts.get(id) ?? 0) + 1
    if (count > 1 || this.#counts.size < MOST_MESSAGES) this.#counts.set(id, count)
    return count
  }

  clear(id: MessageId): void {
    this.#counts.delete(id)
  }
}

/** The wait after the first fault, the second, and so on. */
export const delayAfter = (faults: number): Millis => millis(Math.min(FIRST_DELAY * 2 ** (faults - 1), LONGEST_DELAY))
