/**
 * Whose template is rendered next, and by which of two threads.
 *
 * | thread | takes                                                                          | may take per template |
 * |--------|--------------------------------------------------------------------------------|-----------------------|
 * | quick  | templates that are short or known to be fast, of tenants within their budget     | 10 ms of CPU          |
 * | slow   | everything else, and what the quick thread could not finish in its time          | 50 ms of CPU          |
 *
 * A tenant's budget is a quarter of a core, and a burst. Nothing is refused for exceeding it: it only waits behind others.
 * In the slow thread, the tenant that has most of its budget left comes first, so tenants that exceed it share what the
 * others leave, by CPU time and not by number.
 */
import type { TenantId } from '../../domain/ids.ts'
import { LruCache } from '../../lib/lru-cache.ts'
import type { Instant } from '../../lib/time.ts'
import { TokenBuckets } from '../../lib/token-bucket.ts'
import { TurnQueue } from '../../lib/turn-queue.ts'
import type { RenderPurpose } from '../../ports/renderer.ts'

export const PACES = ['quick', 'slow'] as const
export type Pace = (typeof PACES)[number]

export type Waiting = Readonly<{
  tenantId: TenantId
  purpose: RenderPurpose
  /** Identifies a saved version; drafts have none. */
  key?: string
  /** The length of its texts. */
  characters: number
}>

/** Milliseconds of CPU. A tenant that has been over its budget for long is back within it after four seconds. */
const BUDGET = { perSecond: 250, capacity: 100, lowest: -1_000 }
/** Longer texts take long to parse, and are rendered by the slow thread until they turn out to be fast. */
const LONG_CHARACTERS = 16 * 1024
const FAST_MS = 5
const MOST_KNOWN = 10_000
const MOST_WAITING = 10_000
const MOST_OF_TENANT = 1_000
/** Of a tenant that exceeds its budget. */
const MOST_OVER_BUDGET = 64
/** With two, the slow thread has the next one as soon as it has rendered one that was fast after all. */
const MOST_TOGETHER: Readonly<Record<Pace, number>> = { quick: 32, slow: 2 }
const MOST_CHARACTERS_TOGETHER = 128 * 1024

export class RenderTurns<Item extends Waiting> {
  readonly #now: () => Instant
  readonly #budgets = new TokenBuckets<TenantId>(BUDGET)
  readonly #fast = new LruCache<string, { isFast: boolean }>(MOST_KNOWN)
  readonly #quick = new TurnQueue<string, Item>()
  /** In turns: whoever was served last is last. */
  readonly #slow = new Map<string, Item[]>()
  #slowSize = 0

  constructor(now: () => Instant) {
    this.#now = now
  }

  /** Why another one must be refused, if it must. */
  refusal({ tenantId, purpose }: Waiting): 'full' | 'tenant-full' | undefined {
    if (this.#quick.size + this.#slowSize >= MOST_WAITING) return 'full'
    const turn = turnOf(tenantId, purpose)
    const waiting = this.#quick.sizeOf(turn) + (this.#slow.get(turn)?.length ?? 0)
    return waiting >= (this.#isWithin(tenantId) ? MOST_OF_TENANT : MOST_OVER_BUDGET) ? 'tenant-full' : undefined
  }

  add(item: Item): void {
    if (this.#mayBeQuick(item)) this.#quick.push(turnOf(item.tenantId, item.purpose), item)
    else this.addSlow(item)
  }

  /** For what has turned out to be slow. */
  addSlow(item: Item): void {
    const turn = turnOf(item.tenantId, item.purpose)
    const items = this.#slow.get(turn)
    if (items === undefined) this.#slow.set(turn, [item])
    else items.push(item)
    this.#slowSize += 1
  }

  /** Items that were taken and not rendered come next, in their order. */
  putBack(pace: Pace, items: readonly Item[]): void {
    for (const item of items.toReversed()) {
      const turn = turnOf(item.tenantId, item.purpose)
      if (pace === 'quick') this.#quick.putBack(turn, item)
      else {
        this.#slow.set(turn, [item, ...(this.#slow.get(turn) ?? [])])
        this.#slowSize += 1
      }
    }
  }

  /** Items that may travel together, in their turns. */
  take(pace: Pace): readonly Item[] {
    const items: Item[] = []
    for (let characters = 0; items.length < MOST_TOGETHER[pace] && characters < MOST_CHARACTERS_TOGETHER; ) {
      const next = pace === 'quick' ? this.#nextQuick() : this.#nextSlow()
      if (next === undefined) break
      items.push(next)
      characters += next.characters
    }
    return items
  }

  /** Counts what an item has cost. */
  charge({ tenantId, key }: Waiting, millis: number): void {
    this.#budgets.take(tenantId, this.#now(), millis)
    if (key !== undefined) this.#fast.set(key, { isFast: millis < FAST_MS })
  }

  /** Removes and returns everything that waits. */
  clear(): readonly Item[] {
    const items = [...this.#quick.clear(), ...[...this.#slow.values()].flat()]
    this.#slow.clear()
    this.#slowSize = 0
    return items
  }

  #isWithin(tenantId: TenantId): boolean {
    return this.#budgets.level(tenantId, this.#now()) > 0
  }

  #mayBeQuick({ tenantId, key, characters }: Waiting): boolean {
    if (!this.#isWithin(tenantId)) return false
    const known = key === undefined ? undefined : this.#fast.get(key)
    return known?.isFast ?? characters <= LONG_CHARACTERS
  }

  /** What no longer belongs here moves on to the slow thread. */
  #nextQuick(): Item | undefined {
    for (let item = this.#quick.shift(); item !== undefined; item = this.#quick.shift()) {
      if (this.#mayBeQuick(item)) return item
      this.addSlow(item)
    }
    return undefined
  }

  #nextSlow(): Item | undefined {
    const at = this.#now()
    let best: Readonly<{ turn: string; items: Item[]; level: number }> | undefined
    for (const [turn, items] of this.#slow) {
      const tenantId = items[0]?.tenantId
      const level = tenantId === undefined ? Number.NEGATIVE_INFINITY : this.#budgets.level(tenantId, at)
      if (best === undefined || level > best.level) best = { turn, items, level }
    }
    if (best === undefined) return undefined
    const { turn, items } = best
    this.#slow.delete(turn)
    if (items.length > 1) this.#slow.set(turn, items.slice(1))
    this.#slowSize -= 1
    return items[0]
  }
}

/** The texts of codes have turns of their own. */
const turnOf = (tenantId: TenantId, purpose: RenderPurpose): string => `${purpose} ${tenantId}`
