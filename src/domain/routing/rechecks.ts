/**
 * When parked messages are rechecked. They are unparked as soon as one of their providers can be called; the recheck
 * covers what never unparks them, such as a provider that was removed.
 *
 * A process rechecks at most 25 messages a second: a few after a minute, very many over the course of two hours.
 */
import { type Instant, instant, later, seconds } from '../../lib/time.ts'

const SOONEST = seconds(60)
/** The span between the earliest and the latest recheck. */
const SPAN = seconds(2 * 60 * 60)
/** In milliseconds. */
const APART = 40
/** Rechecks of one second happen together: taking several jobs at once costs hardly more than one. */
const TOGETHER = 1_000

export class Rechecks {
  #last = 0

  /** A recheck time, spread over all parked messages. */
  after(now: Instant): Instant {
    const from = later(now, SOONEST)
    const next = Math.max(from, this.#last + APART)
    // Beyond that, times start over and interleave with those already given out.
    this.#last = next > from + SPAN ? from : next
    return instant(Math.ceil(this.#last / TOGETHER) * TOGETHER)
  }
}
