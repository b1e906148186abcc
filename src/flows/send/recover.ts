/**
 * Queues again what should be worked on and is not: a job is only a hint, and hints get lost. Whether a message has
 * its job only the queue knows, so every message that stands still is put once more, and the queue refuses those that
 * have one. Those that wait on purpose (parked, or held for a person) may be hundreds of thousands.
 *
 * So a round checks a bounded number. First what came to stand still since the last round: a job that was just lost is
 * found at once, whatever else waits. Then, slowly, stretches of time that earlier rounds did not finish, the newest
 * first; and where there are none, a sweep over everything goes on, for what was lost while it waited.
 */

import type { Clock } from '../../lib/clock.ts'
import { type Instant, instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { MessageIndex, OverduePage } from '../../ports/message-index.ts'
import type { Queue } from '../../ports/queue.ts'
import { toJob } from '../record.ts'

export type RecoverDeps = Readonly<{
  index: Pick<MessageIndex, 'overdue'>
  queue: Pick<Queue, 'put'>
  clock: Clock
}>

/** How many messages a round has checked, and how many of them had no job. */
export type Recovered = Readonly<{ checked: number; recovered: number }>

const PAGE = 500
/** The most that a round checks of what is new to it; at the start that is everything. */
const FRESH = 7 * PAGE
/** How much of the rest a round checks: at a round in ten seconds, 200,000 in half an hour. */
const REST = 2 * PAGE
/** What the index learns this late is still found by the next round. */
const INDEX_LAG: Millis = seconds(10)
/** Stretches beyond this many are left to the sweep. */
const MOST_STRETCHES = 100
const LONG_AGO = instant(0)

/** Messages that stand still since a moment in this range, as far as they are not checked yet. */
type Stretch = { readonly after: Instant; readonly through: Instant; cursor?: string | undefined }

export class Recovery {
  readonly #deps: RecoverDeps
  readonly #patience: Millis
  #stretches: Stretch[] = []
  #sweep: Stretch | undefined
  #through = LONG_AGO

  /** `patience` is how long a message may stand still before it counts as forgotten. */
  constructor(deps: RecoverDeps, patience: Millis) {
    this.#deps = deps
    this.#patience = patience
  }

  /** Never two at once. */
  async round(): Promise<Recovered> {
    const fresh = this.#nextStretch()
    const first = fresh === undefined ? NONE : await this.#check(fresh, FRESH)
    return add(first, await this.#check(this.#stretches.at(-1) ?? this.#nextSweep(), REST))
  }

  #nextStretch(): Stretch | undefined {
    const through = later(this.#deps.clock(), millis(-this.#patience - 1))
    if (through <= this.#through) return undefined
    const after = this.#through === LONG_AGO ? LONG_AGO : later(this.#through, millis(-INDEX_LAG))
    const stretch = { after, through }
    this.#stretches = [...this.#stretches, stretch].slice(-MOST_STRETCHES)
    this.#through = through
    return stretch
  }

  #nextSweep(): Stretch {
    this.#sweep ??= { after: LONG_AGO, through: this.#through }
    return this.#sweep
  }

  /** A stretch that could not be finished, or not be asked about, is gone on with in a later round. */
  async #check(stretch: Stretch, most: number): Promise<Recovered> {
    let sum = NONE
    do sum = add(sum, await this.#checkPage(stretch))
    while (stretch.cursor !== undefined && sum.checked < most)
    if (stretch.cursor !== undefined) return sum
    this.#stretches = this.#stretches.filter((one) => one !== stretch)
    if (this.#sweep === stretch) this.#sweep = undefined
    return sum
  }

  async #checkPage(stretch: Stretch): Promise<Recovered> {
    const { index, queue } = this.#deps
    const { after, through, cursor } = stretch
    const page: OverduePage = await index.overdue({
      kind: 'stalled',
      after,
      through,
      limit: PAGE,
      ...(cursor === undefined ? {} : { cursor }),
    })
    const queued = await Promise.all(page.states.map((state) => queue.put(toJob(state, 'now'))))
    stretch.cursor = page.nextCursor
    return { checked: queued.length, recovered: queued.filter(Boolean).length }
  }
}

const NONE: Recovered = { checked: 0, recovered: 0 }

const add = (one: Recovered, other: Recovered): Recovered => ({
  checked: one.checked + other.checked,
  recovered: one.recovered + other.recovered,
})
