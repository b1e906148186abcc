/**
 * A person resolves an attempt whose outcome is unknown. The append decides: a receipt, a look-up, the route's policy
 * or another person that was faster is never overruled.
 */
import type { AccountId, MessageId, TenantId, TraceId } from '../../domain/ids.ts'
import { isUnresolved, type MessageState } from '../../domain/message/state.ts'
import { toStatus } from '../../domain/message/states.ts'
import { isExpired } from '../../domain/message/step.ts'
import { notFound, type Refusal, refuse } from '../errors.ts'
import { advance, type Decision, type RecordDeps, toSeen } from '../record.ts'
import { type Routes, retryPolicyFor } from '../send/find-route.ts'

/** `sent`: the provider has it. `not_sent`: it does not. `resend`: send again and accept a possible duplicate. */
export const RESOLUTIONS = ['sent', 'not_sent', 'resend'] as const
export type Resolution = (typeof RESOLUTIONS)[number]

export type ResolveUnknownDeps = RecordDeps & Readonly<{ routes: Routes }>

export type ResolveUnknown = Readonly<{
  tenantId: TenantId
  /** The account on whose behalf the person decides. */
  accountId: AccountId
  id: MessageId
  as: Resolution
  traceId: TraceId
}>

/** The state that the message has then. */
export async function resolveUnknown(deps: ResolveUnknownDeps, request: ResolveUnknown): Promise<MessageState> {
  const latest = await deps.log.latest(request.id)
  if (latest?.event.state.tenantId !== request.tenantId) throw notFound('message', request.id)

  // A resolution applies to one attempt and not to a newer one, even if that is unknown too.
  const { cycle, attempt } = latest.event.state
  const { seen, recorded } = await advance(deps, toSeen(latest), (state) =>
    state.phase === 'unknown' && state.cycle === cycle && state.attempt === attempt
      ? { ...decide(deps, state, request), traceId: request.traceId }
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
const RESEND = {
  code: 'RESOLVED_RESEND',
  detail: 'a person requested another attempt and accepts a possible duplicate',
}

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

/** At once, and within the current cycle while it is open and has attempts left. */
function again({ clock, routes }: ResolveUnknownDeps, state: MessageState, resolvedBy: AccountId): Decision {
  const now = clock()
  if (state.erased) throw refuse('CONFLICT', 'The content of the message was erased; resolve it as sent or not_sent')
  if (isExpired(state, now))
    throw refuse('CONFLICT', 'The expires_at of the message has passed; resolve it as sent or not_sent')
  const isLast =
    isUnresolved(state) || state.attempt - state.attemptsBefore >= retryPolicyFor(routes, state).maxAttempts
  return {
    fact: isLast
      ? { kind: 'ResendRequested', by: 'person', resolvedBy }
      : { kind: 'RetryScheduled', ...RESEND, dueAt: now, resolvedBy },
    jobAt: 'now',
  }
}
