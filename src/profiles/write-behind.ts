/**
 * What Redis has decided on its way to PostgreSQL. It is collected per counter and written in one go, at
 * most a quarter of a second later. Where PostgreSQL turns out to know of more than Redis did, Redis is
 * told. What cannot be written is kept for later, up to a bound.
 */
import { type Count, combined } from '../domain/limits/combined-tallies.ts'
import { type Counter, current, NOTHING, nameOf, type Tally, usedOf } from '../domain/limits/limits.ts'
import type { Clock } from '../lib/clock.ts'
import type { Instant } from '../lib/time.ts'

export type WriteBehindDeps = Readonly<{
  clock: Clock
  /** Adds to what is counted, and answers what that is now. */
  add: (changes: readonly Count[], at: Instant) => Promise<readonly Count[]>
  /** Makes Redis know at least this. */
  raise: (counts: readonly Count[]) => Promise<void>
  read: (counters: readonly Counter[]) => Promise<readonly Count[]>
  onFault: (error: unknown) => void
  everyMs?: number
  /** Of how many counters it is kept while it cannot be written. */
  most?: number
}>

/** A slice may be below nothing, where what was written before is taken back. `seen` is how much Redis had counted by then. */
type Change = Count & Readonly<{ seen: number }>
/** The same while it grows: every decision adds to it, so it is changed in place. */
type Waiting = { readonly counter: Counter; tally: Tally; seen: number }

const EVERY_MS = 250
const MOST = 50_000
const BATCH = 500
/** How long a decision may wait for PostgreSQL to say what was counted before. */
const READ_MS = 500
/** How long it is then not asked. */
const REST_MS = 1_000

export class WriteBehind implements AsyncDisposable {
  readonly #deps: WriteBehindDeps
  readonly #waiting = new Map<string, Waiting>()
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #isFailing = false
  #isEnded = false
  #restsUntil = 0

  constructor(deps: WriteBehindDeps) {
    this.#deps = deps
  }

  /** Notes that one was counted, or with -1 that it was given back. */
  note(counter: Counter, start: Instant, by: 1 | -1, seen: number): void {
    const waiting = this.#waitingFor(counter)
    waiting.tally = added(waiting.tally, start, by)
    waiting.seen = seen
    this.#writeLater()
  }

  /** What was counted before, as far as can be said: what is still waiting here counts too. */
  async load(counters: readonly Counter[]): Promise<readonly Count[]> {
    const known = await this.#read(counters)
    return counters.map((counter, nth) => {
      const waiting = this.#waiting.get(nameOf(counter))?.tally ?? NOTHING
      return { counter, tally: combined(counter.rule, known[nth]?.tally ?? NOTHING, waiting) }
    })
  }

  /** Writes all there is now. Rejects when it cannot; then it is kept. */
  async flush(): Promise<void> {
    await this.#writing?.catch(() => undefined)
    // One that somebody else has begun meanwhile has it all too.
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
    await this.#writing
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isEnded = true
    clearTimeout(this.#timer)
    await this.flush().catch(this.#deps.onFault)
  }

  #writeLater(): void {
    if (this.#isEnded) return
    this.#timer ??= setTimeout(() => void this.#writeInTime(), this.#deps.everyMs ?? EVERY_MS)
  }

  async #writeInTime(): Promise<void> {
    try {
      await this.flush()
      this.#isFailing = false
    } catch (error) {
      // It is said once that it cannot be written, not each time.
      if (!this.#isFailing) this.#deps.onFault(error)
      this.#isFailing = true
    }
    this.#timer = undefined
    if (this.#waiting.size > 0) this.#writeLater()
  }

  /** What is noted meanwhile is left for the next time: else it would never end. */
  async #write(): Promise<void> {
    const names = [...this.#waiting.keys()]
    for (let done = 0; done < names.length; done += BATCH) {
      await this.#writeSome(names.slice(done, done + BATCH).flatMap((name) => this.#take(name)))
    }
  }

  async #writeSome(changes: readonly Change[]): Promise<void> {
    const { add, raise, clock } = this.#deps
    if (changes.length === 0) return
    const at = clock()
    const counts = await add(changes, at).catch((error: unknown) => {
      for (const change of changes) this.#putBack(change)
      throw error
    })
    const missed = counts.filter((count, nth) => this.#exceeds(count, changes[nth]?.seen ?? 0, at))
    // A Redis that is away loads it when it is back.
    if (missed.length > 0) await raise(missed).catch(() => undefined)
  }

  /** What was given back before it was written leaves nothing to write. */
  #take(name: string): readonly Change[] {
    const waiting = this.#waiting.get(name)
    this.#waiting.delete(name)
    return waiting === undefined || waiting.tally.length === 0 ? [] : [waiting]
  }

  /** Whether more is known of a counter than Redis knew when it was last asked. */
  #exceeds({ counter, tally }: Count, seen: number, at: Instant): boolean {
    const waiting = this.#waiting.get(nameOf(counter))
    const all = waiting === undefined ? tally : combined(counter.rule, tally, waiting.tally)
    return usedOf(current(counter.rule, all, at)) > (waiting?.seen ?? seen)
  }

  #waitingFor(counter: Counter): Waiting {
    const name = nameOf(counter)
    const known = this.#waiting.get(name)
    if (known !== undefined) return known
    if (this.#waiting.size >= (this.#deps.most ?? MOST)) this.#giveUpOldest()
    const waiting = { counter, tally: NOTHING, seen: 0 }
    this.#waiting.set(name, waiting)
    return waiting
  }

  #giveUpOldest(): void {
    const [oldest] = this.#waiting.keys()
    if (oldest !== undefined) this.#waiting.delete(oldest)
  }

  /** What was noted since is newer. */
  #putBack({ counter, tally, seen }: Change): void {
    const isNewer = this.#waiting.has(nameOf(counter))
    const waiting = this.#waitingFor(counter)
    for (const [start, by] of tally) waiting.tally = added(waiting.tally, start, by)
    if (!isNewer) waiting.seen = seen
  }

  /** Nothing when PostgreSQL does not say in time: then counting starts from there. */
  async #read(counters: readonly Counter[]): Promise<readonly Count[]> {
    if (performance.now() < this.#restsUntil) return []
    const { promise: tooLong, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(() => resolve(), READ_MS)
    // What is being written is not waiting any more, and cannot be read yet.
    const writing = this.#writing?.catch(() => undefined) ?? Promise.resolve()
    const reading = writing.then(() => this.#deps.read(counters)).catch(() => undefined)
    const known = (await Promise.race([reading, tooLong])) ?? undefined
    clearTimeout(timer)
    if (known === undefined) this.#restsUntil = performance.now() + REST_MS
    return known ?? []
  }
}

/** Almost always it is the newest slice that is added to. */
function added(tally: Tally, start: Instant, by: number): Tally {
  const nth = tally.findLastIndex(([its]) => its === start)
  const count = (tally[nth]?.[1] ?? 0) + by
  const others = nth < 0 ? tally : tally.toSpliced(nth, 1)
  return count === 0 ? others : [...others, [start, count]]
}
