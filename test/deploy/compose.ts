/** Reads deploy/compose/compose.yaml like compose: merges anchors and substitutes variables. */
import { envIn, parseYaml, textOf } from './files.ts'

export const COMPOSE = 'deploy/compose/compose.yaml'
export const ENV_EXAMPLE = 'deploy/compose/.env.example'

export type Env = Readonly<Record<string, string>>
export type Service = Readonly<{
  image: string
  command?: readonly string[]
  environment?: Readonly<Record<string, string | number>>
  depends_on?: Readonly<Record<string, Readonly<{ condition: string }>>>
  healthcheck?: Readonly<{ test?: readonly string[]; disable?: boolean }>
  networks: readonly string[] | Readonly<Record<string, unknown>>
  volumes?: readonly string[]
  tmpfs?: readonly string[]
  ports?: readonly string[]
  deploy?: Readonly<{ replicas?: number }>
  restart?: string
  read_only?: boolean
  cap_drop?: readonly string[]
  security_opt?: readonly string[]
  stop_grace_period?: string
}>
export type Compose = Readonly<{
  services: Readonly<Record<string, Service>>
  networks: Readonly<Record<string, unknown>>
  volumes: Readonly<Record<string, unknown>>
}>

export function readCompose(env: Env): Compose {
  const [compose] = parseYaml(textOf(COMPOSE))
  return filledIn(compose, env) as Compose
}

/** Substitutes after parsing, so that a secret of digits stays a string. */
function filledIn(value: unknown, env: Env): unknown {
  if (typeof value === 'string') return fillIn(value, env)
  if (Array.isArray(value)) return value.map((item) => filledIn(item, env))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, filledIn(item, env)]))
}

/** A made-up value for every secret of the example. */
export const sampleEnv = (): Env =>
  Object.fromEntries(Object.keys(envIn(ENV_EXAMPLE)).map((name, nth) => [name, `${nth % 10}`.repeat(64)]))

const VARIABLE = /\$\{(\w+)(?:(:[-?])([^}]*))?\}/g

/** The variables in a text, and whether each is optional. */
export const variablesIn = (text: string): ReadonlyMap<string, boolean> =>
  new Map([...text.matchAll(VARIABLE)].map(([, name = '', sign]) => [name, sign === ':-']))

function fillIn(text: string, env: Env): string {
  return text.replaceAll(VARIABLE, (_, name: string, sign: string | undefined, rest: string) => {
    const value = env[name] ?? ''
    if (value !== '') return value
    if (sign === ':-') return rest
    throw new Error(`${name} is not set${sign === undefined ? '' : `: ${rest}`}`)
  })
}

export const isPombo = ({ image }: Service): boolean => image.startsWith('pombo:')
export const serves = ({ command = [] }: Service): boolean => command[0] === 'serve'
