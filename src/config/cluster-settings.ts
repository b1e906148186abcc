/** Settings of the cluster profile: its stores, and the simulator process. */
import { Type } from 'typebox'
import { checked, choice, type Setting, url, whole } from './setting.ts'

const natsUrl = /^(?:nats|tls|ws|wss):\/\//
const isNatsUrl = (value: string): boolean =>
  value.split(',').every((server) => natsUrl.test(server) && URL.canParse(server))
const isPostgresUrl = (value: string): boolean => /^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value)
const postgres = (setting: Omit<Setting, 'must'>) =>
  checked({ ...setting, must: 'a URL that begins with postgres://', hidden: true }, isPostgresUrl)

const isRedisUrl = (value: string): boolean => /^rediss?:\/\//.test(value) && URL.canParse(value)

export const DEFAULT_PREFIX = 'POMBO'

export const CLUSTER_SETTINGS = {
  natsUrl: Type.Optional(
    checked(
      {
        env: 'POMBO_NATS_URL',
        must: 'URLs that begin with nats:// or tls://, separated by commas',
        hidden: true,
        description: 'The NATS servers of the cluster profile: version 2.12 or later, with JetStream.',
      },
      isNatsUrl,
    ),
  ),
  natsReplicas: choice(['1', '3', '5'], {
    env: 'POMBO_NATS_REPLICAS',
    default: '1',
    must: '1, 3 or 5',
    description: 'The number of replicas of every stream. With fewer than 3, losing a disk loses messages.',
  }),
  natsPartitions: whole(1, 64, {
    env: 'POMBO_NATS_PARTITIONS',
    default: 4,
    description:
      'The number of streams that share the jobs of all tenants; plan one per 100 tenants that are busy at once. It cannot be changed later.',
  }),
  natsPrefix: checked(
    {
      env: 'POMBO_NATS_PREFIX',
      default: DEFAULT_PREFIX,
      must: 'a name of uppercase letters, digits and _',
      description:
        'The prefix of all stream names, so that several installations can share NATS servers. With a prefix other than the default, the subjects of integration events start with it too.',
    },
    (value) => /^[A-Z][A-Z0-9_]{0,31}$/.test(value),
  ),
  integrationEvents: choice(['wanted', 'always'], {
    env: 'POMBO_INTEGRATION_EVENTS',
    default: 'wanted',
    must: 'wanted or always',
    description:
      'When integration events are published on NATS: while their stream has a consumer, from its creation on, or always. Subscribers without a JetStream consumer need `always`. `pombo events replay` publishes those of the past.',
  }),
  logDays: whole(0, 36_500, {
    env: 'POMBO_LOG_DAYS',
    default: 0,
    description:
      'How many days the log of the cluster profile keeps events, of whatever messages; the index and its copy of the timelines keep them for longer. With 0 the log keeps an event as long as its message. Idempotency keys expire with their events, so the minimum is 3.',
  }),
  postgresUrl: Type.Optional(
    postgres({
      env: 'POMBO_POSTGRES_URL',
      description:
        'The PostgreSQL database of the cluster profile, version 15 or later, with a role that does not own the tables.',
    }),
  ),
  postgresOwnerUrl: Type.Optional(
    postgres({
      env: 'POMBO_POSTGRES_OWNER_URL',
      description:
        'The same database with the role that owns the tables, and without a connection pooler. Only `pombo migrate` uses it.',
    }),
  ),
  redisUrl: Type.Optional(
    checked(
      {
        env: 'POMBO_REDIS_URL',
        must: 'a URL that begins with redis:// or rediss://',
        hidden: true,
        description:
          'The Redis of the cluster profile, version 7 or later. It decides rate limits; PostgreSQL does while Redis is unreachable.',
      },
      isRedisUrl,
    ),
  ),
  simulatorUrl: Type.Optional(
    url({
      env: 'POMBO_SIMULATOR_URL',
      description:
        'The URL of `pombo simulator`, for the cluster profile. In the embedded profile the simulator runs in the gateway process.',
    }),
  ),
  simulatorSecret: Type.Optional(
    checked(
      {
        env: 'POMBO_SIMULATOR_SECRET',
        must: '16 bytes or longer',
        hidden: true,
        description: 'The secret shared by the gateway and `pombo simulator`.',
      },
      (value) => Buffer.byteLength(value) >= 16,
    ),
  ),
}
