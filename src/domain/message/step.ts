/**
 * What a worker has to do next, decided by the message's state alone. The job is only a hint: it may come early, twice,
 * or after the work is done.
 */

import { type Instant, later, type Millis } from '../../lib/time.ts'
import type { MessageState } from './state.ts'
import { isHandoffOver } from './states.ts'

export type Step =
  | Readonly<{ kind: 'attempt' }>
  /** An attempt was begun and its owner has died: the provider may or may not have the message. */
  | Readonly<{ kind: 'unknown' }>
  | Readonly<{ kind: 'reconcile' }>
  | Readonly<{ kind: 'expire' }>
  | Readonly<{ kind: 'wait'; until: Instant }>
  | Readonly<{ kind: 'done' }>

export type Worker = Readonly<{
  /** The unique name of this process. */
  owner: string
  /** After this time another owner's open attempt counts as abandoned. */
  lease: Millis
  /** This is the only process, so another owner's open attempt is already abandoned. */
  alone: boolean
}>

export function nextStep(state: MessageState, worker: Worker, now: Instant): Step {
  if (isHandoffOver(state.handoffState) || state.providerState === 'delivered') return { kind: 'done' }
  if (state.phase === 'open') return whenOpen(state, worker, now)
  if (isExpired(state, now)) return { kind: state.phase === 'unknown' ? 'reconcile' : 'expire' }
  if (state.dueAt !== undefined && state.dueAt > now) return { kind: 'wait', until: state.dueAt }
  return { kind: state.phase === 'unknown' ? 'reconcile' : 'attempt' }
}

function whenOpen(state: MessageState, { owner, lease, alone }: Worker, now: Instant): Step {
  const until = later(state.attemptedAt ?? state.updatedAt, lease)
  const abandoned = alone && state.owner !== owner
  return abandoned || until <= now ? { kind: 'unknown' } : { kind: 'wait', until }
}

export const isExpired = ({ expiresAt }: MessageState, now: Instant): boolean =>
  expiresAt !== undefined && expiresAt <= now
