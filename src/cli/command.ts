/** Defines a command: its options, the help generated from them, and the function that runs it. */
import { parseArgs } from 'node:util'
import { type MessageId, parseMessageId } from '../domain/ids.ts'
import { usageError } from './exit.ts'
import type { World } from './world.ts'

export type Command = Readonly<{
  name: string
  summary: string
  run: (world: World, argv: readonly string[]) => Promise<number>
}>

/** `value` is the placeholder in the help; an option without one is a switch. */
type Option = Readonly<{ about: string; value?: string }>
type Options = Readonly<Record<string, Option>>
export type Values<Given extends Options> = {
  readonly [Name in keyof Given]?: Given[Name] extends { value: string } ? string : boolean
}

/** `words` are the positional arguments: how the help shows them, and how many there must be. */
type Outline = Readonly<{
  name: string
  summary: string
  words?: Readonly<{ usage: string; least: number; most: number }>
  options: Options
}>

type Spec<Given extends Options> = Outline &
  Readonly<{
    options: Given
    /** Returns the exit code. */
    run: (world: World, values: Values<Given>, words: readonly string[]) => Promise<number>
  }>

export const JSON_OPTION = { json: { about: 'print JSON, one object per line' } } as const
export const OVERRIDE_OPTION = {
  'override-limits': { about: 'ignore rate limits (requires a token with scope admin)' },
} as const
export const GATEWAY_OPTIONS = {
  url: { value: 'URL', about: 'URL of the gateway (default: POMBO_URL, or POMBO_HOST and POMBO_PORT)' },
  token: {
    value: 'TOKEN',
    about: 'token or API key to use (default: POMBO_TOKEN, or a token signed with the secret of the data folder)',
  },
} as const

export function defineCommand<const Given extends Options>(spec: Spec<Given>): Command {
  const { name, summary } = spec
  return {
    name,
    summary,
    async run(world, argv) {
      const { values, words } = parse(spec, argv)
      if (values['help'] === true) {
        world.out.write(toHelp(spec))
        return 0
      }
      const { least, most } = spec.words ?? { least: 0, most: 0 }
      if (words.length < least || words.length > most) throw usageError(`usage: ${toUsage(spec)}`)
      return await spec.run(world, values as Values<Given>, words)
    },
  }
}

function parse(outline: Outline, argv: readonly string[]) {
  const options = Object.entries(outline.options).map(([name, { value }]) => {
    const type = value === undefined ? ('boolean' as const) : ('string' as const)
    return [name, { type }] as const
  })
  const known = { ...Object.fromEntries(options), help: { type: 'boolean', short: 'h' } } as const
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options: known, allowPositionals: true })
    return { values: values as Readonly<Record<string, string | boolean | undefined>>, words: positionals }
  } catch (error) {
    throw usageError(error instanceof Error ? error.message : String(error))
  }
}

const toUsage = ({ name, words, options }: Outline): string =>
  ['pombo', name, words?.usage, Object.keys(options).length === 0 ? undefined : '[options]']
    .filter((part) => part !== undefined)
    .join(' ')

function toHelp(outline: Outline): string {
  const rows = Object.entries({ ...outline.options, help: { about: 'show this help' } } as Options).map(
    ([name, { value, about }]) => [`--${name}${value === undefined ? '' : ` ${value}`}`, about] as const,
  )
  const width = Math.max(...rows.map(([flag]) => flag.length))
  const lines = rows.map(([flag, about]) => `  ${flag.padEnd(width)}  ${about}`)
  return `${outline.summary}\n\n${toUsage(outline)}\n\n${lines.join('\n')}\n`
}

/** The query parameter for --override-limits. */
export const overrideQuery = (
  values: Values<typeof OVERRIDE_OPTION>,
): Readonly<Record<string, string | undefined>> => ({
  override_limits: values['override-limits'] === true ? 'true' : undefined,
})

/** The value of a required option. */
export function needed(name: string, value: string | undefined): string {
  if (value === undefined || value === '') throw usageError(`--${name} is required`)
  return value
}

/** The value of an option that must be a whole number. */
export function whole(name: string, value: string | undefined, fallback: number, max: number): number {
  if (value === undefined) return fallback
  const number = /^\d+$/.test(value) ? Number(value) : 0
  if (number < 1 || number > max) throw usageError(`--${name} must be a whole number from 1 to ${max}`)
  return number
}

export function readMessageId(text: string | undefined): MessageId {
  const id = parseMessageId(text ?? '')
  if (id === undefined) throw usageError('ID must be a full message id, as `pombo search` prints it')
  return id
}
