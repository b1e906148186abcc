/** What may stand in the file named by POMBO_CONFIG: a description per key, and how a right value reads. */
import { type Static, type TObject, Type } from 'typebox'
import {
  type OperatorId,
  type ProviderName,
  parseOperatorId,
  parseProviderName,
  parseRouteId,
  parseTenantId,
  type RouteId,
  type TenantId,
} from '../domain/ids.ts'
import { CHANNELS, type Channel } from '../domain/message/message.ts'
import { HEAVIEST, type Listed, MOST_GIVE_UP_SECONDS } from '../domain/routing/route-fields.ts'
import { UNKNOWN_POLICIES } from '../domain/routing/unknown.ts'
import { REGISTRY, type RegisteredKind } from '../providers/registry.ts'

/** What each schema of the file carries: `must` ends the sentence "… must be". */
export type FileNote = Readonly<{ must: string; description: string }>

const CLOSED = { additionalProperties: false }

const named = <Name>(parse: (text: string) => Name | undefined, description: string) =>
  Type.Unsafe<Name>(
    Type.Refine(
      Type.String({ description, must: 'a name of at most 64 letters, digits, - or _' }),
      (text) => parse(text) !== undefined,
    ),
  )
const choice = <Values extends string[]>(values: readonly [...Values], description: string) =>
  Type.Enum(values, { description, must: values.join(', ').replace(/, (?=[^,]*$)/, ' or ') })
const amount = (minimum: number, maximum: number, description: string) =>
  Type.Number({ minimum, maximum, description, must: `a number from ${minimum} to ${maximum}` })
const HOUR_MS = 3_600_000

const SimulatorSchema = Type.Object(
  {
    receipt_delay_ms: Type.Optional(amount(0, HOUR_MS, 'How long a receipt takes.')),
    latency_ms: Type.Optional(amount(0, HOUR_MS, 'How long an answer takes.')),
    error_rate: Type.Optional(amount(0, 1, 'The share of attempts that meet a transient error.')),
  },
  { ...CLOSED, must: 'an object' },
)
export type FileSimulator = Static<typeof SimulatorSchema>

/** What a kind of provider is, and what it needs to know. */
export const KINDS: Readonly<
  Record<
    'simulator' | RegisteredKind,
    Readonly<{ description: string; channels: readonly Channel[]; settings: TObject }>
  >
> = {
  simulator: {
    description: 'Plays the outside world on this machine.',
    channels: CHANNELS,
    settings: SimulatorSchema,
  },
  ...REGISTRY,
}
const KIND_NAMES = Object.keys(KINDS) as ['simulator', ...RegisteredKind[]]

const ProviderSchema = Type.Object(
  {
    name: named<ProviderName>(parseProviderName, 'What routes and timelines call it.'),
    kind: choice(KIND_NAMES, 'What it is.'),
    settings: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        must: 'an object',
        description: 'What its kind needs to know: see below.',
      }),
    ),
  },
  CLOSED,
)

const ListedSchema = Type.Unsafe<Listed>(
  Type.Refine(
    Type.Unknown({ must: `the name of a provider, or { "name", "weight" } with a whole number from 0 to ${HEAVIEST}` }),
    isListed,
  ),
)

function isListed(value: unknown): boolean {
  if (typeof value === 'string') return parseProviderName(value) !== undefined
  if (typeof value !== 'object' || value === null) return false
  const { name, weight, ...others } = value as Readonly<Record<string, unknown>>
  const isWeight = Number.isInteger(weight) && Number(weight) >= 0 && Number(weight) <= HEAVIEST
  return typeof name === 'string' && isListed(name) && isWeight && Object.keys(others).length === 0
}

const RouteSchema = Type.Object(
  {
    id: named<RouteId>(parseRouteId, 'What timelines call it.'),
    channel: choice([...CHANNELS], 'The channel of its messages.'),
    tenant_id: Type.Optional(named<TenantId>(parseTenantId, 'Only messages of this tenant.')),
    kind: Type.Optional(choice(['sms', 'flash_sms'], 'Only SMS of this kind.')),
    sender: Type.Optional(
      Type.String({
        must: 'a text',
        description: 'Only messages from this sender: a sender id, or for email an address.',
      }),
    ),
    prefix: Type.Optional(
      Type.String({
        must: 'a text',
        description:
          'Only messages to numbers that begin so (`+55`), or for email to this domain and those below it (`example.com`); of several routes the longest wins.',
      }),
    ),
    operator_id: Type.Optional(named<OperatorId>(parseOperatorId, 'The operator behind it, for the timeline.')),
    providers: Type.Array(ListedSchema, {
      minItems: 1,
      must: 'a list with at least one provider',
      description:
        'The providers of this file by their names, in order of preference. Or all as `{ "name", "weight" }`: then each message draws its first by weight, and one of weight 0 only stands in for the others.',
    }),
    retry: Type.Optional(
      Type.Object(
        {
          delays_seconds: Type.Optional(
            Type.Array(amount(0, 86_400, 'A wait.'), {
              minItems: 1,
              must: 'a list with at least one number',
              description: 'The waits after the first attempt, the second and so on; the last one repeats.',
            }),
          ),
          max_attempts: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 100,
              must: 'a whole number from 1 to 100',
              description: 'How many attempts are made before the message is a dead letter.',
            }),
          ),
          jitter: Type.Optional(amount(0, 1, 'The share by which a wait may be shorter or longer.')),
          failover: Type.Optional(
            Type.Boolean({
              must: 'true or false',
              description: 'After a transient error, try the next provider at once instead of the same one later.',
            }),
          ),
        },
        { ...CLOSED, must: 'an object', description: "How to retry; what is missing is the channel's own." },
      ),
    ),
    unknown: Type.Optional(
      Type.Object(
        {
          wait_seconds: Type.Optional(amount(0, 86_400, 'How long to wait for a receipt (5).')),
          policy: Type.Optional(
            choice([...UNKNOWN_POLICIES], 'What to do after the wait (failover for one-time codes, otherwise hold).'),
          ),
          give_up_seconds: Type.Optional(
            amount(
              60,
              MOST_GIVE_UP_SECONDS,
              'How long after the attempt a message that is held fails with `OUTCOME_UNKNOWN` (259,200: 72 hours). Messages that wait for a quota, a paused account or a provider that is down give up after as long.',
            ),
          ),
        },
        {
          ...CLOSED,
          must: 'an object',
          description:
            "What to do when it is unknown whether the provider has a message; what is missing is the lane's own.",
        },
      ),
    ),
  },
  CLOSED,
)

/** All keys may be missing: see readConfigFile for what is then so. */
export const FileSchema = Type.Object(
  {
    providers: Type.Optional(Type.Array(ProviderSchema, { minItems: 1, must: 'a list with at least one provider' })),
    routes: Type.Optional(Type.Array(RouteSchema, { minItems: 1, must: 'a list with at least one route' })),
  },
  { ...CLOSED, must: 'an object' },
)
export type File = Static<typeof FileSchema>
export type FileProvider = Static<typeof ProviderSchema>
