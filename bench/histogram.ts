/**
 * Percentiles of many durations in little memory, like HdrHistogram: exact below 128 µs, and in buckets of less than 1 %
 * of their value above.
 */
const SUB_BITS = 7
const EXACT = 1 << SUB_BITS
const HALF = EXACT / 2
/** The longest duration that is distinguished: 2^31 µs, or 36 minutes. */
const LONGEST = 2 ** 31 - 1
const BUCKETS = EXACT + (31 - SUB_BITS) * HALF

export class Histogram {
  readonly #counts = new Float64Array(BUCKETS)
  #count = 0
  #sum = 0
  #max = 0

  get count(): number {
    return this.#count
  }

  record(micros: number): void {
    const value = micros < 0 ? 0 : micros > LONGEST ? LONGEST : Math.trunc(micros)
    const index = toIndex(value)
    this.#counts[index] = (this.#counts[index] ?? 0) + 1
    this.#count += 1
    this.#sum += value
    if (value > this.#max) this.#max = value
  }

  mean(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count
  }

  max(): number {
    return this.#max
  }

  /** The duration that this share (0 to 1) of all did not exceed; never underestimated. */
  percentile(share: number): number {
    let left = Math.ceil(share * this.#count)
    for (const [index, count] of this.#counts.entries()) {
      left -= count
      if (left <= 0 && count > 0) return Math.min(toHighest(index), this.#max)
    }
    return this.#max
  }
}

function toIndex(value: number): number {
  if (value < EXACT) return value
  const shift = 32 - SUB_BITS - Math.clz32(value)
  return shift * HALF + (value >>> shift)
}

/** The longest duration in a bucket. */
function toHighest(index: number): number {
  if (index < EXACT) return index
  const shift = Math.floor(index / HALF) - 1
  const top = index - shift * HALF
  return (top + 1) * 2 ** shift - 1
}

export type Latency = Readonly<{ p50: number; p90: number; p99: number; p999: number; max: number; mean: number }>

/** In milliseconds. */
export const toLatency = (histogram: Histogram): Latency => ({
  p50: histogram.percentile(0.5) / 1000,
  p90: histogram.percentile(0.9) / 1000,
  p99: histogram.percentile(0.99) / 1000,
  p999: histogram.percentile(0.999) / 1000,
  max: histogram.max() / 1000,
  mean: histogram.mean() / 1000,
})
