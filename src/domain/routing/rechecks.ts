/**
 * When parked messages look again by themselves. They are unparked as soon as one of their providers can be called;
 * this is for what nobody would unpark them for, such as a provider that is no longer set up.
 *
 * However many are parked, a process looks at no more than 25 of them a second: a few look again after a minute, a
 * crowd over the course of two hours.
 */
import { type Instant, instant, later, seconds } from '../../lib/time.ts'

const SOONEST = seconds(60)
/** How long after the soonest the latest is. */
const SPAN = seconds(2 * 60 * 60)
/** In milliseconds. */
const APART = 40
/** Those of one second look together: to take several at once costs hardly more than one. */
const TOGETHER = 1_000

export class Rechecks {
  #last = 0

  /** A time at which not all the others look too. */
  after(now: Instant): Instant {
    const from = later(now, SOONEST)
    const next = Math.max(from, this.#last + APART)
    // Beyond that they look in between those that have their times already.
    this.#last = next > from + SPAN ? from : next
    return instant(Math.ceil(this.#last / TOGETHER) * TOGETHER)
  }
}
