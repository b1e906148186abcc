/**
 * Messages that wait for a delivery report, collected from the log. Bounded in number, and limited to messages that are
 * polled often; the oldest are dropped.
 */

import { type Instant, later, millis } from '../../lib/time.ts'
import type { MessageId } from '../ids.ts'
import { silentSince } from './overdue.ts'
import { ASKED_OFTEN, toStretches } from './polling.ts'
import type { MessageState } from './state.ts'

export class SilentMessages {
  readonly #most: number
  /** Roughly ordered by handoff. */
  readonly #since = new Map<MessageId, Instant>()

  constructor(most: number) {
    this.#most = most
  }

  get size(): number {
    return this.#since.size
  }

  /** Adds, updates or removes a message by its newest state. */
  note(state: MessageState): void {
    const since = silentSince(state)
    if (since === undefined) this.#since.delete(state.id)
    else this.#since.set(state.id, since)
    if (this.#since.size > this.#most) for (const oldest of this.#since.keys()) if (this.#since.delete(oldest)) break
  }

  forget(id: MessageId): void {
    this.#since.delete(id)
  }

  /** The messages whose poll became due after `lastLook`, up to `now`. Drops those that are polled rarely by now. */
  due(lastLook: Instant, now: Instant): readonly MessageId[] {
    const stretches = toStretches(lastLook, now)
    const oldest = later(now, millis(-ASKED_OFTEN))
    const due: MessageId[] = []
    for (const [id, since] of this.#since) {
      if (since < oldest) this.#since.delete(id)
      else if (stretches.some(({ after, through }) => since > after && since <= through)) due.push(id)
    }
    return due
  }
}
