/**
 * Since when a message waits for what may never come by itself: for a worker, or for a word of its provider.
 * Every index keeps both times, and all that is asked of it goes by them.
 */

import type { Instant } from '../../lib/time.ts'
import type { MessageState } from './state.ts'
import { isHandoffOver, isProviderOver } from './states.ts'

/**
 * Counted from the hand-off, whatever is heard of the message on the way: a provider that says `accepted` again
 * and again, or an erasure, does not put off the next question. Of one that never tells, nothing is awaited.
 */
export const silentSince = (state: MessageState): Instant | undefined =>
  state.handoffState === 'handed_off' && !isProviderOver(state.providerState) && state.noDeliveryReports !== true
    ? (state.handedOffAt ?? state.updatedAt)
    : undefined

/** From when its next work was due. */
export const stalledSince = ({ handoffState, dueAt, updatedAt }: MessageState): Instant | undefined =>
  isHandoffOver(handoffState) ? undefined : (dueAt ?? updatedAt)
