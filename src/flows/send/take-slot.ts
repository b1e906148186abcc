/** Takes a slot at a provider for one call, or finds out when to look for one again. Finding none costs no attempt. */

import type { MessageState } from '../../domain/message/state.ts'
import type { ProviderSlots, Slot } from '../../domain/routing/provider-slots.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Instant } from '../../lib/time.ts'
import type { Provider } from '../../ports/provider.ts'

export type TakeSlotDeps = Readonly<{
  clock: Clock
  /** Without it, the number of concurrent calls per provider is unlimited. */
  slots?: ProviderSlots
}>

export function takeSlot(
  { slots, clock }: TakeSlotDeps,
  state: MessageState,
  { name, hasRoom }: Pick<Provider, 'name' | 'hasRoom'>,
): Slot | undefined {
  const { lane, dueAt: since = state.updatedAt } = state
  const isFull = hasRoom?.() === false
  const slot = isFull ? slots?.refuse(name, clock()) : slots?.enter(name, { lane, since }, clock())
  return slot?.kind === 'full' ? { ...slot, until: byDeadline(state, slot.until) } : slot
}

/** No later than the message's deadline, so that expiry is recorded in time. */
export const byDeadline = ({ expiresAt }: MessageState, at: Instant): Instant =>
  expiresAt !== undefined && expiresAt < at ? expiresAt : at
