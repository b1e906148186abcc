/**
 * Reads the configuration file: providers, routes, tenants, retention and sinks. A string `${NAME}` in it is replaced by the environment variable
 * NAME, so that secrets stay out of the file; problems never repeat a value.
 */
import type { TSchema } from 'typebox'
import { Errors } from 'typebox/value'
import { mayUse } from '../domain/access/reserved-provider.ts'
import type { Tenant } from '../domain/access/tenant.ts'
import { type TenantFields, tenantProblems, toTenant } from '../domain/access/tenant-fields.ts'
import { type ProviderName, parseTenantId, type RouteId, type TenantId } from '../domain/ids.ts'
import { CHANNELS } from '../domain/message/message.ts'
import type { RetentionRule } from '../domain/message/retention.ts'
import { type Able, conditionProblems, providerProblems, toRoute } from '../domain/routing/route-fields.ts'
import type { Route } from '../domain/routing/routing.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { type Millis, millis } from '../lib/time.ts'
import type { RegisteredConfig } from '../providers/registry.ts'
import { type AlertConfig, toAlertConfig } from './alert-settings.ts'
import {
  type File,
  type FileProvider,
  type FileRetention,
  FileSchema,
  type FileSimulator,
  KINDS,
} from './file-schema.ts'
import { type Env, isSet } from './names.ts'
import { type FileSink, SINK_KINDS, type SinkConfig, toSink } from './sink-settings.ts'

export type SimulatorSettings = Readonly<{ receiptDelay?: Millis; latency?: Millis; errorRate?: number }>
export type SimulatorConfig = Readonly<{ name: ProviderName; kind: 'simulator'; settings: SimulatorSettings }>
/** `tenants`: the only ones that may use it. */
export type ProviderConfig = (SimulatorConfig | RegisteredConfig) & Readonly<{ tenants?: readonly TenantId[] }>

export const isSimulator = (config: ProviderConfig): config is SimulatorConfig => config.kind === 'simulator'

export type FileConfig = Readonly<{
  providers: readonly ProviderConfig[]
  routes: readonly Route[]
  tenants: readonly Tenant[]
  retentionRules: readonly RetentionRule[]
  sinks: readonly SinkConfig[]
  alerts: AlertConfig
}>

const SIMULATOR: FileProvider = { name: 'simulator' as ProviderName, kind: 'simulator' }

/** Without a file the simulator carries everything; without routes every provider is used, in the order of the file. */
export function readConfigFile(
  path: string | undefined,
  env: Env,
  readFile: (path: string) => string,
  problems: string[],
): FileConfig & Readonly<{ namesProviders: boolean }> {
  const found: string[] = []
  const file = path === undefined ? {} : parseFile(path, env, readFile, found)
  problems.push(...found.map((problem) => `POMBO_CONFIG (${path}): ${problem}`))
  const providers = file.providers ?? [SIMULATOR]
  const routes = file.routes ?? defaultRoutes(providers.map(toAble))
  return {
    namesProviders: file.providers !== undefined,
    providers: providers.map(toProvider),
    routes: routes.map(toRoute),
    tenants: tenantsOf(file).map(toTenant),
    retentionRules: (file.retention ?? []).map(toRetentionRule),
    sinks: (file.sinks ?? []).map(toSink),
    alerts: toAlertConfig(file.alerts),
  }
}

/** A channel without any provider gets no default route. */
const DEFAULT_ROUTE_IDS = { sms: 'default' as RouteId, email: 'default-email' as RouteId } as const

