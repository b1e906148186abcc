/**
 * Limits the concurrent calls to each provider in one process, so that a provider that hangs fills only its own slots.
 * A message that finds no slot comes back later.
 *
 * Messages come back about twice as often as slots become free; when hardly any do, so rarely that others are not
 * affected.
 */

import { type Instant, instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { ProviderName } from '../ids.ts'
import type { Lane } from '../message/message.ts'

type SlotsPlan = Readonly<{
  /** How many calls may be under way at one provider. */
  size: number
  /** How many slots are reserved for one-time codes, and as many again for messages that were refused before. */
  reserved?: number
  /** The shortest wait before a message comes back. */
  soonest?: Millis
}>

/** The lane of the message, and since when it has been due. */
type Caller = Readonly<{ lane: Lane; since: Instant }>

export type Slot = Readonly<{ kind: 'slot'; release: () => void }> | Readonly<{ kind: 'full'; until: Instant }>

/** The longest interval between two messages that come back, in milliseconds. */
const WIDEST = 2.5
/** The shortest assumed age of a call, in milliseconds. */
const FASTEST = 16
/** The longest wait, however many messages wait. */
const LATEST = seconds(30)
/** Times are rounded to this many milliseconds: requeueing a few messages at once costs hardly more than one. */
const TOGETHER = 50

/**
 * `begun` is the sum of the start times of the current calls, relative to `origin`; `next` is the last time that was
 * given out.
 */
type Slots = { calls: number; begun: number; readonly origin: Instant; next: number; refused: number }

export class ProviderSlots {
  readonly #plan: Required<SlotsPlan>
  readonly #providers = new Map<ProviderName, Slots>()

  constructor({ size, reserved = 0, soonest = millis(250) }: SlotsPlan) {
    this.#plan = { size, reserved, soonest }
  }

  /** How many calls may be under way at one provider. */
  get size(): number {
    return this.#plan.size
  }

  /** Call `release` however the call ends. */
  enter(provider: ProviderName, caller: Caller, at: Instant): Slot {
    const slots = this.#slotsOf(provider, at)
    if (slots.calls >= this.#roomFor(caller, at)) return this.refuse(provider, at)
    const begun = at - slots.origin
    slots.calls += 1
    slots.begun += begun
    const release = (): void => {
      slots.calls -= 1
      slots.begun -= begun
    }
    return { kind: 'slot', release }
  }

  /** Refuses as if all slots were taken. */
  refuse(provider: ProviderName, at: Instant): Slot {
    this.#slotsOf(provider, at).refused += 1
    return { kind: 'full', until: this.#nextTime(provider, later(at, this.#plan.soonest), at) }
  }

  /** How many times no slot was free, at one provider or at all. */
  refused(provider?: ProviderName): number {
    if (provider !== undefined) return this.#providers.get(provider)?.refused ?? 0
    return this.#providers.values().reduce((sum, { refused }) => sum + refused, 0)
  }

  /** The current number of calls per provider. */
  *calls(): Iterable<readonly [ProviderName, number]> {
    for (const [provider, { calls }] of this.#providers) yield [provider, calls]
  }

  /** A time at or after `from`, spread over the messages that wait for this provider. */
  #nextTime(provider: ProviderName, from: Instant, at: Instant): Instant {
    const slots = this.#slotsOf(provider, at)
    const next = Math.max(from, slots.next + this.#gap(slots, at))
    // Beyond that, times start over and interleave with those already given out.
    slots.next = next > from + LATEST ? from : next
    return instant(Math.ceil(slots.next / TOGETHER) * TOGETHER)
  }

  /** New messages never take the last slots: refused ones would starve, and codes are urgent. */
  #roomFor({ lane, since }: Caller, at: Instant): number {
    const { size, reserved, soonest } = this.#plan
    if (lane === 'otp') return size
    return since <= at - soonest ? size - reserved : size - 2 * reserved
  }

  /** If calls take twice their current age, a slot becomes free at this interval; half of it is used. */
  #gap({ calls, begun, origin }: Slots, at: Instant): number {
    const age = calls === 0 ? Number.POSITIVE_INFINITY : at - origin - begun / calls
    return Math.min(Math.max(age, FASTEST) / this.#plan.size, WIDEST)
  }

  #slotsOf(provider: ProviderName, at: Instant): Slots {
    const existing = this.#providers.get(provider)
    if (existing !== undefined) return existing
    const slots = { calls: 0, begun: 0, origin: at, next: 0, refused: 0 }
    this.#providers.set(provider, slots)
    return slots
  }
}
