/**
 * Writes the decisions of Redis to PostgreSQL: collected per counter and written in batches, at most a quarter of a
 * second later. If PostgreSQL has counted more than Redis, it raises the counter in Redis. What cannot be written stays
 * in memory, up to a bound.
 */
import { type Count, combined } from '../domain/limits/combined-tallies.ts'
import { type Counter, current, NOTHING, nameOf, type Tally, usedOf } from '../domain/limits/limits.ts'
import type { Clock } from '../lib/clock.ts'
import type { Instant } from '../lib/time.ts'

export type WriteBehindDeps = Readonly<{
  clock: Clock
  /** Adds to the counters in PostgreSQL and returns their new tallies. */
  add: (changes: readonly Count[], at: Instant) => Promise<readonly Count[]>
  /** Raises the counters in Redis to at least these tallies. */
  raise: (counts: readonly Count[]) => Promise<void>
  read: (counters: readonly Counter[]) => Promise<readonly Count[]>
  onFault: (error: unknown) => void
  everyMs?: number
  /** How many counters are kept while PostgreSQL is unreachable. */
  capacity?: number
}>

/** A slice is negative when it takes back what was written before. `seen` is what Redis had counted by then. */
type Change = Count & Readonly<{ seen: number }>
/** A change that is not written yet; mutable, because every decision adds to it. */
type Pending = { readonly counter: Counter; tally: Tally; seen: number }

const EVERY_MS = 250
const CAPACITY = 50_000
const BATCH = 500
/** How long a decision may wait for the tallies in PostgreSQL. */
const READ_TIMEOUT_MS = 500
/** After a timeout, PostgreSQL is not read for this long. */
const READ_PAUSE_MS = 1_000

export class WriteBehind implements AsyncDisposable {
  readonly #deps: WriteBehindDeps
  readonly #pending = new Map<string, Pending>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #isFailing = false
  #isClosed = false
  #noReadUntil = 0

  constructor(deps: WriteBehindDeps) {
    this.#deps = deps
  }

  /** Records that Redis counted one, or with -1 that it took one back. */
  note(counter: Counter, start: Instant, by: 1 | -1, seen: number): void {
    const pending = this.#pendingFor(counter)
    pending.tally = added(pending.tally, start, by)
    pending.seen = seen
    this.#writeLater()
  }

  /** The tallies in PostgreSQL, if it answers in time, plus what is pending here. */
  async load(counters: readonly Counter[]): Promise<readonly Count[]> {
    const stored = await this.#read(counters)
    return counters.map((counter, nth) => {
      const pending = this.#pending.get(nameOf(counter))?.tally ?? NOTHING
      return { counter, tally: combined(counter.rule, stored[nth]?.tally ?? NOTHING, pending) }
    })
  }

  /** Writes everything that is pending. If it rejects, nothing is lost. */
  async flush(): Promise<void> {
    await this.#writing?.catch(() => undefined)
    // A write that another caller has started meanwhile includes everything too.
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
    await this.#writing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.flush().catch(this.#deps.onFault)
  }

  #writeLater(): void {
    if (this.#isClosed) return
    this.#timer ??= setTimeout(() => void this.#writeOnTimer(), this.#deps.everyMs ?? EVERY_MS)
  }

  async #writeOnTimer(): Promise<void> {
    try {
      await this.flush()
      this.#isFailing = false
    } catch (error) {
      // Report an outage once, not with every attempt.
      if (!this.#isFailing) this.#deps.onFault(error)
      this.#isFailing = true
    }
    this.#timer = undefined
    if (this.#pending.size > 0) this.#writeLater()
  }

  /** Leaves what is recorded meanwhile to the next write, so that this one ends. */
  async #write(): Promise<void> {
    const names = [...this.#pending.keys()]
    for (let done = 0; done < names.length; done += BATCH) {
      await this.#writeBatch(names.slice(done, done + BATCH).flatMap((name) => this.#take(name)))
    }
  }

  async #writeBatch(changes: readonly Change[]): Promise<void> {
    const { add, raise, clock } = this.#deps
    if (changes.length === 0) return
    const at = clock()
    const counts = await add(changes, at).catch((error: unknown) => {
      for (const change of changes) this.#putBack(change)
      throw error
    })
    const missed = counts.filter((count, nth) => this.#exceeds(count, changes[nth]?.seen ?? 0, at))
    // If Redis is unreachable, it loads the counters when it is back.
    if (missed.length > 0) await raise(missed).catch(() => undefined)
  }

  /** Empty when everything was taken back before it was written. */
  #take(name: string): readonly Change[] {
    const pending = this.#pending.get(name)
    this.#pending.delete(name)
    return pending === undefined || pending.tally.length === 0 ? [] : [pending]
  }

  /** Whether PostgreSQL and this process have counted more than Redis had at its last decision. */
  #exceeds({ counter, tally }: Count, seen: number, at: Instant): boolean {
    const pending = this.#pending.get(nameOf(counter))
    const all = pending === undefined ? tally : combined(counter.rule, tally, pending.tally)
    return usedOf(current(counter.rule, all, at)) > (pending?.seen ?? seen)
  }

  #pendingFor(counter: Counter): Pending {
    const name = nameOf(counter)
    const existing = this.#pending.get(name)
    if (existing !== undefined) return existing
    if (this.#pending.size >= (this.#deps.capacity ?? CAPACITY)) this.#dropOldest()
    const pending = { counter, tally: NOTHING, seen: 0 }
    this.#pending.set(name, pending)
    return pending
  }

  #dropOldest(): void {
    const [oldest] = this.#pending.keys()
    if (oldest !== undefined) this.#pending.delete(oldest)
  }

  /** Keeps the `seen` of changes recorded since, because it is newer. */
  #putBack({ counter, tally, seen }: Change): void {
    const isNewer = this.#pending.has(nameOf(counter))
    const pending = this.#pendingFor(counter)
    for (const [start, by] of tally) pending.tally = added(pending.tally, start, by)
    if (!isNewer) pending.seen = seen
  }

  /** Empty when PostgreSQL does not answer in time: then counting starts from zero. */
  async #read(counters: readonly Counter[]): Promise<readonly Count[]> {
    if (performance.now() < this.#noReadUntil) return []
    const { promise: tooLong, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => resolve(), READ_TIMEOUT_MS)
    // Changes being written are no longer pending and not readable yet.
    const writing = this.#writing?.catch(() => undefined) ?? Promise.resolve()
    const reading = writing.then(() => this.#deps.read(counters)).catch(() => undefined)
    const stored = (await Promise.race([reading, tooLong])) ?? undefined
    clearTimeout(timer)
    if (stored === undefined) this.#noReadUntil = performance.now() + READ_PAUSE_MS
    return stored ?? []
  }
}

/** Searches from the end: almost always the newest slice changes. */
function added(tally: Tally, start: Instant, by: number): Tally {
  const nth = tally.findLastIndex(([its]) => its === start)
  const count = (tally[nth]?.[1] ?? 0) + by
  const others = nth < 0 ? tally : tally.toSpliced(nth, 1)
  return count === 0 ? others : [...others, [start, count]]
}
