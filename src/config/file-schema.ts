/** The schema of the configuration file: for each key a description, and what a valid value looks like. */
import { type Static, type TObject, Type } from 'typebox'
import { TENANT_STATES } from '../domain/access/tenant.ts'
import { MOST_OF_A_QUOTA, MOST_SENDERS } from '../domain/access/tenant-fields.ts'
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
import { MAX_RETENTION_DAYS, MIN_RETENTION_DAYS } from '../domain/message/retention.ts'
import { type Listed, MAX_WEIGHT, MOST_GIVE_UP_SECONDS } from '../domain/routing/route-fields.ts'
import { UNKNOWN_POLICIES } from '../domain/routing/unknown.ts'
import { REGISTRY, type RegisteredKind } from '../providers/registry.ts'
import { AlertSchema } from './alert-settings.ts'
import { SinkSchema } from './sink-settings.ts'

/** Metadata of every schema in the file: `must` completes the sentence "… must be". */
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
    receipt_delay_ms: Type.Optional(amount(0, HOUR_MS, 'The delay of each receipt.')),
    latency_ms: Type.Optional(amount(0, HOUR_MS, 'The delay of each response.')),
    error_rate: Type.Optional(amount(0, 1, 'The share of attempts that fail with a transient error.')),
  },
  { ...CLOSED, must: 'an object' },
)
export type FileSimulator = Static<typeof SimulatorSchema>

export const KINDS: Readonly<
  Record<
    'simulator' | RegisteredKind,
    Readonly<{ description: string; channels: readonly Channel[]; settings: TObject }>
  >
> = {
  simulator: {
    description: 'A simulated provider for SMS and email, for development and tests.',
    channels: CHANNELS,
    settings: SimulatorSchema,
  },
  ...REGISTRY,
}
const KIND_NAMES = Object.keys(KINDS) as ['simulator', ...RegisteredKind[]]

const ProviderSchema = Type.Object(
  {
    name: named<ProviderName>(parseProviderName, 'The name of the provider in routes and timelines.'),
    kind: choice(KIND_NAMES, 'The kind of provider.'),
    tenants: Type.Optional(
      Type.Array(named<TenantId>(parseTenantId, 'The id of a tenant.'), {
        minItems: 1,
        must: 'a list with at least one id of a tenant',
        description:
          'The only tenants that may use the provider, also in test mode, whatever the routes say. Their own `providers` apply as well. Without this key, the provider is for all tenants.',
      }),
    ),
    settings: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        must: 'an object',
        description: 'The settings of its kind: see below.',
      }),
    ),
  },
  CLOSED,
)

const ListedSchema = Type.Unsafe<Listed>(
  Type.Refine(
    Type.Unknown({
      must: `the name of a provider, or { "name", "weight" } with a whole number from 0 to ${MAX_WEIGHT}`,
    }),
    isListed,
  ),
)

function isListed(value: unknown): boolean {
  if (typeof value === 'string') return parseProviderName(value) !== undefined
  if (typeof value !== 'object' || value === null) return false
  const { name, weight, ...others } = value as Readonly<Record<string, unknown>>
  const isWeight = Number.isInteger(weight) && Number(weight) >= 0 && Number(weight) <= MAX_WEIGHT
  return typeof name === 'string' && isListed(name) && isWeight && Object.keys(others).length === 0
}

const RouteSchema = Type.Object(
  {
    id: named<RouteId>(parseRouteId, 'The id of the route in timelines.'),
    channel: choice([...CHANNELS], 'The channel of the messages.'),
    tenant_id: Type.Optional(named<TenantId>(parseTenantId, 'Only messages of this tenant.')),
    kind: Type.Optional(choice(['sms', 'flash_sms'], 'Only SMS of this kind.')),
    sender: Type.Optional(
      Type.String({
        must: 'a string',
        description: 'Only messages from this sender: a sender id, or an address for email.',
      }),
    ),
    prefix: Type.Optional(
      Type.String({
        must: 'a string',
        description:
          'Only messages to numbers with this prefix (`+55`), or for email to this domain and its subdomains (`example.com`). The longest match wins.',
      }),
    ),
    operator_id: Type.Optional(named<OperatorId>(parseOperatorId, 'The carrier behind the route, shown in timelines.')),
    providers: Type.Array(ListedSchema, {
      minItems: 1,
      must: 'a list with at least one provider',
      description:
        'Names of providers in this file, in order of preference. Or all as `{ "name", "weight" }`: the first provider of each message is then drawn by weight, and providers with weight 0 are only used for failover.',
    }),
    retry: Type.Optional(
      Type.Object(
        {
          delays_seconds: Type.Optional(
            Type.Array(amount(0, 86_400, 'A delay.'), {
              minItems: 1,
              must: 'a list with at least one number',
              description: 'The delays after the first attempt, the second and so on; the last one repeats.',
            }),
          ),
          max_attempts: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 100,
              must: 'a whole number from 1 to 100',
              description: 'The number of attempts before the message becomes a dead letter.',
            }),
          ),
          jitter: Type.Optional(amount(0, 1, 'The share by which a delay may be shorter or longer.')),
          failover: Type.Optional(
            Type.Boolean({
              must: 'true or false',
              description: 'After a transient error, try the next provider immediately instead of the same one later.',
            }),
          ),
        },
        {
          ...CLOSED,
          must: 'an object',
          description: 'The retry policy. Missing values default to those of the channel.',
        },
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
              'How long after the attempt a held message fails with `OUTCOME_UNKNOWN` (259,200: 72 hours). Messages that wait for a quota, a paused account or an unavailable provider fail after the same time.',
            ),
          ),
        },
        {
          ...CLOSED,
          must: 'an object',
          description:
            'What to do when the outcome of an attempt is unknown. Missing values default to those of the lane.',
        },
      ),
    ),
  },
  CLOSED,
)

