/** What `pombo init` must know: taken from options and the environment, and otherwise asked at the terminal. */
import { resolve } from 'node:path'
import { isTrustworthyUrl } from '../lib/loopback.ts'
import type { Values } from './command.ts'
import { usageError } from './exit.ts'
import { type Asked, askedOf, isNeeded, isPointless, KIND_NAMES, type Kind, type Value } from './init-providers.ts'
import { toPlain } from './render.ts'
import type { World } from './world.ts'

export const PROXIES = ['caddy', 'nginx', 'none'] as const
export type Proxy = (typeof PROXIES)[number]

/** `secrets` are stored under these variables, apart from the settings. */
export type ChosenProvider = Readonly<{
  kind: Kind
  settings: Readonly<Record<string, Value>>
  secrets: Readonly<Record<string, string>>
}>

export type Answers = Readonly<{
  /** The folder of the files, and that of the data. */
  dir: string
  dataDir: string
  user: string
  port: number
  publicUrl: URL
  proxy: Proxy
  providers: readonly ChosenProvider[]
}>

const PROVIDER_FLAGS = KIND_NAMES.flatMap(askedOf).flatMap(({ flag, kind, about }) =>
  flag === undefined ? [] : [[flag, { value: 'VALUE', about: `${kind}: ${about}` }] as const],
)

export const INIT_OPTIONS = {
  'public-url': { value: 'URL', about: 'the URL at which callers, people and providers reach the gateway' },
  provider: { value: 'KINDS', about: `one or more of ${KIND_NAMES.join(', ')}, separated by commas` },
  proxy: { value: 'PROXY', about: `the reverse proxy with TLS on this machine: ${PROXIES.join(', ')}` },
  dir: { value: 'DIR', about: 'where to write the files (default: /etc/pombo)' },
  'data-dir': { value: 'DIR', about: 'where the gateway stores its data (default: /var/lib/pombo)' },
  user: { value: 'NAME', about: 'the system user that the gateway runs as (default: pombo)' },
  port: { value: 'PORT', about: 'the port on loopback to listen on (default: 8080)' },
  yes: { about: 'ask nothing' },
  force: { about: 'replace existing files, and keep the old ones in a folder named replaced-…' },
  ...(Object.fromEntries(PROVIDER_FLAGS) as Readonly<Record<string, Readonly<{ value: string; about: string }>>>),
} as const

export type Given = Values<typeof INIT_OPTIONS>

type Question<Answer> = Readonly<{
  flag?: string | undefined
  variable?: string | undefined
  about: string
  must: string
  /** Used where nobody answers, and shown where somebody may. */
  fallback?: string
  /** Only shown. */
  suggestion?: string
  isNeeded: boolean
  parse: (text: string) => Answer | undefined
}>

export async function readAnswers(world: World, given: Given): Promise<Answers> {
  const missing: string[] = []
  const answer = openInterview(world, given, missing)
  const kinds = (await answer(PROVIDER)) ?? []
  const providers: ChosenProvider[] = []
  for (const kind of kinds) providers.push(await readProvider(kind, answer, heldFor(kind, world, given)))
  const read = {
    publicUrl: await answer(PUBLIC_URL),
    proxy: await answer(PROXY),
    dir: await answer({ ...FOLDER, flag: 'dir', fallback: '/etc/pombo' }),
    dataDir: await answer({ ...FOLDER, flag: 'data-dir', fallback: '/var/lib/pombo' }),
    user: await answer(USER),
    port: await answer(PORT),
  }
  if (missing.length > 0 || !isComplete(read)) throw usageError(toMissing(missing))
  return { ...read, providers }
}

type Read = { [Name in keyof Omit<Answers, 'providers'>]: Answers[Name] | undefined }
const isComplete = (read: Read): read is { [Name in keyof Read]: NonNullable<Read[Name]> } =>
  Object.values(read).every((value) => value !== undefined)

const toMissing = (missing: readonly string[]): string =>
  `missing: ${missing.join(', ')}; without a terminal, and with --yes, nothing is asked`

type Answer = <Value>(question: Question<Value>) => Promise<Value | undefined>

/** Adds what is needed and cannot be asked to `missing`. */
function openInterview({ env, ask, err }: World, given: Given, missing: string[]): Answer {
  const isAsking = ask !== undefined && given.yes !== true
  return async (question) => {
    const held = heldIn(question, env, given)
    if (held !== undefined) return parsed(question, held)
    if (question.fallback !== undefined) return parsed(question, question.fallback)
    if (!isAsking) {
      if (question.isNeeded) missing.push(nameOf(question))
      return undefined
    }
    for (;;) {
      const text = (await ask(toPrompt(question), { isSecret: question.variable !== undefined })).trim()
      const value = text === '' ? question.suggestion : text
      if (value === undefined && !question.isNeeded) return undefined
      const found = value === undefined ? undefined : question.parse(value)
      if (found !== undefined) return found
      err.write(`It must be ${question.must}.\n`)
    }
  }
}

