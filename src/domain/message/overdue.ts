/**
 * Since when a message has been waiting for a worker or for a report of its provider. Every index stores both times and
 * answers `overdue` by them.
 */

import type { Instant } from '../../lib/time.ts'
import type { MessageState } from './state.ts'
import { isHandoffOver, isProviderOver } from './states.ts'

/**
 * Counted from the handoff: repeated `accepted` reports or an erasure do not postpone the next poll. A provider without
 * delivery reports is not waited for.
 */
export const silentSince = (state: MessageState): Instant | undefined =>
  state.handoffState === 'handed_off' && !isProviderOver(state.providerState) && state.noDeliveryReports !== true
    ? (state.handedOffAt ?? state.updatedAt)
    : undefined

/** From when its work was due. */
export const stalledSince = ({ handoffState, dueAt, updatedAt }: MessageState): Instant | undefined =>
  isHandoffOver(handoffState) ? undefined : (dueAt ?? updatedAt)
