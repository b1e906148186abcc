/**
 * The file named by POMBO_CONFIG: providers and routes. A string `${NAME}` in it stands for the
 * environment variable NAME, so no secret need be written down; a problem never repeats a value.
 */
import type { TSchema } from 'typebox'
import { Errors } from 'typebox/value'
import type { ProviderName, RouteId } from '../domain/ids.ts'
import { CHANNELS } from '../domain/message/message.ts'
import { type Able, conditionProblems, providerProblems, toRoute } from '../domain/routing/route-fields.ts'
import type { Route } from '../domain/routing/routing.ts'
import { type Millis, millis } from '../lib/time.ts'
import type { RegisteredConfig } from '../providers/registry.ts'
import { type File, type FileProvider, FileSchema, type FileSimulator, KINDS } from './file-schema.ts'
import { type Env, isSet } from './names.ts'

export type SimulatorSettings = Readonly<{ receiptDelay?: Millis; latency?: Millis; errorRate?: number }>
export type SimulatorConfig = Readonly<{ name: ProviderName; kind: 'simulator'; settings: SimulatorSettings }>
export type ProviderConfig = SimulatorConfig | RegisteredConfig

export const isSimulator = (config: ProviderConfig): config is SimulatorConfig => config.kind === 'simulator'

/** What the file arranges: who carries messages, and which go where. */
export type Arrangement = Readonly<{ providers: readonly ProviderConfig[]; routes: readonly Route[] }>

const SIMULATOR: FileProvider = { name: 'simulator' as ProviderName, kind: 'simulator' }

/** Without a file the simulator carries everything; without routes all goes to the providers in their order. */
export function readConfigFile(
  path: string | undefined,
  env: Env,
  readFile: (path: string) => string,
  problems: string[],
): Arrangement {
  const found: string[] = []
  const file = path === undefined ? {} : parseFile(path, env, readFile, found)
  problems.push(...found.map((problem) => `POMBO_CONFIG (${path}): ${problem}`))
  const providers = file.providers ?? [SIMULATOR]
  const routes = file.routes ?? defaultRoutes(providers.map(toAble))
  return { providers: providers.map(toProvider), routes: routes.map(toRoute) }
}

/** What a channel without any provider has no route for. */
const DEFAULTS = { sms: 'default' as RouteId, email: 'default-email' as RouteId } as const

const defaultRoutes = (able: readonly Able[]) =>
  CHANNELS.flatMap((channel) => {
    const providers = able.filter(({ channels }) => channels.includes(channel)).map(({ name }) => name)
    return providers.length === 0 ? [] : [{ id: DEFAULTS[channel], channel, providers }]
  })

const toAble = ({ name, kind }: FileProvider): Able => ({ name, channels: KINDS[kind].channels })

function parseFile(path: string, env: Env, readFile: (path: string) => string, problems: string[]): File {
  const json = parseJson(path, readFile)
  if (json.kind === 'bad') {
    problems.push(json.problem)
    return {}
  }
  const value = substitute(json.value, env, problems)
  problems.push(...schemaProblems(FileSchema, value, []))
  if (problems.length > 0) return {}

  const file = value as File
  problems.push(...(file.providers ?? []).flatMap(settingsProblems), ...referenceProblems(file))
  return file
}

type Parsed = Readonly<{ kind: 'ok'; value: unknown } | { kind: 'bad'; problem: string }>

/** The reasons a parser gives quote the file, and with it perhaps a secret. */
function parseJson(path: string, readFile: (path: string) => string): Parsed {
  let text: string
  try {
    text = readFile(path)
  } catch {
    return { kind: 'bad', problem: 'the file cannot be read; correct the path or the right to read it' }
  }
  try {
    return { kind: 'ok', value: JSON.parse(text) }
  } catch {
    return { kind: 'bad', problem: `the file is not JSON; \`jq . ${path}\` says where it goes wrong` }
  }
}

const REFERENCE = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/

function substitute(value: unknown, env: Env, problems: string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => substitute(item, env, problems))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, substitute(item, env, problems)]))
  }
  const name = typeof value === 'string' ? REFERENCE.exec(value)?.[1] : undefined
  if (name === undefined) return value
  if (!isSet(env, name))
    problems.push(`names the variable ${name}, which is not set; set it, or write the value itself`)
  return env[name] ?? ''
}

/** What the settings of a provider must be is for its kind to say. */
const settingsProblems = ({ kind, settings = {} }: FileProvider, place: number): string[] =>
  schemaProblems(KINDS[kind].settings, settings, ['providers', `${place}`, 'settings'])

/** `above` is the place in the file that the value stands at. */
function schemaProblems(schema: TSchema, value: unknown, above: readonly string[]): string[] {
  // An unknown key is reported twice by the validator; once by its parent is enough.
  return Errors(schema, value)
    .filter(({ keyword }) => keyword !== 'boolean')
    .map((error) => {
      const place = [...above, ...error.instancePath.split('/').slice(1)].join('/') || 'the file'
      switch (error.keyword) {
        case 'additionalProperties':
          return `${place} has unknown keys; remove or correct ${error.params.additionalProperties.join(', ')}`
        case 'required':
          return `${place} lacks ${error.params.requiredProperties.join(', ')}; add what is missing`
        default:
          return `${place} must be ${mustAt(schema, error.schemaPath)}; correct it`
      }
    })
}

/** The schema's own words for what a value must be, found by the path the validator names. */
function mustAt(root: TSchema, schemaPath: string): string {
  const schema = schemaPath
    .split('/')
    .slice(1)
    .reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], root)
  return (schema as { must?: string } | undefined)?.must ?? 'an object'
}

function referenceProblems({ providers = [SIMULATOR], routes = [] }: File): string[] {
  const names = providers.map(({ name }) => name)
  const ids = routes.map(({ id }) => id)
  return [
    ...repeated(names).map((place) => `providers/${place}/name is taken by an earlier provider; choose another`),
    ...repeated(ids).map((place) => `routes/${place}/id is taken by an earlier route; choose another`),
    ...routes.flatMap((route, place) =>
      [...conditionProblems(route), ...providerProblems(route, providers.map(toAble))].map(
        ({ path, message }) => `routes/${place}${path} ${message}`,
      ),
    ),
  ]
}

const repeated = (names: readonly string[]): number[] =>
  names.flatMap((name, place) => (names.indexOf(name) < place ? [place] : []))

function toProvider({ name, kind, settings = {} }: FileProvider): ProviderConfig {
  // Its settings have passed the schema of its kind.
  if (kind !== 'simulator') return { name, kind, settings } as RegisteredConfig
  const { receipt_delay_ms: receiptDelay, latency_ms: latency, error_rate: errorRate } = settings as FileSimulator
  return {
    name,
    kind,
    settings: {
      ...(receiptDelay === undefined ? {} : { receiptDelay: millis(receiptDelay) }),
      ...(latency === undefined ? {} : { latency: millis(latency) }),
      ...(errorRate === undefined ? {} : { errorRate }),
    },
  }
}
