/**
 * Paces the parts sent over a link: a rate per second with a small burst. When the other side throttles, the link
 * pauses and continues at half the rate, which grows back by a twentieth per second. Without a configured rate, that of
 * the last second serves as the target until it is reached again.
 *
 * Only differences between the given instants count, so setting the clock back does no harm.
 */
import { type Instant, instant, type Millis, millis, seconds } from './time.ts'

const UNBOUNDED = Number.POSITIVE_INFINITY
const LEAST_RATE = 1
const SHORTEST_PAUSE = seconds(1)
/** The burst, as a share of a second's parts. */
const BURST = 1 / 10
/** The share of the full rate that is regained per second. */
const GROWTH = 1 / 20
/** Tolerance for rounding errors when fractions of a part add up. */
const ROUNDING = 1e-9

export class Pace {
  readonly #set: number
  readonly #recent = recentParts()
  /** Parts per second: the target and the current rate. */
  #full: number
  #rate: number
  /** Parts that may be sent at once. */
  #ready: number
  #at = instant(0)
  #pauseLeft = 0
  /** Time without throttling since the rate last changed. */
  #calm = 0

  /** A positive rate, or none. */
  constructor(partsPerSecond: number | undefined) {
    this.#set = partsPerSecond ?? UNBOUNDED
    this.#full = this.#set
    this.#rate = this.#set
    this.#ready = burstOf(this.#set)
  }

  /** Zero: the next part may be sent now, and is counted. Otherwise the minimum time to wait before asking again. */
  admit(at: Instant): Millis {
    this.#advance(at)
    if (this.#pauseLeft > 0) return millis(Math.ceil(this.#pauseLeft))
    const lacking = 1 - this.#ready
    if (lacking > ROUNDING) return millis(Math.ceil((lacking / this.#rate) * 1000))
    this.#ready -= 1
    this.#recent.count(at)
    return millis(0)
  }

  /**
   * The other side throttled, and may have asked for a pause. Throttling during a pause concerns parts sent before it,
   * and does not halve the rate again.
   */
  throttle(at: Instant, pause: Millis = SHORTEST_PAUSE): void {
    this.#advance(at)
    if (this.#pauseLeft === 0) this.#halve(at)
    this.#pauseLeft = Math.max(this.#pauseLeft, pause, SHORTEST_PAUSE)
  }

  #halve(at: Instant): void {
    if (this.#full === UNBOUNDED) {
      this.#full = Math.max(LEAST_RATE, this.#recent.sum(at))
      this.#rate = this.#full
    }
    this.#rate = Math.min(this.#full, Math.max(LEAST_RATE, this.#rate / 2))
    this.#ready = 1
    this.#calm = 0
  }

  #advance(at: Instant): void {
    const passed = Math.max(0, at - this.#at)
    this.#at = at
    const paused = Math.min(passed, this.#pauseLeft)
    this.#pauseLeft -= paused
    const going = passed - paused
    if (this.#rate < this.#full || this.#full !== this.#set) this.#grow(going)
    // Zero times an unbounded rate would be NaN.
    const won = going === 0 ? 0 : (going * this.#rate) / 1000
    this.#ready = Math.min(burstOf(this.#rate), this.#ready + won)
  }

  #grow(going: number): void {
    this.#calm += going
    const steps = Math.floor(this.#calm / 1000)
    this.#calm -= steps * 1000
    if (steps === 0) return
    this.#rate = Math.min(this.#full, this.#rate + steps * this.#full * GROWTH)
    if (this.#rate < this.#full) return
    this.#full = this.#set
    this.#rate = this.#set
  }
}

/** At least one part. */
const burstOf = (rate: number): number => Math.max(1, rate * BURST)

const SLICES = 10
const SLICE_MS = 100

/** Counts the parts of the last second, in slices of a tenth. */
function recentParts() {
  const slices = new Array<number>(SLICES).fill(0)
  let latest = 0

  const advance = (at: Instant): void => {
    const now = Math.floor(at / SLICE_MS)
    if (now < latest || now - latest >= SLICES) slices.fill(0)
    else for (let slice = latest + 1; slice <= now; slice += 1) slices[slice % SLICES] = 0
    latest = now
  }

  return {
    count(at: Instant): void {
      advance(at)
      slices[latest % SLICES] = (slices[latest % SLICES] ?? 0) + 1
    },
    sum(at: Instant): number {
      advance(at)
      return slices.reduce((sum, parts) => sum + parts, 0)
    },
  }
}
