/**
 * Token buckets by key. A bucket starts full and fills up at a constant rate; whoever uses something takes tokens. It may
 * go into debt: then it has to fill up first.
 */
import { LruCache } from './lru-cache.ts'
import { type Instant, type Millis, millis } from './time.ts'

export type BucketRule = Readonly<{
  perSecond: number
  capacity: number
  /** The lowest level, negative or zero: zero unless given. */
  lowest?: number
}>

type Bucket = { level: number; at: Instant }

/** A bucket that is forgotten is full again, so as many keys as are in use should fit. */
const MOST_BUCKETS = 20_000
/** Tolerance for rounding errors when fractions of a token add up. */
const ROUNDING = 1e-9

export class TokenBuckets<Key> {
  readonly #rule: BucketRule
  readonly #buckets: LruCache<Key, Bucket>

  constructor(rule: BucketRule, mostBuckets = MOST_BUCKETS) {
    this.#rule = rule
    this.#buckets = new LruCache(mostBuckets)
  }

  /** The tokens that are there now. */
  level(key: Key, at: Instant): number {
    const bucket = this.#buckets.get(key)
    return bucket === undefined ? this.#rule.capacity : this.#fill(bucket, at).level
  }

  /** How long until there is a whole token; 0 when there is one now. */
  wait(key: Key, at: Instant): Millis {
    const missing = 1 - this.level(key, at) - ROUNDING
    return missing <= 0 ? millis(0) : millis(Math.ceil((missing / this.#rule.perSecond) * 1000))
  }

  /** Takes tokens, or gives some back when the number is negative. */
  take(key: Key, at: Instant, tokens = 1): void {
    const { capacity, lowest = 0 } = this.#rule
    const bucket = this.#fill(this.#buckets.get(key) ?? { level: capacity, at }, at)
    bucket.level = Math.min(capacity, Math.max(lowest, bucket.level - tokens))
    this.#buckets.set(key, bucket)
  }

  /** A clock that was set back fills nothing. */
  #fill(bucket: Bucket, at: Instant): Bucket {
    const { perSecond, capacity } = this.#rule
    const passed = Math.max(0, at - bucket.at)
    bucket.level = Math.min(capacity, bucket.level + (passed * perSecond) / 1000)
    bucket.at = at
    return bucket
  }
}
