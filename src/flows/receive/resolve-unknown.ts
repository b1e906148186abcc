/**
 * A person settles an attempt that nobody knows the outcome of. Winning the append decides: whoever was
 * faster (a receipt, a look-up, the route's policy, another person) is never overruled.
 */
import type { AccountId, MessageId, TenantId, TraceId } from '../../domain/ids.ts'
import { isUnresolved, type MessageState } from '../../domain/message/state.ts'
import { toStatus } from '../../domain/message/states.ts'
import { isExpired } from '../../domain/message/step.ts'
import { notFound, type Refusal, refuse } from '../errors.ts'
import { advance, type RecordDeps, toSeen } from '../record.ts'
import type { Decision } from '../send/decide.ts'
import { type Routes, retryOf } from '../send/routes.ts'

/** The provider has it; the provider certainly does not; it may be sent twice, and that is accepted. */
export const RESOLUTIONS = ['sent', 'not_sent', 'resend'] as const
export type Resolution = (typeof RESOLUTIONS)[number]

export type ResolveUnknownDeps = RecordDeps & Readonly<{ routes: Routes }>

export type ResolveUnknown = Readonly<{
  tenantId: TenantId
  /** In whose name the person decides. */
  accountId: AccountId
  id: MessageId
  as: Resolution
  traceId: TraceId
}>

/** The state that the message has then. */
export async function resolveUnknown(deps: ResolveUnknownDeps, wish: ResolveUnknown): Promise<MessageState> {
  const latest = await deps.log.latest(wish.id)
  if (latest?.event.state.tenantId !== wish.tenantId) throw notFound('message', wish.id)

  // What was decided of one attempt does not hold for the next, though that may be with an unknown outcome as well.
  const { cycle, attempt } = latest.event.state
  const { seen, recorded } = await advance(deps, toSeen(latest), (state) =>
    state.phase === 'unknown' && state.cycle === cycle && state.attempt === attempt
      ? { ...decide(deps, state, wish), traceId: wish.traceId }
      : undefined,
  )
  if (!recorded) throw notUnknown(seen.state)
  return seen.state
}

const notUnknown = (state: MessageState): Refusal =>
  state.phase === 'unknown'
    ? refuse('CONFLICT', 'The message has a newer attempt with an unknown outcome; get the message before resolving it')
    : refuse(
        'CONFLICT',
        `The outcome of the message is known: its status is ${toStatus(state)}; only unknown outcomes can be resolved`,
      )

const NOT_SENT = { code: 'RESOLVED_NOT_SENT', detail: 'a person says that the provider does not have it' }
const RESEND = { code: 'RESOLVED_RESEND', detail: 'a person wants it sent again, though it may arrive twice' }

function decide(
  deps: ResolveUnknownDeps,
  state: MessageState,
  { as, accountId: resolvedBy }: ResolveUnknown,
): Decision {
  switch (as) {
    case 'sent':
      return { fact: { kind: 'HandoffAccepted', by: 'person', resolvedBy } }
    case 'not_sent':
      return { fact: { kind: 'HandoffFailed', ...NOT_SENT, resolvedBy } }
    case 'resend':
      return again(deps, state, resolvedBy)
  }
}

/** At once, and within the cycle while that is not over and has attempts left. */
function again({ clock, routes }: ResolveUnknownDeps, state: MessageState, resolvedBy: AccountId): Decision {
  const now = clock()
  if (state.erased) throw refuse('CONFLICT', 'The content of the message was erased; resolve it as sent or not_sent')
  if (isExpired(state, now))
    throw refuse('CONFLICT', 'The expires_at of the message has passed; resolve it as sent or not_sent')
  const isLast = isUnresolved(state) || state.attempt - state.attemptsBefore >= retryOf(routes, state).maxAttempts
  return {
    fact: isLast
      ? { kind: 'ResendRequested', by: 'person', resolvedBy }
      : { kind: 'RetryScheduled', ...RESEND, dueAt: now, resolvedBy },
    jobAt: 'now',
  }
}
