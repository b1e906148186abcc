/** What a route is made of in the API, and how one is shown. */
import { type Static, Type } from 'typebox'
import type { OperatorId, ProviderName, RouteId } from '../../domain/ids.ts'
import { CHANNELS } from '../../domain/message/message.ts'
import { HEAVIEST, type Listed, MOST_GIVE_UP_SECONDS, toFields } from '../../domain/routing/route-fields.ts'
import type { Route } from '../../domain/routing/routing.ts'
import { UNKNOWN_POLICIES } from '../../domain/routing/unknown.ts'
import { toIso } from '../../lib/time.ts'
import { nullable, Time } from '../http/schemas.ts'

const CLOSED = { additionalProperties: false }
const DAY_SECONDS = 86_400

const named = <Name>(description: string, example: string) =>
  Type.Unsafe<Name>(Type.String({ description, pattern: '^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$', examples: [example] }))

const Named = named<ProviderName>('A provider that is set up.', 'twilio')
const Weighted = Type.Object(
  { name: Named, weight: Type.Integer({ minimum: 0, maximum: HEAVIEST, examples: [3] }) },
  CLOSED,
)

const Waits = {
  delays_seconds: Type.Array(Type.Number({ minimum: 0, maximum: DAY_SECONDS }), {
    minItems: 1,
    maxItems: 100,
    description: 'The waits after the first attempt, the second and so on; the last one repeats.',
  }),
  max_attempts: Type.Integer({ minimum: 1, maximum: 100 }),
  jitter: Type.Number({
    minimum: 0,
    maximum: 1,
    description: 'The share by which a wait may be shorter or longer.',
  }),
  failover: Type.Boolean({
    description: 'After a transient error, try the next provider at once instead of the same one later.',
  }),
}

export const Unknown = {
  wait_seconds: Type.Number({
    minimum: 0,
    maximum: DAY_SECONDS,
    description: 'How long to wait for evidence: a receipt, or a look-up.',
    examples: [5],
  }),
  policy: Type.Enum(UNKNOWN_POLICIES, {
    description:
      '`hold` waits until evidence comes or a person decides. `failover` sends it by the next provider, or by the same one where there is no other. `resend` sends it again. Either of these may deliver it twice.',
    examples: ['hold'],
  }),
  give_up_seconds: Type.Number({
    minimum: 60,
    maximum: MOST_GIVE_UP_SECONDS,
    description:
      'How long after the attempt a held message fails with `OUTCOME_UNKNOWN`. Messages that wait for a quota, a paused account or a provider that is down give up after as long.',
    examples: [259_200],
  }),
}

const Fields = {
  kind: Type.Enum(['sms', 'flash_sms'], { description: 'Only SMS of this kind.' }),
  sender: Type.String({
    description: 'Only messages from this sender: a sender id, or for email an address.',
    minLength: 1,
    maxLength: 254,
  }),
  prefix: Type.String({
    description:
      'Only messages to numbers that begin so, or for email to this domain and those below it; of several routes the longest wins.',
    minLength: 1,
    maxLength: 253,
    examples: ['+55', 'example.com'],
  }),
  operator_id: named<OperatorId>('The operator behind it, for the timeline.', 'vivo'),
  retry: Type.Partial(Type.Object(Waits), {
    ...CLOSED,
    description: "How to retry; what is missing is the channel's own.",
  }),
  unknown: Type.Partial(Type.Object(Unknown), {
    ...CLOSED,
    description:
      'What to do when it is unknown whether the provider has a message. What is missing goes by the lane: one-time codes wait 5 s and fail over, others wait 5 s and hold; all give up after 72 hours.',
  }),
}

const Channel = Type.Enum(CHANNELS, { description: 'The channel of its messages.' })
const Providers = Type.Array(Type.Unsafe<Listed>(Type.Union([Named, Weighted])), {
  minItems: 1,
  maxItems: 50,
  description:
    'By their names, in order of preference. Or all with weights: then each message draws its first by weight, the others follow by theirs, and one of weight 0 only stands in for them.',
  examples: [
    [
      { name: 'twilio', weight: 3 },
      { name: 'messagebird', weight: 1 },
    ],
  ],
})

const Id = named<RouteId>('What timelines call it; one is made where it is missing.', 'brazil')

export const Addition = Type.Object(
  {
    id: Type.Optional(Id),
    channel: Channel,
    ...Type.Partial(Type.Object(Fields)).properties,
    providers: Providers,
  },
  { ...CLOSED, examples: [{ id: 'brazil', channel: 'sms', prefix: '+55', providers: ['twilio', 'messagebird'] }] },
)
export type Addition = Static<typeof Addition>

/** Null takes a field away. */
export const Changes = Type.Partial(
  Type.Object({
    kind: nullable(Fields.kind),
    sender: nullable(Fields.sender),
    prefix: nullable(Fields.prefix),
    operator_id: nullable(Fields.operator_id),
    providers: Providers,
    retry: nullable(Fields.retry),
    unknown: nullable(Fields.unknown),
  }),
  { ...CLOSED, minProperties: 1, examples: [{ prefix: '+5511', retry: null }] },
)
export type Changes = Static<typeof Changes>

export const ShownRoute = Type.Object({
  id: Id,
  source: Type.Enum(['api', 'file'], { description: 'Those of the operator’s file cannot be changed here.' }),
  channel: Channel,
  kind: nullable(Fields.kind),
  sender: nullable(Fields.sender),
  prefix: nullable(Fields.prefix),
  operator_id: nullable(Fields.operator_id),
  providers: Providers,
  retry: nullable(Type.Object(Waits)),
  unknown: nullable(Fields.unknown),
  created_at: nullable(Type.Unsafe<string>({ ...Time, description: 'Null for one of the file.' })),
  updated_at: nullable(Time),
})

export function toShown(route: Route): Static<typeof ShownRoute> {
  const { own } = route
  return {
    ...NONE,
    ...toFields(route),
    source: own === undefined ? 'file' : 'api',
    created_at: own === undefined ? null : toIso(own.createdAt),
    updated_at: own === undefined ? null : toIso(own.updatedAt),
  }
}

const NONE = { kind: null, sender: null, prefix: null, operator_id: null, retry: null, unknown: null }
