/**
 * Queues lost jobs again: a job is only a hint, and hints can be lost. Only the queue knows whether a message has a
 * job, so every stalled message is put again, and the queue refuses those that have one. Messages that wait on purpose
 * (parked, or held for a person) may number in the hundreds of thousands.
 *
 * So a round checks a bounded number. First those that stalled since the last round, which finds a job that was just
 * lost at once. Then time ranges that earlier rounds did not finish, newest first; and without any, a slow sweep over
 * everything, for jobs that were lost while waiting.
 */

import type { Clock } from '../../lib/clock.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { MessageIndex, OverduePage } from '../../ports/message-index.ts'
import type { Queue } from '../../ports/queue.ts'
import { toJob } from '../record.ts'

type RecoverDeps = Readonly<{
  index: Pick<MessageIndex, 'overdue'>
  queue: Pick<Queue, 'put'>
  clock: Clock
}>

/** The messages that a round checked, and how many of them had no job. */
type Recovered = Readonly<{ checked: number; recovered: number }>

const PAGE = 500
/** The most newly stalled messages per round; on the first round everything is new. */
const FRESH = 7 * PAGE
/** How many others a round checks: with a round every ten seconds, 200,000 in half an hour. */
const REST = 2 * PAGE
/** The index may lag by this much without a message being missed. */
const INDEX_LAG: Millis = seconds(10)
/** Ranges beyond this number are left to the sweep. */
const MOST_RANGES = 100
const LONG_AGO = instant(0)

/** Messages that stalled in this time range, and how far it has been checked. */
type Range = { readonly after: Instant; readonly through: Instant; cursor?: string | undefined }

export class Recovery {
  readonly #deps: RecoverDeps
  readonly #patience: Millis
  #ranges: Range[] = []
  #sweep: Range | undefined
  #through = LONG_AGO

  /** `patience` is how long a message may stall before its job counts as lost. */
  constructor(deps: RecoverDeps, patience: Millis) {
    this.#deps = deps
    this.#patience = patience
  }

  /** Not to be called concurrently. */
  async round(): Promise<Recovered> {
    const fresh = this.#nextRange()
    const first = fresh === undefined ? NONE : await this.#check(fresh, FRESH)
    return add(first, await this.#check(this.#ranges.at(-1) ?? this.#nextSweep(), REST))
  }

  #nextRange(): Range | undefined {
    const through = later(this.#deps.clock(), millis(-this.#patience - 1))
    if (through <= this.#through) return undefined
    const after = this.#through === LONG_AGO ? LONG_AGO : later(this.#through, millis(-INDEX_LAG))
    const range = { after, through }
    this.#ranges = [...this.#ranges, range].slice(-MOST_RANGES)
    this.#through = through
    return range
  }

  #nextSweep(): Range {
    this.#sweep ??= { after: LONG_AGO, through: this.#through }
    return this.#sweep
  }

  /** A range that could not be finished continues in a later round. */
  async #check(range: Range, most: number): Promise<Recovered> {
    let sum = NONE
    do sum = add(sum, await this.#checkPage(range))
    while (range.cursor !== undefined && sum.checked < most)
    if (range.cursor !== undefined) return sum
    this.#ranges = this.#ranges.filter((one) => one !== range)
    if (this.#sweep === range) this.#sweep = undefined
    return sum
  }

  async #checkPage(range: Range): Promise<Recovered> {
    const { index, queue } = this.#deps
    const { after, through, cursor } = range
    const page: OverduePage = await index.overdue({
      kind: 'stalled',
      after,
      through,
      limit: PAGE,
      ...omitUndefined({ cursor }),
    })
    const queued = await Promise.all(page.states.map((state) => queue.put(toJob(state, 'now'))))
    range.cursor = page.nextCursor
    return { checked: queued.length, recovered: queued.filter(Boolean).length }
  }
}

const NONE: Recovered = { checked: 0, recovered: 0 }

const add = (one: Recovered, other: Recovered): Recovered => ({
  checked: one.checked + other.checked,
  recovered: one.recovered + other.recovered,
})
