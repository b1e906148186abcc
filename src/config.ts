/**
 * The one place that knows every setting. `loadConfig` turns environment and file into a frozen
 * Config, or throws a ConfigError that names each wrong setting, what is wrong with it and the fix.
 */
import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/value'
import { type Arrangement, readConfigFile } from './config/file.ts'
import { type Env, isSet, unknownNames } from './config/names.ts'

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

const isHttpUrl = (value: string): boolean => /^https?:\/\//.test(value) && URL.canParse(value)

export const MIN_JWT_SECRET_BYTES = 32
const MASTER_KEY = /^(?:[0-9a-fA-F]{64}|[A-Za-z0-9+/_-]{43}=?)$/

export const SettingsSchema = Type.Object({
  profile: choice(['embedded'], {
    env: 'POMBO_PROFILE',
    default: 'embedded',
    must: 'embedded',
    description: 'The engines Pombo runs on: `embedded` is one process and one SQLite file.',
  }),
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
  concurrency: whole(1, 65_536, {
    env: 'POMBO_CONCURRENCY',
    default: 512,
    description: 'How many attempts may be in flight at once.',
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

type Settings = Static<typeof SettingsSchema>

export type Config = Readonly<Settings> &
  Arrangement &
  /** What is suspicious and yet no reason to stop, such as a misspelt name. */
  Readonly<{ warnings: readonly string[] }>

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly exitCode = 78
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.length === 1 ? problems.join() : ['the settings are wrong:', ...problems].join('\n  - '))
    this.problems = problems
  }
}

type Described = TSchema & Setting & Readonly<{ type?: string }>
export const SETTINGS = Object.entries(SettingsSchema.properties).map(
  ([key, schema]) => [key, schema as TSchema as Described] as const,
)

/** An empty variable counts as one that is not set. `readFile` throws when it cannot read. */
export function loadConfig(env: Env, readFile: (path: string) => string): Config {
  const problems: string[] = []
  const settings = readSettings(env, problems)
  const arrangement = readConfigFile(settings.configFile, env, readFile, problems)
  problems.push(...conflicts(settings, env), ...unreadableKeys(settings, readFile))
  if (problems.length > 0) throw new ConfigError(problems)

  const names = SETTINGS.map(([, { env }]) => env)
  return deepFreeze({ ...settings, ...arrangement, warnings: unknownNames(env, names) })
}

/** What is wrong goes to `problems` and counts as not set. */
function readSettings(env: Env, problems: string[]): Settings {
  const read = SETTINGS.map(([key, schema]): [string, unknown] => {
    const given = env[schema.env] ?? ''
    if (given === '') return [key, schema.default]
    const value = toTyped(schema, given)
    if (Check(schema, value)) return [key, value]
    problems.push(toProblem(schema, given))
    return [key, schema.default]
  })
  return Object.fromEntries(read.filter(([, value]) => value !== undefined)) as Settings
}

function toTyped({ type }: Described, given: string): unknown {
  if (type === 'integer') return /^\d+$/.test(given) ? Number(given) : given
  if (type === 'boolean') return given === 'true' || (given === 'false' ? false : given)
  return given
}

function toProblem(schema: Described, given: string): string {
  if (schema.env === 'POMBO_PROFILE' && given === 'cluster') {
    return 'POMBO_PROFILE is "cluster", which is not in this version yet; leave it out or set it to embedded'
  }
  const wrong = schema.hidden ? 'the value given is not' : `${JSON.stringify(given)} is not`
  const otherwise = schema.default === undefined ? '' : ` for ${schema.default}`
  return `${schema.env} must be ${schema.must}, and ${wrong}; correct it or leave it out${otherwise}`
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|::1)$/

/** Whoever can reach a gateway that made its own secret must be on the machine that can read it. */
function conflicts({ host }: Settings, env: Env): string[] {
  const names = ['POMBO_JWT_SECRET', 'POMBO_JWKS_URL', 'POMBO_JWKS_FILE'].filter((name) => isSet(env, name))
  const problems: string[] = []
  if (names.length === 0 && !LOOPBACK.test(host)) {
    problems.push(
      `POMBO_HOST is ${JSON.stringify(host)}, which others can reach, and nothing says whose tokens to trust; ` +
        'set POMBO_JWT_SECRET, POMBO_JWKS_URL or POMBO_JWKS_FILE, or leave POMBO_HOST out for 127.0.0.1',
    )
  }
  if (names.includes('POMBO_JWKS_URL') && names.includes('POMBO_JWKS_FILE')) {
    problems.push('POMBO_JWKS_URL and POMBO_JWKS_FILE are both set, and only one can hold the keys; leave one out')
  }
  return problems
}

function unreadableKeys({ jwksFile }: Settings, readFile: (path: string) => string): string[] {
  if (jwksFile === undefined) return []
  try {
    const { keys } = JSON.parse(readFile(jwksFile)) as { keys?: unknown }
    if (Array.isArray(keys)) return []
  } catch {
    // Said below: whether it is missing or garbled, the fix is the same.
  }
  return [
    `POMBO_JWKS_FILE names ${JSON.stringify(jwksFile)}, which cannot be read as a JSON Web Key Set; correct the path or the file`,
  ]
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) deepFreeze(part)
  return Object.freeze(value)
}