type Named = Pick<Question<unknown>, 'flag' | 'variable'>

const nameOf = ({ flag, variable }: Named): string =>
  variable === undefined ? `--${flag}` : `the environment variable ${variable}`

function heldIn({ flag, variable }: Named, env: World['env'], given: Given): string | undefined {
  const held = variable === undefined ? given[flag as keyof Given] : env[variable]
  return typeof held === 'string' && held !== '' ? held : undefined
}

/** The value of a secret is not repeated. */
function parsed<Value>(question: Question<Value>, text: string): Value {
  const value = question.parse(text)
  if (value !== undefined) return value
  const wrong = question.variable === undefined ? `, not ${toPlain(JSON.stringify(text))}` : ''
  throw usageError(`${nameOf(question)} must be ${question.must}${wrong}`)
}

function toPrompt({ about, suggestion, isNeeded }: Question<unknown>): string {
  const hint = suggestion ?? (isNeeded ? '' : 'optional')
  return `${about}${hint === '' ? '' : ` [${hint}]`}\n> `
}

const oneOf = <Name extends string>(names: readonly Name[], text: string): Name | undefined =>
  names.find((name) => name === text)

const PROVIDER: Question<readonly Kind[]> = {
  flag: 'provider',
  about: `Providers: one or more of ${KIND_NAMES.join(', ')}, separated by commas`,
  must: `one or more of ${KIND_NAMES.join(', ')}, separated by commas`,
  isNeeded: true,
  parse(text) {
    const kinds = text.split(',').map((name) => oneOf(KIND_NAMES, name.trim()))
    return kinds.every((kind) => kind !== undefined) && new Set(kinds).size === kinds.length ? kinds : undefined
  },
}

const HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/
const PUBLIC_URL: Question<URL> = {
  flag: 'public-url',
  about: 'The public URL, at which callers, people and providers reach the gateway',
  must: 'a URL without a path, such as https://pombo.example.com; http:// only on this machine',
  isNeeded: true,
  parse(text) {
    const url = /^https?:\/\//.test(text) && URL.canParse(text) ? new URL(text) : undefined
    return url !== undefined && url.href === `${url.origin}/` && HOST.test(url.hostname) && isTrustworthyUrl(url)
      ? url
      : undefined
  },
}

const PROXY: Question<Proxy> = {
  flag: 'proxy',
  about: `The reverse proxy with TLS on this machine: ${PROXIES.join(', ')}`,
  must: PROXIES.join(', '),
  suggestion: 'caddy',
  isNeeded: true,
  parse: (text) => oneOf(PROXIES, text),
}

/** These paths become part of unit files and shell scripts. */
const FOLDER = {
  about: 'folder',
  must: 'the path of a folder, of letters, digits and the characters / . _ @ + -',
  isNeeded: true,
  parse: (text: string) => (/^[\w./@+-]+$/.test(resolve(text)) ? resolve(text) : undefined),
} as const

const USER: Question<string> = {
  flag: 'user',
  about: 'user',
  must: 'the name of a system user, of lower-case letters, digits, - and _',
  fallback: 'pombo',
  isNeeded: true,
  parse: (text) => (/^[a-z_][a-z0-9_-]{0,31}$/.test(text) ? text : undefined),
}

const PORT: Question<number> = {
  flag: 'port',
  about: 'port',
  must: 'a whole number from 1 to 65535',
  fallback: '8080',
  isNeeded: true,
  parse: (text) => (/^\d{1,5}$/.test(text) && Number(text) >= 1 && Number(text) <= 65_535 ? Number(text) : undefined),
}

const heldFor = (kind: Kind, { env }: World, given: Given): readonly string[] =>
  askedOf(kind).flatMap((asked) => (heldIn(asked, env, given) === undefined ? [] : asked.key))

/** `held` are the settings that are known before anything is asked. */
async function readProvider(kind: Kind, answer: Answer, held: readonly string[]): Promise<ChosenProvider> {
  const given = new Set(held)
  const settings: Record<string, Value> = {}
  const secrets: Record<string, string> = {}
  for (const asked of askedOf(kind)) {
    const value = isPointless(asked, given) ? undefined : await answer(toQuestion(asked, given))
    if (value === undefined) continue
    given.add(asked.key)
    if (asked.variable !== undefined) secrets[asked.variable] = String(value)
    settings[asked.key] = asked.variable === undefined ? value : `\${${asked.variable}}`
  }
  return { kind, settings, secrets }
}

const toQuestion = (asked: Asked, given: ReadonlySet<string>): Question<Value> => ({
  ...asked,
  about: `${asked.kind}: ${asked.about}`,
  isNeeded: isNeeded(asked, given),
})
