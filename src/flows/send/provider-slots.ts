/**
 * The calls under way at each provider, in one process. A provider that hangs fills its own slots and no others,
 * so that hands are left for the rest; whoever finds no slot is sent away until his turn comes.
 *
 * What that costs goes by what it is good for: those sent away come back about twice as often as slots come
 * free, and where hardly any does, so seldom that nobody else feels it.
 */
import type { ProviderName } from '../../domain/ids.ts'
import type { Lane } from '../../domain/message/message.ts'
import type { MessageState } from '../../domain/message/state.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Instant, instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { Provider } from '../../ports/provider.ts'

export type SlotsPlan = Readonly<{
  /** How many calls may be under way at one provider. */
  size: number
  /** How many of them are kept for one-time codes, and as many for what was sent away before. */
  kept?: number
  /** Nobody is to come back sooner. */
  soonest?: Millis
}>

/** Who wants a slot, and since when. */
export type Caller = Readonly<{ lane: Lane; since: Instant }>

export type Slot = Readonly<{ kind: 'slot'; leave: () => void }> | Readonly<{ kind: 'full'; until: Instant }>

/** How far apart those come back who are sent away, in milliseconds, however long calls take. */
const WIDEST = 2.5
/** Calls are taken to have lasted for so many milliseconds at least. */
const FASTEST = 16
/** However many there are, each is to look again by then. */
const LATEST = seconds(30)
/** Those whose times are this close come together, in milliseconds: to put back a few at once costs hardly more than one. */
const TOGETHER = 50

/** `begun` is the sum of when the calls began, counted from `origin`; `next` is the last time that was given away. */
type Slots = { calls: number; begun: number; readonly origin: Instant; next: number; refused: number }

export class ProviderSlots {
  readonly #plan: Required<SlotsPlan>
  readonly #providers = new Map<ProviderName, Slots>()

  constructor({ size, kept = 0, soonest = millis(250) }: SlotsPlan) {
    this.#plan = { size, kept, soonest }
  }

  /** How many calls may be under way at one provider. */
  get size(): number {
    return this.#plan.size
  }

  /** A slot must be left, however the call ends. */
  enter(provider: ProviderName, caller: Caller, at: Instant): Slot {
    const slots = this.#slotsOf(provider, at)
    if (slots.calls >= this.#roomFor(caller, at)) return this.refuse(provider, at)
    const begun = at - slots.origin
    slots.calls += 1
    slots.begun += begun
    const leave = (): void => {
      slots.calls -= 1
      slots.begun -= begun
    }
    return { kind: 'slot', leave }
  }

  /** As if all slots were taken. */
  refuse(provider: ProviderName, at: Instant): Slot {
    this.#slotsOf(provider, at).refused += 1
    return { kind: 'full', until: this.#turnAfter(provider, later(at, this.#plan.soonest), at) }
  }

  /** How often somebody found no slot at a provider, or at any. */
  refused(provider?: ProviderName): number {
    if (provider !== undefined) return this.#providers.get(provider)?.refused ?? 0
    return this.#providers.values().reduce((sum, { refused }) => sum + refused, 0)
  }

  /** How many calls are under way at each provider that was ever called. */
  *calls(): Iterable<readonly [ProviderName, number]> {
    for (const [provider, { calls }] of this.#providers) yield [provider, calls]
  }

  /** A time at or after `from` at which not all others come who wait for this provider too. */
  #turnAfter(provider: ProviderName, from: Instant, at: Instant): Instant {
    const slots = this.#slotsOf(provider, at)
    const next = Math.max(from, slots.next + this.#gap(slots, at))
    // Beyond that they come in between those that have their times already.
    slots.next = next > from + LATEST ? from : next
    return instant(Math.ceil(slots.next / TOGETHER) * TOGETHER)
  }

  /** What is new never takes the last slots: those sent away before would find none for ever, and codes are in a hurry. */
  #roomFor({ lane, since }: Caller, at: Instant): number {
    const { size, kept, soonest } = this.#plan
    if (lane === 'otp') return size
    return since <= at - soonest ? size - kept : size - 2 * kept
  }

  /** Calls that each take twice as long as they have lasted by now leave a slot every so often; half of that. */
  #gap({ calls, begun, origin }: Slots, at: Instant): number {
    const age = calls === 0 ? Number.POSITIVE_INFINITY : at - origin - begun / calls
    return Math.min(Math.max(age, FASTEST) / this.#plan.size, WIDEST)
  }

  #slotsOf(provider: ProviderName, at: Instant): Slots {
    const known = this.#providers.get(provider)
    if (known !== undefined) return known
    const slots = { calls: 0, begun: 0, origin: at, next: 0, refused: 0 }
    this.#providers.set(provider, slots)
    return slots
  }
}

export type SlotDeps = Readonly<{
  clock: Clock
  /** Without, a provider is given as many calls at once as there are. */
  slots?: ProviderSlots
}>

/** A slot at the provider, or when to look again. Nothing is used up by having found none. */
export function enter(
  { slots, clock }: SlotDeps,
  state: MessageState,
  { name, hasRoom }: Pick<Provider, 'name' | 'hasRoom'>,
): Slot | undefined {
  const { lane, dueAt: since = state.updatedAt } = state
  const isCrowded = hasRoom?.() === false
  const entry = isCrowded ? slots?.refuse(name, clock()) : slots?.enter(name, { lane, since }, clock())
  return entry?.kind === 'full' ? { ...entry, until: inTime(state, entry.until) } : entry
}

/** By its deadline at the latest, so that it is said when it has passed. */
const inTime = ({ expiresAt }: MessageState, at: Instant): Instant =>
  expiresAt !== undefined && expiresAt < at ? expiresAt : at
