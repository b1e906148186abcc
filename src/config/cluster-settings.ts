/** Settings of the cluster profile: the stores that it runs on, and the simulator beside it. */
import { Type } from 'typebox'
import { checked, choice, type Setting, url, whole } from './setting.ts'

const natsUrl = /^(?:nats|tls|ws|wss):\/\//
const isNatsUrl = (value: string): boolean =>
  value.split(',').every((server) => natsUrl.test(server) && URL.canParse(server))
const isPostgresUrl = (value: string): boolean => /^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value)
const postgres = (setting: Omit<Setting, 'must'>) =>
  checked({ ...setting, must: 'an address that begins with postgres://', hidden: true }, isPostgresUrl)

const isRedisUrl = (value: string): boolean => /^rediss?:\/\//.test(value) && URL.canParse(value)

export const DEFAULT_PREFIX = 'POMBO'

export const CLUSTER_SETTINGS = {
  natsUrl: Type.Optional(
    checked(
      {
        env: 'POMBO_NATS_URL',
        must: 'addresses that begin with nats:// or tls://, with commas between them',
        hidden: true,
        description: 'The NATS servers of the cluster profile, version 2.12 or newer, with JetStream.',
      },
      isNatsUrl,
    ),
  ),
  natsReplicas: choice(['1', '3', '5'], {
    env: 'POMBO_NATS_REPLICAS',
    default: '1',
    must: '1, 3 or 5',
    description: 'On how many NATS servers everything is kept. With less than 3, a lost disk loses messages.',
  }),
  natsPartitions: whole(1, 64, {
    env: 'POMBO_NATS_PARTITIONS',
    default: 4,
    description:
      'Over how many streams the jobs of the tenants are spread; about 100 tenants busy at once want one. Fixed once chosen.',
  }),
  natsPrefix: checked(
    {
      env: 'POMBO_NATS_PREFIX',
      default: DEFAULT_PREFIX,
      must: 'a name of capital letters, digits and _',
      description:
        'What the names of all streams begin with, so that several installations can share a broker. With another than the default, the subjects of integration events begin with it too.',
    },
    (value) => /^[A-Z][A-Z0-9_]{0,31}$/.test(value),
  ),
  logDays: whole(0, 36_500, {
    env: 'POMBO_LOG_DAYS',
    default: 0,
    description:
      'How many days the log of the cluster profile keeps events; 0 is for ever. An idempotency key is forgotten with them, so fewer than 3 are refused.',
  }),
  postgresUrl: Type.Optional(
    postgres({
      env: 'POMBO_POSTGRES_URL',
      description: 'The database of the cluster profile, version 15 or newer, as a role that does not own the tables.',
    }),
  ),
  postgresOwnerUrl: Type.Optional(
    postgres({
      env: 'POMBO_POSTGRES_OWNER_URL',
      description:
        'The same database as the role that owns the tables, and not through a pooler: for `pombo migrate` alone.',
    }),
  ),
  redisUrl: Type.Optional(
    checked(
      {
        env: 'POMBO_REDIS_URL',
        must: 'an address that begins with redis:// or rediss://',
        hidden: true,
        description:
          'The Redis of the cluster profile, version 7 or newer: it decides about limits. While it is away PostgreSQL does.',
      },
      isRedisUrl,
    ),
  ),
  simulatorUrl: Type.Optional(
    url({
      env: 'POMBO_SIMULATOR_URL',
      description:
        'Where `pombo simulator` runs, for the cluster profile; in the embedded one it is part of the process.',
    }),
  ),
  simulatorSecret: Type.Optional(
    checked(
      {
        env: 'POMBO_SIMULATOR_SECRET',
        must: '16 bytes or longer',
        hidden: true,
        description: 'What the gateway and `pombo simulator` know each other by.',
      },
      (value) => Buffer.byteLength(value) >= 16,
    ),
  ),
}
