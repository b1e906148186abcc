/**
 * Counts consecutive processing faults per message, in this process. A job is released with a growing delay; after too
 * many faults it is dead-lettered, since it would come back for ever.
 */
import type { MessageId } from '../domain/ids.ts'
import { type Millis, millis, seconds } from '../lib/time.ts'

export const FIRST_DELAY: Millis = seconds(5)
const LONGEST_DELAY = seconds(300)
/** Reached about a quarter of an hour after the first. */
export const MOST_FAULTS = 8
/** The most messages tracked; others are not counted until some have ended. */
const MOST_MESSAGES = 10_000

export class FaultCounts {
  readonly #counts = new Map<MessageId, number>()

  /** Counts one more fault and returns the number so far. */
  add(id: MessageId): number {
    const count = (this.#counts.get(id) ?? 0) + 1
    if (count > 1 || this.#counts.size < MOST_MESSAGES) this.#counts.set(id, count)
    return count
  }

  clear(id: MessageId): void {
    this.#counts.delete(id)
  }
}

/** The delay after the first fault, the second, and so on. */
export const delayAfter = (faults: number): Millis => millis(Math.min(FIRST_DELAY * 2 ** (faults - 1), LONGEST_DELAY))
