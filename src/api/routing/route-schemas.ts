/** The schemas of routes. */
import { type Static, Type } from 'typebox'
import type { OperatorId, ProviderName, RouteId } from '../../domain/ids.ts'
import { type Listed, MAX_WEIGHT, MOST_GIVE_UP_SECONDS, toFields } from '../../domain/routing/route-fields.ts'
import type { Route } from '../../domain/routing/routing.ts'
import { UNKNOWN_POLICIES } from '../../domain/routing/unknown.ts'
import { Enums } from '../http/enums.ts'
import { isoOrNull, namedObject, nullable, Time } from '../http/schemas.ts'

const CLOSED = { additionalProperties: false }
const DAY_SECONDS = 86_400

const named = <Name>(description: string, example: string) =>
  Type.Unsafe<Name>(Type.String({ description, pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$', examples: [example] }))

const Named = named<ProviderName>('The name of a configured provider.', 'twilio')
const Weighted = namedObject(
  'WeightedProvider',
  { name: Named, weight: Type.Integer({ minimum: 0, maximum: MAX_WEIGHT, examples: [3] }) },
  CLOSED,
)

const RetryFields = {
  delays_seconds: Type.Array(Type.Number({ minimum: 0, maximum: DAY_SECONDS }), {
    minItems: 1,
    maxItems: 100,
    description: 'The delay after the first attempt, the second and so on; the last one repeats.',
  }),
  max_attempts: Type.Integer({ minimum: 1, maximum: 100 }),
  jitter: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'The fraction by which a delay may be randomly shorter or longer.',
  }),
  failover: Type.Boolean({
    description: 'After a transient error, try the next provider now instead of the same one later.',
  }),
}

const UnknownFields = {
  wait_seconds: Type.Number({
    minimum: 0,
    maximum: DAY_SECONDS,
    description: 'How long to wait for a delivery report or a lookup result.',
    examples: [5],
  }),
  policy: Type.Enum(UNKNOWN_POLICIES, {
    title: 'UnknownOutcomeAction',
    description:
      '`hold`: wait for a delivery report or for an operator. `failover`: send with the next provider, or with the same one if there is no other. `resend`: send with the same provider again. The last two may deliver the message twice.',
    examples: ['hold'],
  }),
  give_up_seconds: Type.Number({
    minimum: 60,
    maximum: MOST_GIVE_UP_SECONDS,
    description:
      'How long after the attempt a held message fails with `OUTCOME_UNKNOWN`. Also the time after which messages fail that wait for a quota, a paused account or an unavailable provider.',
    examples: [259_200],
  }),
}

export const UnknownOutcomePolicy = namedObject('UnknownOutcomePolicy', UnknownFields)

const Fields = {
  kind: Enums.SmsType({ description: 'Only messages of this kind.' }),
  sender: Type.String({
    description: 'Only messages from this sender: a sender id, or an email address.',
    minLength: 1,
    maxLength: 254,
  }),
  prefix: Type.String({
    description:
      'Only phone numbers with this prefix or, for email, this domain and its subdomains. The longest match wins.',
    minLength: 1,
    maxLength: 253,
    examples: ['+55', 'example.com'],
  }),
  operator_id: named<OperatorId>('The mobile operator, recorded in the timeline.', 'vivo'),
  retry: Type.Partial(Type.Object(RetryFields), {
    ...CLOSED,
    title: 'RetrySettings',
    description: "The retry policy; missing fields have the channel's defaults.",
  }),
  unknown: Type.Partial(Type.Object(UnknownFields), {
    ...CLOSED,
    title: 'UnknownOutcomeSettings',
    description:
      'What to do when the outcome of an attempt is unknown. Defaults by lane: one-time codes wait 5 seconds and fail over; others wait 5 seconds and hold. All give up after 72 hours.',
  }),
}

const Channel = Enums.Channel({ description: 'The channel of the messages.' })
const Providers = Type.Array(Type.Unsafe<Listed>(Type.Union([Named, Weighted])), {
  minItems: 1,
  maxItems: 50,
  description:
    'Either names in order of preference, or all with weights: then each message draws its first provider by weight, and the others are fallbacks. A provider with weight 0 is only a fallback.',
  examples: [
    [
      { name: 'twilio', weight: 3 },
      { name: 'messagebird', weight: 1 },
    ],
  ],
})

const Id = named<RouteId>('Shown in timelines. Generated if not given.', 'brazil')

export const RouteCreate = namedObject(
  'CreateRouteRequest',
  {
    id: Type.Optional(Id),
    channel: Channel,
    ...Type.Partial(Type.Object(Fields)).properties,
    providers: Providers,
  },
  { ...CLOSED, examples: [{ id: 'brazil', channel: 'sms', prefix: '+55', providers: ['twilio', 'messagebird'] }] },
)
export type RouteCreate = Static<typeof RouteCreate>

/** Null removes a field. */
export const RouteUpdate = Type.Partial(
  Type.Object({
    kind: nullable(Fields.kind),
    sender: nullable(Fields.sender),
    prefix: nullable(Fields.prefix),
    operator_id: nullable(Fields.operator_id),
    providers: Providers,
    retry: nullable(Fields.retry),
    unknown: nullable(Fields.unknown),
  }),
  { title: 'UpdateRouteRequest', ...CLOSED, minProperties: 1, examples: [{ prefix: '+5511', retry: null }] },
)
export type RouteUpdate = Static<typeof RouteUpdate>

export const RouteView = namedObject('Route', {
  id: Id,
  source: Type.Enum(['api', 'file', 'built_in'], {
    title: 'RouteSource',
    description: "Routes of the operator's `file` cannot be changed here. `built_in` is the route of test mode.",
  }),
  channel: Channel,
  kind: nullable(Fields.kind),
  sender: nullable(Fields.sender),
  prefix: nullable(Fields.prefix),
  operator_id: nullable(Fields.operator_id),
  providers: Providers,
  retry: nullable(namedObject('RetryPolicy', RetryFields)),
  unknown: nullable(Fields.unknown),
  created_at: nullable(Type.Unsafe<string>({ ...Time, description: 'Null for a route of the file.' })),
  updated_at: nullable(Time),
})

export function toRouteView(route: Route): Static<typeof RouteView> {
  const { own } = route
  return {
    ...NO_CONDITIONS,
    ...toFields(route),
    source: own === undefined ? 'file' : 'api',
    created_at: isoOrNull(own?.createdAt),
    updated_at: isoOrNull(own?.updatedAt),
  }
}

const NO_CONDITIONS = { kind: null, sender: null, prefix: null, operator_id: null, retry: null, unknown: null }