const RetentionSchema = Type.Object(
  {
    tenant_id: Type.Optional(named<TenantId>(parseTenantId, 'Only messages of this tenant.')),
    channel: Type.Optional(choice([...CHANNELS], 'Only messages of this channel.')),
    days: Type.Refine(
      Type.Integer({
        minimum: 0,
        maximum: MAX_RETENTION_DAYS,
        must: `0, or a whole number from ${MIN_RETENTION_DAYS} to ${MAX_RETENTION_DAYS}`,
        description: 'How many days after they were created these messages are deleted; 0 keeps them forever.',
      }),
      (days) => days === 0 || days >= MIN_RETENTION_DAYS,
    ),
  },
  CLOSED,
)

const count = (what: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: MOST_OF_A_QUOTA, must: 'a whole number', description: what }))

const TenantSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ must: 'a string', description: 'A name for people.' })),
    state: Type.Optional(
      choice(
        [...TENANT_STATES],
        'A suspended tenant cannot call the API, and its messages are not sent: they become dead letters.',
      ),
    ),
    providers: Type.Optional(
      Type.Array(named<ProviderName>(parseProviderName, 'The name of a provider.'), {
        minItems: 1,
        must: 'a list with at least one provider',
        description: "The only providers of this file that the tenant's messages may take, whatever the routes say.",
      }),
    ),
    senders: Type.Optional(
      Type.Array(Type.String({ must: 'a string' }), {
        maxItems: MOST_SENDERS,
        must: `a list of at most ${MOST_SENDERS} senders`,
        description:
          "The only senders that the tenant's messages may have: sender ids, numbers, email addresses, domains (`acme.example`) and their subdomains (`*.acme.example`).",
      }),
    ),
    quotas: Type.Optional(
      Type.Object(
        {
          limits: count('The most rate limits.'),
          templates: count('The most templates.'),
          routes: count('The most routes.'),
          endpoints: count('The most webhook endpoints.'),
          recipients: count('The most recipients.'),
          api_keys: count('The most API keys.'),
          waiting_messages: count('The most messages that wait to be sent.'),
          stored_bytes: count('The most bytes of stored messages.'),
        },
        { ...CLOSED, must: 'an object', description: 'How much the tenant may have; missing quotas have defaults.' },
      ),
    ),
    retention_days: Type.Optional(
      Type.Integer({
        minimum: MIN_RETENTION_DAYS,
        maximum: MAX_RETENTION_DAYS,
        must: `a whole number from ${MIN_RETENTION_DAYS} to ${MAX_RETENTION_DAYS}`,
        description: 'How many days messages are kept, if that is shorter than what the other rules say.',
      }),
    ),
    default_locale: Type.Optional(
      Type.String({
        must: 'a string',
        description: 'The locale of templates without one, and of messages to recipients without one.',
      }),
    ),
  },
  { ...CLOSED, must: 'an object' },
)

/** All keys are optional; readConfigFile has the defaults. */
export const FileSchema = Type.Object(
  {
    providers: Type.Optional(Type.Array(ProviderSchema, { minItems: 1, must: 'a list with at least one provider' })),
    routes: Type.Optional(Type.Array(RouteSchema, { minItems: 1, must: 'a list with at least one route' })),
    tenants: Type.Optional(Type.Record(Type.String(), TenantSchema, { must: 'an object' })),
    retention: Type.Optional(Type.Array(RetentionSchema, { must: 'a list' })),
    sinks: Type.Optional(Type.Array(SinkSchema, { must: 'a list' })),
    alerts: Type.Optional(AlertSchema),
  },
  { ...CLOSED, must: 'an object' },
)
export type File = Static<typeof FileSchema>
export type FileProvider = Static<typeof ProviderSchema>
export type FileRetention = Static<typeof RetentionSchema>
export type FileTenant = Static<typeof TenantSchema>