const defaultRoutes = (able: readonly Able[]) =>
  CHANNELS.flatMap((channel) => {
    const providers = able.filter(({ channels }) => channels.includes(channel)).map(({ name }) => name)
    return providers.length === 0 ? [] : [{ id: DEFAULT_ROUTE_IDS[channel], channel, providers }]
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
  problems.push(...tenantFileProblems(file), ...ruleProblems(file), ...(file.sinks ?? []).flatMap(sinkProblems))
  return file
}

type Parsed = Readonly<{ kind: 'ok'; value: unknown } | { kind: 'bad'; problem: string }>

/** The messages of JSON.parse are not used: they quote the file, which may contain secrets. */
function parseJson(path: string, readFile: (path: string) => string): Parsed {
  let text: string
  try {
    text = readFile(path)
  } catch {
    return { kind: 'bad', problem: 'cannot read the file; correct the path or the permissions' }
  }
  try {
    return { kind: 'ok', value: JSON.parse(text) }
  } catch {
    return { kind: 'bad', problem: `the file is not valid JSON; \`jq . ${path}\` shows where` }
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
    problems.push(`the file refers to the variable ${name}, which is not set; set it, or write the value into the file`)
  return env[name] ?? ''
}

const settingsProblems = ({ kind, settings = {} }: FileProvider, nth: number): string[] =>
  schemaProblems(KINDS[kind].settings, settings, ['providers', `${nth}`, 'settings'])

const sinkProblems = ({ kind, settings }: FileSink, nth: number): string[] =>
  schemaProblems(SINK_KINDS[kind].settings, settings, ['sinks', `${nth}`, 'settings'])

/** `parent` is the path of the value in the file. */
function schemaProblems(schema: TSchema, value: unknown, parent: readonly string[]): string[] {
  // An unknown key is reported twice by the validator; once by its parent is enough.
  return Errors(schema, value)
    .filter(({ keyword }) => keyword !== 'boolean')
    .map((error) => {
      const path = [...parent, ...error.instancePath.split('/').slice(1)].join('/') || 'the file'
      switch (error.keyword) {
        case 'additionalProperties':
          return `${path} has unknown keys; remove or correct ${error.params.additionalProperties.join(', ')}`
        case 'required':
          return `${path} is missing ${error.params.requiredProperties.join(', ')}`
        default:
          return `${path} must be ${mustAt(schema, error.schemaPath)}`
      }
    })
}

/** The `must` of the schema that the validator refers to. */
function mustAt(root: TSchema, schemaPath: string): string {
  const schema = schemaPath
    .split('/')
    .slice(1)
    .reduce<unknown>((part, key) => (part as Record<string, unknown> | undefined)?.[key], root)
  return (schema as { must?: string } | undefined)?.must ?? 'an object'
}

function referenceProblems({ providers = [SIMULATOR], routes = [], sinks = [] }: File): string[] {
  const names = providers.map(({ name }) => name)
  const ids = routes.map(({ id }) => id)
  return [
    ...repeated(names).map((nth) => `providers/${nth}/name is used by an earlier provider; choose another`),
    ...repeated(ids).map((nth) => `routes/${nth}/id is used by an earlier route; choose another`),
    ...repeated(sinks.map(({ name }) => name)).map(
      (nth) => `sinks/${nth}/name is used by an earlier sink; choose another`,
    ),
    ...routes.flatMap((route, nth) =>
      [
        ...conditionProblems(route),
        ...providerProblems(route, providers.map(toAble), allowedIn(providers, route.tenant_id)),
      ].map(({ path, message }) => `routes/${nth}${path} ${message}`),
    ),
  ]
}

/** A route for all tenants may name every provider: of those, each tenant has the part that it may use. */
const allowedIn = (providers: readonly FileProvider[], tenantId?: TenantId): readonly ProviderName[] =>
  providers.filter((provider) => tenantId === undefined || mayUse(provider, tenantId)).map(({ name }) => name)

/** Their ids are keys of the file. */
const tenantsOf = ({ tenants = {} }: File): readonly TenantFields[] =>
  Object.entries(tenants).map(([id, fields]) => ({ ...fields, id: id as TenantId }))

function tenantFileProblems(file: File): string[] {
  const { providers = [SIMULATOR] } = file
  return tenantsOf(file).flatMap((fields) => [
    ...(parseTenantId(fields.id) === undefined
      ? [`tenants/${fields.id} is not an id of a tenant; use a name of at most 64 letters, digits, - or _`]
      : []),
    ...tenantProblems(fields, { providers, mostDays: undefined }).map(
      ({ path, message }) => `tenants/${fields.id}${path} ${message}`,
    ),
  ])
}

function ruleProblems({ retention = [] }: File): string[] {
  const scopes = retention.map(({ tenant_id: tenantId = '', channel = '' }) => `${tenantId} ${channel}`)
  return [
    ...repeated(scopes).map(
      (nth) => `retention/${nth} is for the same messages as an earlier rule; remove one of them`,
    ),
    ...retention.flatMap(({ tenant_id: tenantId, channel }, nth) =>
      (tenantId ?? channel) === undefined
        ? [`retention/${nth} names neither tenant_id nor channel; name one, or set POMBO_RETENTION_DAYS instead`]
        : [],
    ),
  ]
}

const toRetentionRule = ({ tenant_id: tenantId, channel, days }: FileRetention): RetentionRule =>
  omitUndefined({ tenantId, channel, days })

const repeated = (names: readonly string[]): number[] =>
  names.flatMap((name, nth) => (names.indexOf(name) < nth ? [nth] : []))

function toProvider({ tenants, ...provider }: FileProvider): ProviderConfig {
  const config = toConfig(provider)
  return tenants === undefined ? config : { ...config, tenants }
}

function toConfig({ name, kind, settings = {} }: FileProvider): ProviderConfig {
  // The settings were checked against the schema of the kind.
  if (kind !== 'simulator') return { name, kind, settings } as RegisteredConfig
  const { receipt_delay_ms: receiptDelay, latency_ms: latency, error_rate: errorRate } = settings as FileSimulator
  return {
    name,
    kind,
    settings: omitUndefined({
      receiptDelay: receiptDelay === undefined ? undefined : millis(receiptDelay),
      latency: latency === undefined ? undefined : millis(latency),
      errorRate,
    }),
  }
}
