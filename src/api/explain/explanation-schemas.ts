/** The explanation of a message: sentences, and the data that they were made from. */
import { type Static, Type } from 'typebox'
import { ACTIONS } from '../../domain/explanation/actions.ts'
import { SITUATIONS } from '../../domain/explanation/situation.ts'
import { BLAMES } from '../../domain/message/error-blame.ts'
import { UNKNOWN_POLICIES } from '../../domain/routing/unknown.ts'
import { Enums } from '../http/enums.ts'
import { MessageIdText, namedObject, nullable, Time } from '../http/schemas.ts'
import { MessageError } from '../messages/message-schemas.ts'
import { LaneDepth } from '../operations/queue.ts'
import { LimitStanding, ProviderStandingView, QuotaStanding, timeOf } from './standing-schemas.ts'

const Reason = namedObject('ExplanationReason', {
  text: Type.String({
    description: 'One sentence.',
    examples: ['Attempt 1 with twilio failed: The provider is temporarily unavailable.'],
  }),
  at: Type.Optional(timeOf('When it happened; missing for what holds now.')),
  event_type: Type.Optional(Type.String({ description: 'The event that it tells of.', examples: ['RetryScheduled'] })),
  provider: Type.Optional(Type.String({ examples: ['twilio'] })),
  error_code: Type.Optional(Type.String({ examples: ['SERVICE_UNAVAILABLE'] })),
})

const Next = namedObject('ExplanationNext', {
  text: Type.String({ examples: ['Pombo tries again, attempt 2 of 5, when a provider can be called.'] }),
  at: nullable(timeOf('When it happens at the latest, as far as that is known.')),
})

const Action = namedObject('ExplanationAction', {
  action: Type.Enum(ACTIONS, { title: 'ExplanationActionName' }),
  text: Type.String({ description: 'What it does, and why.', examples: ['Wait: Pombo goes on by itself.'] }),
  method: Type.Optional(Type.Enum(['POST', 'PATCH', 'DELETE', 'GET'], { title: 'ActionMethod' })),
  path: Type.Optional(
    Type.String({ description: 'The call that does it.', examples: ['/v1/providers/twilio/breaker'] }),
  ),
  body: Type.Optional(
    Type.Record(Type.String(), Type.Unknown(), { description: 'The body of the call, if it takes one.' }),
  ),
  scope: Type.Optional(Enums.Scope({ description: 'The scope that the call needs.' })),
  allowed: Type.Boolean({ description: 'Whether you may make the call. True for what needs no call.' }),
})

const ExplainedError = namedObject('ExplainedError', {
  ...MessageError.properties,
  blame: Type.Enum(BLAMES, {
    title: 'ErrorBlame',
    description:
      'What caused the error: the `message`, its `recipient`, your `account` with the provider and its settings, the `provider`, or `pombo`.',
  }),
})

const UnknownOutcome = namedObject('UnknownOutcomeStanding', {
  policy: Type.Enum(UNKNOWN_POLICIES, { title: 'UnknownOutcomeAction' }),
  provider_can_be_asked: Type.Boolean({ description: 'Whether Pombo can look the attempt up with the provider.' }),
  next_check_at: Time,
  gives_up_at: timeOf('When the message is given up and counts as failed.'),
})

const AwaitedReport = namedObject('AwaitedReport', {
  waiting_since: Time,
  provider_reports: nullable(
    Type.Enum(['callback', 'connection', 'never'], { title: 'DeliveryReportSource', description: 'How it reports.' }),
  ),
  provider_can_be_asked: Type.Boolean(),
  next_poll_at: Time,
  times_out_at: timeOf('When Pombo stops waiting and the message expires.'),
})

const ExplainedRoute = namedObject('ExplainedRoute', {
  id: Type.String({ examples: ['brazil'] }),
  providers: Type.Array(ProviderStandingView, { description: 'In the order in which the message tries them.' }),
})

const ExplanationData = namedObject('ExplanationData', {
  checked_at: Time,
  channel: Enums.Channel(),
  lane: Enums.Lane(),
  handoff_state: Enums.HandoffState(),
  provider_state: Enums.ProviderState(),
  unknown: Type.Boolean(),
  dead_letter: Type.Boolean(),
  erased: Type.Boolean(),
  tenant_suspended: Type.Boolean(),
  cycle: Type.Integer(),
  attempts: Type.Integer({ description: 'Over the whole life of the message.' }),
  attempts_in_cycle: Type.Integer({ description: 'Those that count in this cycle.' }),
  max_attempts: Type.Integer({ description: 'How many attempts the cycle has.' }),
  provider: nullable(Type.String({ description: 'Of the newest attempt.' })),
  excluded_providers: Type.Array(Type.String(), { description: 'Not tried again in this cycle.' }),
  avoided_providers: Type.Array(Type.String(), { description: 'Tried last.' }),
  created_at: Time,
  due_at: nullable(Time),
  expires_at: nullable(Time),
  handed_off_at: nullable(Time),
  ended_at: nullable(Time),
  took_ms: nullable(
    Type.Integer({ description: 'From the beginning of the cycle to the handoff, or to the delivery.' }),
  ),
  route: nullable(ExplainedRoute),
  queue: nullable(LaneDepth),
  unknown_outcome: nullable(UnknownOutcome),
  report: nullable(AwaitedReport),
  limits: nullable(
    Type.Array(LimitStanding, {
      description: 'Those that a resend would count against. Null while the message is in progress.',
    }),
  ),
  quotas: nullable(
    Type.Array(QuotaStanding, { description: 'Those that a resend would meet. Null while it is in progress.' }),
  ),
})

export const Explanation = namedObject('MessageExplanation', {
  message_id: MessageIdText,
  status: Enums.MessageStatus(),
  situation: Type.Enum(SITUATIONS, {
    title: 'MessageSituation',
    description: 'Where the message stands. Later releases may add values.',
  }),
  summary: Type.String({
    description: 'One sentence.',
    examples: [
      'Waiting for twilio: its circuit breaker has been open since 12:03:10 UTC; the next try is at 12:03:40 UTC or when it closes.',
    ],
  }),
  reasons: Type.Array(Reason, { description: 'Oldest first; what holds now comes last.' }),
  next: nullable(Next),
  actions: Type.Array(Action, { description: 'What a person can do, the most useful first.' }),
  error: nullable(ExplainedError),
  data: ExplanationData,
})
export type Explanation = Static<typeof Explanation>
