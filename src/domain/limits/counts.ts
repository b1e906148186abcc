/**
 * The counts of many limits in the memory of one process. Deciding and counting happen in one synchronous step. Expired
 * counters are dropped gradually: every decision checks a few of them.
 */

import type { Instant, Millis } from '../../lib/time.ts'
import {
  type Counter,
  counted,
  endsAt,
  type LimitKey,
  type LimitStatus,
  NOTHING,
  startOf,
  type Tally,
  toLimitStatus,
  uncounted,
  waitOfAll,
} from './limits.ts'

/** Identifies a counter. */
export type CounterName = LimitKey & Readonly<{ version: number }>

/** The tally of a counter, and when all of it has expired. */
type StoredCount = Readonly<{ name: CounterName; tally: Tally; endsAt: Instant }>

/** A slot taken in a counter, to be given back if the send does not count. */
type Slot = Readonly<{ counter: Counter; start: Instant }>

export type Decision =
  | Readonly<{ kind: 'taken'; slots: readonly Slot[]; limits: readonly LimitStatus[] }>
  | Readonly<{ kind: 'limited'; limits: readonly LimitStatus[]; retryAfter: Millis }>

/** How many counters a decision checks for expiry per counter that it may add. */
const SWEPT_PER_COUNTER = 2

export class Counts {
  readonly #counts = new Map<string, StoredCount>()
  readonly #onChange: (name: CounterName, text: string) => void
  #sweep = this.#counts.entries()

  /** `onChange` gets every counter whose count changed, but not those that are dropped. */
  constructor(onChange: (name: CounterName, text: string) => void = () => undefined) {
    this.#onChange = onChange
  }

  get size(): number {
    return this.#counts.size
  }

  /** Restores a count that was stored elsewhere. */
  restore(count: StoredCount): void {
    this.#counts.set(textOf(count.name), count)
  }

  find(name: CounterName): StoredCount | undefined {
    return this.#counts.get(textOf(name))
  }

  status(counter: Counter, at: Instant): LimitStatus {
    return toLimitStatus(counter, this.#tallyOf(counter), at)
  }

  /** Takes a slot in all of these counters, or in none. */
  take(counters: readonly Counter[], at: Instant): Decision {
    this.#dropEnded(counters.length * SWEPT_PER_COUNTER, at)
    const asked = counters.map((counter) => {
      const text = textOf(counter)
      return { counter, text, tally: this.#counts.get(text)?.tally ?? NOTHING }
    })
    const retryAfter = waitOfAll(asked, at)
    if (retryAfter > 0) {
      return {
        kind: 'limited',
        limits: asked.map(({ counter, tally }) => toLimitStatus(counter, tally, at)),
        retryAfter,
      }
    }
    const slots = asked.map(({ counter, tally }) => ({ counter, start: startOf(counter, tally, at) }))
    const limits = asked.map(({ counter, text, tally }) => {
      const next = counted(counter, tally, at)
      this.#store(text, counter, next)
      return toLimitStatus(counter, next, at)
    })
    return { kind: 'taken', slots, limits }
  }

  giveBack(slots: readonly Slot[]): void {
    for (const { counter, start } of slots) {
      this.#store(textOf(counter), counter, uncounted(this.#tallyOf(counter), start))
    }
  }

  #tallyOf(counter: Counter): Tally {
    return this.find(counter)?.tally ?? NOTHING
  }

  #store(text: string, counter: Counter, tally: Tally): void {
    const ends = endsAt(counter.rule, tally)
    if (ends === undefined) this.#counts.delete(text)
    else this.#counts.set(text, { name: counter, tally, endsAt: ends })
    this.#onChange(counter, text)
  }

  /** Checks a few counters for expiry, round robin. */
  #dropEnded(count: number, at: Instant): void {
    for (let seen = 0; seen < count; seen += 1) {
      const next = this.#sweep.next()
      if (next.done === true) {
        this.#sweep = this.#counts.entries()
        return
      }
      const [text, { endsAt: ends }] = next.value
      if (ends <= at) this.#counts.delete(text)
    }
  }
}

/** Only the key may contain a colon, and it comes last. */
export const textOf = ({ tenantId, scope, key, version }: CounterName): string =>
  `${tenantId}:${scope}:${version}:${key}`
