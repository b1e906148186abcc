/** Explains a message: why it stands where it stands, what is next, and what a person can do. */
import type { Caller } from '../../domain/access/caller.ts'
import type { Action } from '../../domain/explanation/actions.ts'
import { attemptsCounted, reportWaitOf, tookOf, unknownWaitOf } from '../../domain/explanation/numbers.ts'
import type { Reason } from '../../domain/explanation/reasons.ts'
import { blameOf } from '../../domain/message/error-blame.ts'
import { maskRecipient } from '../../domain/message/searchable.ts'
import { toStatus } from '../../domain/message/states.ts'
import { type Explained, type ExplainMessageDeps, explainMessage } from '../../flows/explain/explain-message.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { toIso } from '../../lib/time.ts'
import { allows, type Guard, mayOperate } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { isoOrNull, MESSAGE_ID, MessageParams, responses } from '../http/schemas.ts'
import { type FindDeps, type FoundMessage, findMessage } from '../messages/find-message.ts'
import { toError } from '../messages/views.ts'
import { EXPLANATION_EXAMPLE } from './explanation-example.ts'
import { Explanation } from './explanation-schemas.ts'
import { toLimitStanding, toProviderViews, toQuotaStanding } from './standing-views.ts'

export type ExplainDeps = ExplainMessageDeps & FindDeps & Readonly<{ guard: Guard }>

export function explainRoutes(app: Api, deps: ExplainDeps): void {
  const options = { schema: EXPLAIN, onRequest: deps.guard('messages:read'), config: { answer: 'one' } } as const
  app.get('/v1/messages/:id/explain', options, async (request) => {
    const caller = callerOf(request)
    const found = await findMessage(deps, caller, request.params.id)
    return toView(caller, found, await explainMessage(deps, found))
  })
}

function toView(caller: Caller, found: FoundMessage, explained: Explained): Explanation {
  const { state } = found
  const { situation, summary, reasons, next, actions } = explained.explanation
  const error = toError(state)
  return {
    message_id: state.id,
    status: toStatus(state),
    situation,
    summary,
    reasons: reasons.map(toReason),
    next: next === undefined ? null : { text: next.text, at: isoOrNull(next.at) },
    actions: actions.map((action) => toAction(caller, action)),
    error: error && { ...error, blame: blameOf(error.code) },
    data: { ...toStateData(explained), ...toSurroundings(found, explained) },
  }
}

const toReason = ({ text, at, eventType, provider, errorCode }: Reason) => ({
  text,
  ...omitUndefined({
    at: at === undefined ? undefined : toIso(at),
    event_type: eventType,
    provider,
    error_code: errorCode,
  }),
})

function toAction(caller: Caller, { action, text, call }: Action) {
  if (call === undefined) return { action, text, allowed: true }
  const { method, path, body, scope } = call
  const allowed = scope === 'operator' ? mayOperate(caller) : allows(caller, scope)
  return { action, text, method, path, ...omitUndefined({ body: body && { ...body } }), scope, allowed }
}

function toStateData({ circumstances }: Explained) {
  const { state, now, maxAttempts, isSuspended } = circumstances
  return {
    checked_at: toIso(now),
    channel: state.channel,
    lane: state.lane,
    handoff_state: state.handoffState,
    provider_state: state.providerState,
    unknown: state.phase === 'unknown',
    dead_letter: state.dead,
    erased: state.erased,
    tenant_suspended: isSuspended,
    cycle: state.cycle,
    attempts: state.attempt,
    attempts_in_cycle: attemptsCounted(circumstances),
    max_attempts: maxAttempts,
    provider: state.provider ?? null,
    excluded_providers: [...(state.excluded ?? [])],
    avoided_providers: [...(state.avoided ?? [])],
    created_at: toIso(state.createdAt),
    due_at: isoOrNull(state.dueAt),
    expires_at: isoOrNull(state.expiresAt),
    handed_off_at: isoOrNull(state.handedOffAt),
    ended_at: isoOrNull(state.endedAt),
    took_ms: tookOf(circumstances) ?? null,
  }
}

function toSurroundings({ content, searchable }: FoundMessage, { circumstances, depth, limits, quotas }: Explained) {
  const { route, providers, now } = circumstances
  const masked = content === undefined ? searchable?.to : maskRecipient(content)
  return {
    route: typeof route === 'object' ? { id: route.id, providers: toProviderViews(providers, now) } : null,
    queue: depth === undefined ? null : toLane(depth),
    unknown_outcome: toUnknown({ circumstances }),
    report: toAwaited({ circumstances }),
    limits: limits === undefined ? null : limits.map((status) => toLimitStanding(status, masked, now)),
    quotas: quotas === undefined ? null : quotas.map(toQuotaStanding),
  }
}

const toLane = ({ lane, ready, delayed, parked, taken }: NonNullable<Explained['depth']>) => ({
  lane,
  ready,
  delayed,
  parked,
  taken,
})

function toUnknown({ circumstances }: Pick<Explained, 'circumstances'>) {
  const wait = unknownWaitOf(circumstances)
  if (wait === undefined) return null
  const { unknownRule, asked } = circumstances
  return {
    policy: unknownRule.policy,
    provider_can_be_asked: asked?.canBeAsked === true,
    next_check_at: toIso(wait.nextCheckAt),
    gives_up_at: toIso(wait.givesUpAt),
  }
}

function toAwaited({ circumstances }: Pick<Explained, 'circumstances'>) {
  const wait = reportWaitOf(circumstances)
  if (wait === undefined) return null
  const { asked } = circumstances
  return {
    waiting_since: toIso(wait.since),
    provider_reports: asked?.reports ?? null,
    provider_can_be_asked: asked?.canBeAsked === true,
    next_poll_at: toIso(wait.nextPollAt),
    times_out_at: toIso(wait.timesOutAt),
  }
}

const EXPLAIN = {
  operationId: 'explainMessage',
  tags: ['messages'],
  summary: 'Explain a message',
  description:
    'Why the message stands where it stands, what is next and when, and what a person can do: in sentences, and as the data that they were made from. It names no recipient and quotes no text. The id of a one-time code is that of its message, so it works for codes, too.',
  params: MessageParams,
  response: responses(
    {
      200: {
        description: 'The explanation.',
        schema: Explanation,
        example: { message_id: MESSAGE_ID, ...EXPLANATION_EXAMPLE },
      },
    },
    'NOT_FOUND',
  ),
}
