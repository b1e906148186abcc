/**
 * The counts of many limits, in the memory of one process. Deciding and counting are one step of a single
 * thread, so nobody comes in between. A counter that has ended is dropped sooner or later: every decision
 * looks at a few, which keeps pace with what decisions add.
 */

import type { Instant, Millis } from '../../lib/time.ts'
import {
  type Counter,
  counted,
  endsAt,
  type LimitKey,
  NOTHING,
  type Standing,
  startOf,
  type Tally,
  toStanding,
  uncounted,
  waitOfAll,
} from './limits.ts'

/** What tells one counter from all others. */
export type CounterName = LimitKey & Readonly<{ version: number }>

/** What a counter has counted, and when the last of it stops counting. */
export type Kept = Readonly<{ name: CounterName; tally: Tally; endsAt: Instant }>

/** A place that was taken in a counter, to be given back where it turns out not to count. */
export type Slot = Readonly<{ counter: Counter; start: Instant }>

export type Decision =
  | Readonly<{ kind: 'taken'; slots: readonly Slot[]; standings: readonly Standing[] }>
  | Readonly<{ kind: 'limited'; standings: readonly Standing[]; retryAfter: Millis }>

/** How many counters a decision looks at for each that it may add, so that those which have ended never pile up. */
const SWEPT_PER_COUNTER = 2

export class Counts {
  readonly #kept = new Map<string, Kept>()
  readonly #onChange: (name: CounterName, text: string) => void
  #sweep = this.#kept.entries()

  /** `onChange` is told of every counter whose count has changed, not of those that are dropped. */
  constructor(onChange: (name: CounterName, text: string) => void = () => undefined) {
    this.#onChange = onChange
  }

  get size(): number {
    return this.#kept.size
  }

  /** Puts back what was kept elsewhere. */
  restore(kept: Kept): void {
    this.#kept.set(textOf(kept.name), kept)
  }

  find(name: CounterName): Kept | undefined {
    return this.#kept.get(textOf(name))
  }

  standing(counter: Counter, at: Instant): Standing {
    return toStanding(counter, this.#tallyOf(counter), at)
  }

  /** Takes a place in all of these counters, or in none. */
  take(counters: readonly Counter[], at: Instant): Decision {
    this.#dropEnded(counters.length * SWEPT_PER_COUNTER, at)
    const asked = counters.map((counter) => {
      const text = textOf(counter)
      return { counter, text, tally: this.#kept.get(text)?.tally ?? NOTHING }
    })
    const retryAfter = waitOfAll(asked, at)
    if (retryAfter > 0) {
      return {
        kind: 'limited',
        standings: asked.map(({ counter, tally }) => toStanding(counter, tally, at)),
        retryAfter,
      }
    }
    const slots = asked.map(({ counter, tally }) => ({ counter, start: startOf(counter.rule, tally, at) }))
    const standings = asked.map(({ counter, text, tally }) => {
      const next = counted(counter.rule, tally, at)
      this.#keep(text, counter, next)
      return toStanding(counter, next, at)
    })
    return { kind: 'taken', slots, standings }
  }

  giveBack(slots: readonly Slot[]): void {
    for (const { counter, start } of slots) {
      this.#keep(textOf(counter), counter, uncounted(this.#tallyOf(counter), start))
    }
  }

  #tallyOf(counter: Counter): Tally {
    return this.find(counter)?.tally ?? NOTHING
  }

  #keep(text: string, counter: Counter, tally: Tally): void {
    const ends = endsAt(counter.rule, tally)
    if (ends === undefined) this.#kept.delete(text)
    else this.#kept.set(text, { name: counter, tally, endsAt: ends })
    this.#onChange(counter, text)
  }

  /** Goes round and round over all counters, a few at a time. */
  #dropEnded(count: number, at: Instant): void {
    for (let seen = 0; seen < count; seen += 1) {
      const next = this.#sweep.next()
      if (next.done === true) {
        this.#sweep = this.#kept.entries()
        return
      }
      const [text, { endsAt: ends }] = next.value
      if (ends <= at) this.#kept.delete(text)
    }
  }
}

/** Only a key may hold a colon, and it comes last. */
export const textOf = ({ tenantId, scope, key, version }: CounterName): string =>
  `${tenantId}:${scope}:${version}:${key}`
