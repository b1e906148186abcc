/** Every setting: its environment variable, default, description, and what a valid value looks like. */
import { type Static, Type } from 'typebox'
import { TENANT_POLICIES } from '../domain/access/tenant.ts'
import { parseNetworks } from '../lib/networks.ts'
import { CLUSTER_SETTINGS } from './cluster-settings.ts'
import { HTTP_SETTINGS } from './http-settings.ts'
import { MESSAGE_SETTINGS } from './message-settings.ts'
import { QUOTA_SETTINGS } from './quota-settings.ts'
import { SENDING_SETTINGS } from './sending-settings.ts'
import { checked, choice, text, url, whole } from './setting.ts'
import { SIGN_IN_SETTINGS } from './sign-in-settings.ts'
import { SMPP_SERVER_SETTINGS } from './smpp-server-settings.ts'
import { SMTP_LISTENER_SETTINGS } from './smtp-listener-settings.ts'
import { TLS_SETTINGS } from './tls-settings.ts'
import { USERS_API_SETTINGS } from './users-api-settings.ts'

export const ROLES = ['api', 'worker', 'callbacks', 'poller', 'projector'] as const
export type Role = (typeof ROLES)[number]

const isRole = (name: string): name is Role => ROLES.some((role) => role === name)
export const rolesOf = ({ roles }: Pick<Settings, 'roles'>): ReadonlySet<Role> =>
  new Set(roles.split(',').filter(isRole))

/** The private networks that webhooks may be sent to. */
export const networksOf = ({ webhookNetworks }: Pick<Settings, 'webhookNetworks'>): readonly string[] =>
  parseNetworks(webhookNetworks ?? '') ?? []

/** The reverse proxies whose X-Forwarded-For is believed. */
export const trustedProxiesOf = ({ trustedProxies }: Pick<Settings, 'trustedProxies'>): readonly string[] =>
  parseNetworks(trustedProxies ?? '') ?? []

/** The URL of a gateway with these settings on this machine. One that listens on every address is reached by loopback. */
export function localUrl({ host, port }: Pick<Settings, 'host' | 'port'>): string {
  const reachable = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}

export const MIN_JWT_SECRET_BYTES = 32
const MASTER_KEY = /^(?:[0-9a-fA-F]{64}|[A-Za-z0-9+/_-]{43}=?)$/

