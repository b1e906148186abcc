/**
 * What a worker that holds a job has to do next, by the message's state alone. The job is only a
 * hint: it may come early, twice, or after the work is done.
 */

import { type Instant, later, type Millis } from '../../lib/time.ts'
import type { MessageState } from './state.ts'
import { isHandoffOver } from './states.ts'

export type Step =
  | Readonly<{ kind: 'attempt' }>
  /** An attempt was begun and its owner is gone: it may or may not have reached the provider. */
  | Readonly<{ kind: 'unknown' }>
  | Readonly<{ kind: 'reconcile' }>
  | Readonly<{ kind: 'expire' }>
  | Readonly<{ kind: 'wait'; until: Instant }>
  | Readonly<{ kind: 'done' }>

export type Worker = Readonly<{
  /** The name of this process among those that share the work. */
  owner: string
  /** After this long an open attempt of another owner counts as abandoned. */
  lease: Millis
  /** Nobody else shares the work, so another owner's open attempt is abandoned already. */
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
