/**
 * How fast parts may go over a link: so many a second, and a few of them at once. When the other side says
 * that it is too much, the link pauses and goes on at half the rate, which grows back by a twentieth a second.
 * Where no rate is set, that of the last second stands in for it until it is reached again.
 *
 * Time is counted by the differences between the instants it is given: a clock that is set back costs nothing.
 */
import { type Instant, instant, type Millis, millis, seconds } from './time.ts'

const UNBOUNDED = Number.POSITIVE_INFINITY
const LEAST_RATE = 1
const SHORTEST_PAUSE = seconds(1)
/** How much of a second's parts may go at once. */
const BURST = 1 / 10
/** How much of the full rate is won back in a second. */
const GROWTH = 1 / 20
/** Fractions of a part add up to less than a whole one by no more than this. */
const ROUNDING = 1e-9

export class Pace {
  readonly #set: number
  readonly #recent = recentParts()
  /** Parts a second: what it comes back to, and what it is now. */
  #full: number
  #rate: number
  /** Parts that may go at once. */
  #ready: number
  #at = instant(0)
  #pauseLeft = 0
  /** How long all went well since the rate last changed. */
  #calm = 0

  /** A rate above zero, or none. */
  constructor(partsPerSecond: number | undefined) {
    this.#set = partsPerSecond ?? UNBOUNDED
    this.#full = this.#set
    this.#rate = this.#set
    this.#ready = burstOf(this.#set)
  }

  /** Zero: the next part goes now, and is counted. Else it has to wait at least so long and ask again. */
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
   * The other side found it too fast, and may have asked for a pause. What it says while the link pauses
   * already is about parts that went before, and halves the rate no further.
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
    // Where nothing bounds the rate, no time at all would make not a number of parts.
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

/** A tenth of a second's parts, and never less than one. */
const burstOf = (rate: number): number => Math.max(1, rate * BURST)

const SLICES = 10
const SLICE_MS = 100

/** How many parts went in the last second, in slices of a tenth of it. */
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
