/** Every setting: its name in the environment, what it means, its default, and how a right value reads. */
import { type Static, Type } from 'typebox'
import { parseNetworks } from '../providers/address-guard.ts'
import { CLUSTER_SETTINGS } from './cluster-settings.ts'
import { MESSAGE_SETTINGS } from './message-settings.ts'
import { SENDING_SETTINGS } from './sending-settings.ts'
import { checked, choice, text, url, whole } from './setting.ts'

/** What a process may do of the work. */
export const ROLES = ['api', 'worker', 'callbacks', 'poller', 'projector'] as const
export type Role = (typeof ROLES)[number]

const isRole = (name: string): name is Role => ROLES.some((role) => role === name)
export const rolesOf = ({ roles }: Pick<Settings, 'roles'>): ReadonlySet<Role> =>
  new Set(roles.split(',').filter(isRole))

/** The networks that webhooks may be sent to though they are not public. */
export const networksOf = ({ webhookNetworks }: Pick<Settings, 'webhookNetworks'>): readonly string[] =>
  parseNetworks(webhookNetworks ?? '') ?? []

export const MIN_JWT_SECRET_BYTES = 32
const MASTER_KEY = /^(?:[0-9a-fA-F]{64}|[A-Za-z0-9+/_-]{43}=?)$/

export const SettingsSchema = Type.Object({
  profile: choice(['embedded', 'cluster'], {
    env: 'POMBO_PROFILE',
    default: 'embedded',
    must: 'embedded or cluster',
    description:
      'The engines Pombo runs on: `embedded` is one process and one SQLite file, `cluster` is NATS JetStream and PostgreSQL.',
  }),
  roles: checked(
    {
      env: 'POMBO_ROLES',
      default: ROLES.join(','),
      must: `some of ${ROLES.join(', ')}, with commas between them`,
      description:
        'What this process does of the work. In the embedded profile one process does all of it; only `worker` and `poller` can be left out there, to look at a restored database before anything is sent.',
    },
    (value) => value.split(',').every((role) => isRole(role)),
  ),
  host: text({
    env: 'POMBO_HOST',
    default: '127.0.0.1',
    must: 'an address of this machine',
    description: 'The address to listen on. Anything but loopback needs a JWT secret or a JWKS of your own.',
  }),
  port: whole(0, 65_535, {
    env: 'POMBO_PORT',
    default: 8080,
    description: 'The port to listen on; 0 takes any free one.',
  }),
  dataDir: text({
    env: 'POMBO_DATA_DIR',
    default: './data',
    must: 'the path of a folder',
    description: 'The folder of the database, and of the secrets made on first start.',
  }),
  jwtSecret: Type.Optional(
    checked(
      {
        env: 'POMBO_JWT_SECRET',
        must: `${MIN_JWT_SECRET_BYTES} bytes or longer, such as \`openssl rand -base64 32\` prints`,
        hidden: true,
        description: 'The secret of HS256 tokens. With neither it nor a JWKS, one is made in the data folder.',
      },
      (value) => Buffer.byteLength(value) >= MIN_JWT_SECRET_BYTES,
    ),
  ),
  jwksUrl: Type.Optional(
    url({ env: 'POMBO_JWKS_URL', description: 'Where to fetch the public keys of RS256, ES256 and EdDSA tokens.' }),
  ),
  jwksFile: Type.Optional(
    text({
      env: 'POMBO_JWKS_FILE',
      must: 'the path of a JSON Web Key Set',
      description: 'A file that holds those public keys, instead of an address.',
    }),
  ),
  jwtIssuer: Type.Optional(
    text({ env: 'POMBO_JWT_ISSUER', must: 'a text', description: 'The `iss` a token must carry.' }),
  ),
  jwtAudience: Type.Optional(
    text({ env: 'POMBO_JWT_AUDIENCE', must: 'a text', description: 'The `aud` a token must carry.' }),
  ),
  masterKey: Type.Optional(
    checked(
      {
        env: 'POMBO_MASTER_KEY',
        must: '32 bytes in base64 or as 64 hexadecimal digits, such as `openssl rand -hex 32` prints',
        hidden: true,
        description: 'Without it no message can be read. When it is not set, one is made in the data folder.',
      },
      (value) => MASTER_KEY.test(value),
    ),
  ),
  publicUrl: Type.Optional(
    url({ env: 'POMBO_PUBLIC_URL', description: 'Where the outside reaches Pombo: the base of callback addresses.' }),
  ),
  ...CLUSTER_SETTINGS,
  logLevel: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    env: 'POMBO_LOG_LEVEL',
    default: 'info',
    must: 'fatal, error, warn, info, debug, trace or silent',
    description: 'The least important log line that is written.',
  }),
  otlpEndpoint: Type.Optional(
    url({ env: 'OTEL_EXPORTER_OTLP_ENDPOINT', description: 'Where traces are exported to; off when it is not set.' }),
  ),
  ...MESSAGE_SETTINGS,
  ...SENDING_SETTINGS,
  configFile: Type.Optional(
    text({
      env: 'POMBO_CONFIG',
      must: 'the path of a JSON file',
      description: 'A JSON file for what is structured: providers and routes.',
    }),
  ),
  url: Type.Optional(
    url({ env: 'POMBO_URL', description: 'Where the commands that call a gateway find it, if not here.' }),
  ),
  token: Type.Optional(
    text({
      env: 'POMBO_TOKEN',
      must: 'a token',
      hidden: true,
      description: 'The token those commands use, if not one made from the secret in the data folder.',
    }),
  ),
})

export type Settings = Static<typeof SettingsSchema>