export const SettingsSchema = Type.Object({
  profile: choice(['embedded', 'cluster'], {
    env: 'POMBO_PROFILE',
    default: 'embedded',
    must: 'embedded or cluster',
    description:
      '`embedded` runs as one process on one SQLite file; `cluster` runs as any number of processes on NATS JetStream, PostgreSQL and Redis.',
  }),
  roles: checked(
    {
      env: 'POMBO_ROLES',
      default: ROLES.join(','),
      must: `one or more of ${ROLES.join(', ')}, separated by commas`,
      description:
        'The roles of this process. In the embedded profile the process has all roles; only `worker` and `poller` can be left out, to inspect a restored database before anything is sent.',
    },
    (value) => value.split(',').every((role) => isRole(role)),
  ),
  host: text({
    env: 'POMBO_HOST',
    default: '127.0.0.1',
    must: 'an address of this machine',
    description:
      'The address to listen on. Any address other than loopback requires POMBO_JWT_SECRET or a JWKS, and POMBO_CONFIG or POMBO_SIMULATOR.',
  }),
  port: whole(0, 65_535, {
    env: 'POMBO_PORT',
    default: 8080,
    description: 'The port to listen on; 0 means any free port.',
  }),
  dataDir: text({
    env: 'POMBO_DATA_DIR',
    default: './data',
    must: 'the path of a folder',
    description: 'The folder of the database and of the secrets that the first start generates.',
  }),
  jwtSecret: Type.Optional(
    checked(
      {
        env: 'POMBO_JWT_SECRET',
        must: `${MIN_JWT_SECRET_BYTES} bytes or longer, such as the output of \`openssl rand -base64 32\``,
        hidden: true,
        description:
          'The secret of HS256 tokens. If neither it nor a JWKS is set, the first start generates one in the data folder.',
      },
      (value) => Buffer.byteLength(value) >= MIN_JWT_SECRET_BYTES,
    ),
  ),
  jwksUrl: Type.Optional(
    url({
      env: 'POMBO_JWKS_URL',
      description:
        'The URL of a JSON Web Key Set with the public keys of RS256, ES256 and EdDSA tokens. It must begin with https:// unless its host is loopback.',
    }),
  ),
  jwksFile: Type.Optional(
    text({
      env: 'POMBO_JWKS_FILE',
      must: 'the path of a JSON Web Key Set',
      description: 'A file with these public keys, instead of a URL.',
    }),
  ),
  jwtIssuer: Type.Optional(
    text({ env: 'POMBO_JWT_ISSUER', must: 'a string', description: 'The required `iss` of tokens.' }),
  ),
  jwtAudience: Type.Optional(
    text({ env: 'POMBO_JWT_AUDIENCE', must: 'a string', description: 'The required `aud` of tokens.' }),
  ),
  jwtMaxLifetimeSeconds: whole(600, 315_360_000, {
    env: 'POMBO_JWT_MAX_LIFETIME_SECONDS',
    default: 90 * 24 * 60 * 60,
    description:
      'The longest life of a token, from its `iat` to its `exp`, or from now if it has no `iat`. Tokens cannot be revoked; API keys can.',
  }),
  masterKey: Type.Optional(
    checked(
      {
        env: 'POMBO_MASTER_KEY',
        must: '32 bytes in base64 or as 64 hexadecimal digits, such as the output of `openssl rand -hex 32`',
        hidden: true,
        description:
          'The key that all message contents are encrypted with. Without it no message can be read. If it is not set, the first start generates one in the data folder.',
      },
      (value) => MASTER_KEY.test(value),
    ),
  ),
  publicUrl: Type.Optional(
    url({ env: 'POMBO_PUBLIC_URL', description: 'The public URL of Pombo, and the base of callback URLs.' }),
  ),
  tenantPolicy: choice([...TENANT_POLICIES], {
    env: 'POMBO_TENANTS',
    default: 'any',
    must: 'any or known',
    description:
      'Which tenants are served: with `any` every tenant of a valid token, with `known` only those that an operator has created, by the API or in `tenants` of the configuration file.',
  }),
  trustedProxies: Type.Optional(
    checked(
      {
        env: 'POMBO_TRUSTED_PROXIES',
        must: 'networks such as 10.0.0.0/8 or fd00::/8, separated by commas',
        description:
          "The networks of your reverse proxies. Only on connections from them does Pombo take the client's address from X-Forwarded-For, for the networks of API keys, the throttling of sign-ins, the limit on wrong codes and the audit log; and only they are exempt from POMBO_MAX_CONNECTIONS_PER_ADDRESS. If it is not set, the client is whoever opened the connection.",
      },
      (value) => parseNetworks(value) !== undefined,
    ),
  ),
  ...CLUSTER_SETTINGS,
  logLevel: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    env: 'POMBO_LOG_LEVEL',
    default: 'info',
    must: 'fatal, error, warn, info, debug, trace or silent',
    description: 'The minimum level of log lines.',
  }),
  logSampleOneIn: whole(0, 1_000_000_000, {
    env: 'POMBO_LOG_SAMPLE_ONE_IN',
    default: 0,
    description:
      'The normal life of one message in so many, from accepted to delivered, is logged at `info`: 1 for every message, 0 for none. At `debug` that of every message is logged. Retries and failures are always logged.',
  }),
  otlpEndpoint: Type.Optional(
    url({
      env: 'OTEL_EXPORTER_OTLP_ENDPOINT',
      description: 'The OpenTelemetry collector that traces are exported to. Tracing is off if it is not set.',
    }),
  ),
  metricsCacheSeconds: whole(0, 300, {
    env: 'POMBO_METRICS_CACHE_SECONDS',
    default: 10,
    description:
      'How long `/metrics` repeats what it has read from the stores: the queue, the lag of the index, quotas and storage. More frequent scrapes cost the stores nothing. Counters are always current.',
  }),
  ...HTTP_SETTINGS,
  ...TLS_SETTINGS,
  ...SMTP_LISTENER_SETTINGS,
  ...SMPP_SERVER_SETTINGS,
  ...MESSAGE_SETTINGS,
  ...SENDING_SETTINGS,
  ...SIGN_IN_SETTINGS,
  ...USERS_API_SETTINGS,
  ...QUOTA_SETTINGS,
  configFile: Type.Optional(
    text({
      env: 'POMBO_CONFIG',
      must: 'the path of a JSON file',
      description: 'The configuration file with providers, routes, tenants, retention rules and sinks.',
    }),
  ),
  simulator: Type.Optional(
    choice(['allowed'], {
      env: 'POMBO_SIMULATOR',
      must: 'allowed',
      description:
        'Whether the gateway may start without POMBO_CONFIG on an address that other machines can reach. Then the simulator takes every message, and nobody receives any.',
    }),
  ),
  url: Type.Optional(
    url({
      env: 'POMBO_URL',
      description: 'The URL of the gateway for the commands of `pombo`, if it does not run on this machine.',
    }),
  ),
  token: Type.Optional(
    text({
      env: 'POMBO_TOKEN',
      must: 'a token or an API key',
      hidden: true,
      description:
        'The token or API key for these commands, instead of a token signed with the secret in the data folder.',
    }),
  ),
})

export type Settings = Static<typeof SettingsSchema>
