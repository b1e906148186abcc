/**
 * `loadConfig` turns the environment and the configuration file into a frozen Config, or throws a ConfigError that
 * names each wrong setting, what is wrong with it and how to fix it.
 */
import type { TSchema } from 'typebox'
import { Check } from 'typebox/value'
import { conflicts, suspicions, unreadableKeys } from './conflicts.ts'
import { type FileConfig, readConfigFile } from './file.ts'
import { type Env, unknownNames } from './names.ts'
import type { Setting } from './setting.ts'
import { type Settings, SettingsSchema } from './settings.ts'
import { tlsProblems } from './tls-settings.ts'

export type Config = Readonly<Settings> &
  FileConfig &
  /** What is suspicious but allowed, such as a misspelt name. */
  Readonly<{ warnings: readonly string[] }>

export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly exitCode = 78
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.length === 1 ? problems.join() : ['invalid settings:', ...problems].join('\n  - '))
    this.problems = problems
  }
}

type Described = TSchema & Setting & Readonly<{ type?: string }>
export const SETTINGS = Object.entries(SettingsSchema.properties).map(
  ([key, schema]) => [key, schema as TSchema as Described] as const,
)

/** An empty variable counts as not set. `readFile` throws when it cannot read. */
export function loadConfig(env: Env, readFile: (path: string) => string): Config {
  const problems: string[] = []
  const settings = readSettings(env, problems)
  const { namesProviders, ...file } = readConfigFile(settings.configFile, env, readFile, problems)
  problems.push(...conflicts(settings, { ...file, namesProviders }, env), ...unreadableKeys(settings, readFile))
  problems.push(...tlsProblems(settings, readFile))
  if (problems.length > 0) throw new ConfigError(problems)

  const names = SETTINGS.map(([, { env }]) => env)
  const warnings = [...unknownNames(env, names), ...suspicions(file.providers)]
  return deepFreeze({ ...settings, ...file, warnings })
}

/** Adds wrong settings to `problems` and treats them as not set. */
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
  const wrong = schema.hidden ? '' : `, not ${JSON.stringify(given)}`
  const otherwise = schema.default === undefined ? '' : ` to use ${schema.default}`
  return `${schema.env} must be ${schema.must}${wrong}; correct it, or unset it${otherwise}`
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) for (const part of Object.values(value)) deepFreeze(part)
  return Object.freeze(value)
}
