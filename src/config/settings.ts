/** Every setting: its name in the environment, what it means, its default, and how a right value reads. */
import { type Static, Type } from 'typebox'
import { parseLocale } from '../domain/locale.ts'

/** What is known of a setting beside its type. */
export type Setting = Readonly<{
  env: string
  description: string
  /** How a right value reads: it ends the sentence "… must be". */
  must: string
  default?: string | number | boolean
  /** The value may hold a secret, so it is never repeated. */
  hidden?: true
}>

const text = (setting: Setting) => Type.String(setting)
const flag = (setting: Setting) => Type.Boolean(setting)
const choice = <Values extends string[]>(values: readonly [...Values], setting: Setting) => Type.Enum(values, setting)
const checked = (setting: Setting, isRight: (value: string) => boolean) => Type.Refine(Type.String(setting), isRight)
const whole = (minimum: number, maximum: number, setting: Omit<Setting, 'must'>) =>
  Type.Integer({ ...setting, minimum, maximum, must: `a whole number from ${minimum} to ${maximum}` })
/** A URL may carry a password. */
const url = (setting: Omit<Setting, 'must'>) =>
  checked({ ...setting, must: 'an address that begins with http:// or https://', hidden: true }, isHttpUrl)

const natsUrl = /^(?:nats|tls|ws|wss):\/\//
const isNatsUrl = (value: string): boolean =>
  value.split(',').every((server) => natsUrl.test(server) && URL.canParse(server))
const isPostgresUrl = (value: string): boolean => /^postgres(?:ql)?:\/\//.test(value) && URL.canParse(value)
const postgres = (setting: Omit<Setting, 'must'>) =>
  checked({ ...setting, must: 'an address that begins with postgres://', hidden: true }, isPostgresUrl)

const isRedisUrl = (value: string): boolean => /^rediss?:\/\//.test(value) && URL.canParse(value)

const isHttpUrl = (value: string): boolean => /^https?:\/\//.test(value) && URL.canParse(value)

export const DEFAULT_PREFIX = 'POMBO'

/** What a process may do of the work. */
export const ROLES = ['api', 'worker', 'webhook', 'poller', 'projector'] as const
export type Role = (typeof ROLES)[number]

const isRole = (name: string): name is Role => ROLES.some((role) => role === name)
export const rolesOf = ({ roles }: Pick<Settings, 'roles'>): ReadonlySet<Role> =>
  new Set(roles.split(',').filter(isRole))

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
      description: 'What this process does of the work. In the embedded profile one process does all of it.',
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
      description: 'The same database as the role that owns the tables: for `pombo migrate` alone.',
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
  logLevel: choice(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], {
    env: 'POMBO_LOG_LEVEL',
    default: 'info',
    must: 'fatal, error, warn, info, debug, trace or silent',
    description: 'The least important log line that is written.',
  }),
  otlpEndpoint: Type.Optional(
    url({ env: 'OTEL_EXPORTER_OTLP_ENDPOINT', description: 'Where traces are exported to; off when it is not set.' }),
  ),
  indexBodies: flag({
    env: 'POMBO_INDEX_BODIES',
    default: false,
    must: 'true or false',
    description: 'Whether the texts of messages can be searched; they then stand in the index unsealed.',
  }),
  maxParts: whole(1, 255, {
    env: 'POMBO_MAX_PARTS',
    default: 24,
    description: 'The most parts an SMS may need; a longer one is refused.',
  }),
  defaultLocale: checked(
    {
      env: 'POMBO_DEFAULT_LOCALE',
      default: 'en',
      must: 'a BCP 47 tag as it is usually written, such as en or pt-BR',
      description: 'The locale of templates that name none, and of texts for recipients whose own is not known.',
    },
    (value) => parseLocale(value) === value,
  ),
  otpCost: whole(4, 15, {
    env: 'POMBO_OTP_COST',
    default: 10,
    description: 'The cost of hashing a one-time code with bcrypt: one more takes twice as long.',
  }),
  otpLimit: whole(1, 1_000_000, {
    env: 'POMBO_OTP_LIMIT',
    default: 5,
    description: 'How many one-time codes a recipient may be sent in the time that POMBO_OTP_WINDOW_SECONDS says.',
  }),
  otpWindowSeconds: whole(1, 31_536_000, {
    env: 'POMBO_OTP_WINDOW_SECONDS',
    default: 600,
    description: 'The time in which a recipient may be sent so many one-time codes as POMBO_OTP_LIMIT says.',
  }),
  otpDomain: Type.Optional(
    checked(
      {
        env: 'POMBO_OTP_DOMAIN',
        must: 'the name of a domain, such as example.com',
        description:
          'The site that one-time codes are for: they then end with a line by which browsers and phones fill them in there, and nowhere else.',
      },
      (value) => /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]{0,61}[a-z0-9]$/i.test(value),
    ),
  ),
  concurrency: Type.Optional(
    whole(1, 65_536, {
      env: 'POMBO_CONCURRENCY',
      description:
        'How many attempts may be in flight at once: 512 in the embedded profile, 64 in each worker of a cluster. More of them hide the latency of a provider; fewer let an urgent message pass sooner.',
    }),
  ),
  breakerFailures: whole(1, 1_000_000, {
    env: 'POMBO_BREAKER_FAILURES',
    default: 5,
    description: 'After so many failures in a row a provider is left alone for a while.',
  }),
  breakerSeconds: whole(1, 3600, {
    env: 'POMBO_BREAKER_SECONDS',
    default: 30,
    description: 'For how long, before one call tries it out.',
  }),
  providerTimeoutSeconds: whole(1, 600, {
    env: 'POMBO_PROVIDER_TIMEOUT_SECONDS',
    default: 30,
    description: 'How long a provider may take to answer before the outcome counts as unknown.',
  }),
  shutdownSeconds: whole(0, 3600, {
    env: 'POMBO_SHUTDOWN_SECONDS',
    default: 30,
    description: 'How long a stopping Pombo waits for what is in flight before it hands the rest back.',
  }),
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
