/**
 * A provider refuses an attempt after we stopped waiting for its answer. That settles an unknown outcome: the provider
 * does not have the message. It counts only while the outcome of that very attempt is unknown.
 */

import { isUnresolved, type MessageState } from '../../domain/message/state.ts'
import { afterFailure, RETRY } from '../../domain/routing/retry.ts'
import { millis } from '../../lib/time.ts'
import type { Recorded } from '../../ports/event-log.ts'
import type { Receipt } from '../../ports/provider.ts'
import { advance, type RecordDeps, toSeen } from '../record.ts'
import type { Decision } from '../send/decide.ts'
import { type Routes, retryOf } from '../send/routes.ts'

/** Without `routes`, the retry policy is the default of the channel. */
export type RefuseLateDeps = RecordDeps & Readonly<{ routes?: Routes }>

export async function refuseLate(deps: RefuseLateDeps, latest: Recorded, receipt: Receipt): Promise<void> {
  const { ref, code = 'NOT_RECEIVED', detail = 'the provider says that it did not take the attempt' } = receipt
  await advance(deps, toSeen(latest), (state) =>
    state.phase === 'unknown' && state.cycle === ref.cycle && state.attempt === ref.attempt
      ? decide(deps, state, { code, detail })
      : undefined,
  )
}

type Reason = Readonly<{ code: string; detail: string }>

/** The middle of the jitter: late refusals are spread over time as it is. */
const ROLL = 0.5

/** A message that was given up on stays failed, and it is known why. An erased one has nothing left to send. */
function decide({ clock, routes }: RefuseLateDeps, state: MessageState, reason: Reason): Decision {
  if (isUnresolved(state) || state.erased) return { fact: { kind: 'HandoffFailed', ...reason } }
  const { attempt, attemptsBefore, channel, expiresAt } = state
  const failure = {
    attempts: attempt - attemptsBefore,
    endedAt: clock(),
    retryAfter: millis(0),
    ...(expiresAt === undefined ? {} : { expiresAt }),
  }
  const policy = routes === undefined ? RETRY[channel] : retryOf(routes, state)
  const next = afterFailure(failure, policy, ROLL)
  switch (next.kind) {
    case 'exhausted':
      return { fact: { kind: 'DeadLettered', ...reason } }
    case 'expired':
      return { fact: { kind: 'MessageExpired' } }
    case 'retry':
      return { fact: { kind: 'RetryScheduled', ...reason, dueAt: next.at }, jobAt: next.at }
  }
}
