/**
 * Admits a bounded number of acts at a time. Those beyond it wait, and the keys that wait take turns: however many acts
 * wait under one key, another key waits for one of them at most.
 */

export type Release = () => void

export type FairTurnsOptions = Readonly<{
  atOnce: number
  /** How many of these one key may have. */
  atOncePerKey?: number
  /** An act that finds as many waiting is refused. */
  waiting: number
  waitingPerKey?: number
  /** The share of the time that a key with waiting acts may use while other keys are active. */
  busyShare?: number
}>

/** `refused` by its own key or by all of them; `left`: the signal has aborted, or the time is over. */
export type Turn = Readonly<
  { kind: 'taken'; release: Release } | { kind: 'refused'; by: 'key' | 'all' } | { kind: 'left' }
>

type Waiter = (turn: Turn) => void
/** `running` counts acts that have ended too, while their key rests. */
type Lane = { running: number; readonly waiting: Set<Waiter>; readonly budget: Budget }
/** How much of its share a key has left, and when that was. */
type Budget = { millis: number; at: number }
type Activity<Key> = Readonly<{ key: Key; at: number }>

/** A key that has begun nothing for longer is not active. */
const ACTIVE_MS = 1_000
/** A key may use this much at once, beyond its share. */
const BURST_MS = 50
const LONGEST_REST_MS = 100

export class FairTurns<Key> {
  readonly #options: Required<FairTurnsOptions>
  readonly #lanes = new Map<Key, Lane>()
  /** The keys whose next act may run as soon as there is room, in the order of their turns. */
  readonly #ring = new Set<Key>()
  #running = 0
  #waiting = 0
  /** Of the key that began an act last, and of the last one before it that was another. */
  #newest: Activity<Key> | undefined
  #other: Activity<Key> | undefined

  constructor(options: FairTurnsOptions) {
    const { atOnce, waiting, atOncePerKey = atOnce, waitingPerKey = waiting, busyShare = 1 } = options
    this.#options = { atOnce, atOncePerKey, waiting, waitingPerKey, busyShare }
  }

  /** Undefined if it has to wait. */
  tryTake(key: Key): Release | undefined {
    const lane = this.#lanes.get(key)
    if (this.#running >= this.#options.atOnce || (lane?.running ?? 0) >= this.#options.atOncePerKey) return undefined
    return this.#begin(key, lane ?? this.#open(key))
  }

  /** Waits until its turn comes, `signal` aborts or the time is over. */
  async take(
    key: Key,
    { signal, withinMs }: Readonly<{ signal?: AbortSignal; withinMs?: number }> = {},
  ): Promise<Turn> {
    const release = this.tryTake(key)
    if (release !== undefined) return { kind: 'taken', release }
    if (signal?.aborted === true) return { kind: 'left' }
    const lane = this.#lanes.get(key) ?? this.#open(key)
    const by = this.#refusedBy(lane)
    if (by !== undefined) {
      this.#tidy(key, lane)
      return { kind: 'refused', by }
    }
    const { promise, resolve } = Promise.withResolvers<Turn>()
    const leave = (): void => this.#leave(key, lane, resolve)
    const timer = withinMs === undefined ? undefined : setTimeout(leave, withinMs)
    signal?.addEventListener('abort', leave)
    lane.waiting.add(resolve)
    this.#waiting += 1
    if (lane.running < this.#options.atOncePerKey) this.#ring.add(key)
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', leave)
    }
  }

  #refusedBy(lane: Lane): 'key' | 'all' | undefined {
    if (lane.waiting.size >= this.#options.waitingPerKey) return 'key'
    return this.#waiting >= this.#options.waiting ? 'all' : undefined
  }

  #open(key: Key): Lane {
    const lane: Lane = { running: 0, waiting: new Set(), budget: { millis: BURST_MS, at: performance.now() } }
    this.#lanes.set(key, lane)
    return lane
  }

  #begin(key: Key, lane: Lane): Release {
    this.#running += 1
    lane.running += 1
    const begunAt = this.#note(key)
    let isOver = false
    return () => {
      if (isOver) return
      isOver = true
      this.#running -= 1
      const restMs = this.#restAfter(key, lane, begunAt)
      if (restMs === 0) return this.#end(key, lane)
      setTimeout(() => this.#end(key, lane), restMs).unref()
      this.#admit()
    }
  }

  #end(key: Key, lane: Lane): void {
    lane.running -= 1
    if (lane.waiting.size > 0) this.#ring.add(key)
    this.#tidy(key, lane)
    this.#admit()
  }

  #note(key: Key): number {
    const at = performance.now()
    if (this.#newest?.key !== key) this.#other = this.#newest
    this.#newest = { key, at }
    return at
  }

  #restAfter(key: Key, { waiting, budget }: Lane, begunAt: number): number {
    const { busyShare } = this.#options
    if (busyShare === 1) return 0
    const now = performance.now()
    budget.millis = Math.min(BURST_MS, budget.millis + (now - budget.at) * busyShare) - (now - begunAt)
    budget.at = now
    const other = this.#newest?.key === key ? this.#other : this.#newest
    const areOthersActive = other !== undefined && now - other.at < ACTIVE_MS
    if (budget.millis >= 0 || waiting.size === 0 || !areOthersActive) return 0
    return Math.min(-budget.millis / busyShare, LONGEST_REST_MS)
  }

  #admit(): void {
    for (const key of this.#ring) {
      if (this.#running >= this.#options.atOnce) return
      this.#ring.delete(key)
      const lane = this.#lanes.get(key)
      const [next] = lane?.waiting ?? []
      if (lane === undefined || next === undefined) continue
      lane.waiting.delete(next)
      this.#waiting -= 1
      next({ kind: 'taken', release: this.#begin(key, lane) })
      // Behind all others.
      if (lane.waiting.size > 0 && lane.running < this.#options.atOncePerKey) this.#ring.add(key)
    }
  }

  #leave(key: Key, lane: Lane, waiter: Waiter): void {
    if (!lane.waiting.delete(waiter)) return
    this.#waiting -= 1
    if (lane.waiting.size === 0) this.#ring.delete(key)
    this.#tidy(key, lane)
    waiter({ kind: 'left' })
  }

  #tidy(key: Key, lane: Lane): void {
    if (lane.running === 0 && lane.waiting.size === 0) this.#lanes.delete(key)
  }
}
