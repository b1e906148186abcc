/**
 * What Redis has decided on its way to PostgreSQL. It is collected per counter and written in one go, at
 * most a quarter of a second later. Where PostgreSQL turns out to know of more than Redis did, Redis is
 * told. What cannot be written is kept for later, up to a bound.
 */
import { type Count, combined } from '../domain/combined-tallies.ts'
import { type Counter, current, NOTHING, type Tally, usedOf } from '../domain/limits.ts'
import type { Instant } from '../domain/time.ts'
import type { Clock } from '../ports/world.ts'

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

/** `seen` is how much Redis had counted by then. */
type Waiting = Readonly<{ counter: Counter; tally: Tally; seen: number }>

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
    const waiting = this.#waiting.get(nameOf(counter))
    this.#put({ counter, tally: added(waiting?.tally ?? NOTHING, [[start, by]]), seen })
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
    while (this.#writing !== undefined || this.#waiting.size > 0) {
      this.#writing ??= this.#write().finally(() => {
        this.#writing = undefined
      })
      await this.#writing
    }
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

  async #write(): Promise<void> {
    const { add, raise, clock } = this.#deps
    const batch = [...this.#waiting].slice(0, BATCH)
    for (const [name] of batch) this.#waiting.delete(name)
    // What was given back before it was written leaves nothing to write.
    const changes = batch.map(([, waiting]) => waiting).filter(({ tally }) => tally.length > 0)
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

  /** Whether more is known of a counter than Redis knew when it was last asked. */
  #exceeds({ counter, tally }: Count, seen: number, at: Instant): boolean {
    const waiting = this.#waiting.get(nameOf(counter))
    const all = combined(counter.rule, tally, waiting?.tally ?? NOTHING)
    return usedOf(current(counter.rule, all, at)) > (waiting?.seen ?? seen)
  }

  #put(waiting: Waiting): void {
    const name = nameOf(waiting.counter)
    // What has waited longest is given up first.
    const [oldest] = this.#waiting.keys()
    const isTooMuch = this.#waiting.size >= (this.#deps.most ?? MOST) && !this.#waiting.has(name)
    if (isTooMuch && oldest !== undefined) this.#waiting.delete(oldest)
    this.#waiting.set(name, waiting)
  }

  /** What was noted since is newer. */
  #putBack({ counter, tally, seen }: Waiting): void {
    const newer = this.#waiting.get(nameOf(counter))
    this.#put({ counter, tally: added(tally, newer?.tally ?? NOTHING), seen: newer?.seen ?? seen })
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

const nameOf = ({ tenantId, scope, key, version }: Counter): string => `${tenantId}:${scope}:${key}:${version}`

/** Slice by slice; here a slice may also be below nothing, because it belongs to one that was written before. */
function added(tally: Tally, more: Tally): Tally {
  const slices = new Map(tally)
  for (const [start, by] of more) slices.set(start, (slices.get(start) ?? 0) + by)
  return [...slices].filter(([, count]) => count !== 0)
}
