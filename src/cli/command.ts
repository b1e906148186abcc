/** What a command is: its options, its help made from them, and what it does. */
import { parseArgs } from 'node:util'
import { usageError } from './exit.ts'
import type { World } from './world.ts'

export type Command = Readonly<{
  name: string
  summary: string
  run: (world: World, argv: readonly string[]) => Promise<number>
}>

/** `value` is how help calls the option's value; an option without one is a switch. */
type Option = Readonly<{ about: string; value?: string }>
type Options = Readonly<Record<string, Option>>
export type Values<Given extends Options> = {
  readonly [Name in keyof Given]?: Given[Name] extends { value: string } ? string : boolean
}

/** `words` are those after the name: how help shows them, and how many there must be. */
type Outline = Readonly<{
  name: string
  summary: string
  words?: Readonly<{ usage: string; least: number; most: number }>
  options: Options
}>

type Spec<Given extends Options> = Outline &
  Readonly<{
    options: Given
    /** Answers the exit code. */
    run: (world: World, values: Values<Given>, words: readonly string[]) => Promise<number>
  }>

export const JSON_OPTION = { json: { about: 'print JSON, one object a line' } } as const
export const OVERRIDE_OPTION = {
  'override-limits': { about: 'send it even where a limit is reached (needs a token with the scope admin)' },
} as const
export const GATEWAY_OPTIONS = {
  url: { value: 'URL', about: 'where the gateway is (POMBO_URL, else POMBO_HOST and POMBO_PORT)' },
  token: { value: 'TOKEN', about: 'the token to use (POMBO_TOKEN, else one made from the data folder)' },
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
      if (words.length < least || words.length > most) throw usageError(`the command reads: ${toUsage(spec)}`)
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
  const rows = Object.entries({ ...outline.options, help: { about: 'show this' } } as Options).map(
    ([name, { value, about }]) => [`--${name}${value === undefined ? '' : ` ${value}`}`, about] as const,
  )
  const width = Math.max(...rows.map(([flag]) => flag.length))
  const lines = rows.map(([flag, about]) => `  ${flag.padEnd(width)}  ${about}`)
  return `${outline.summary}\n\n${toUsage(outline)}\n\n${lines.join('\n')}\n`
}

/** What the option adds to the query of a call. */
export const overrideQuery = (
  values: Values<typeof OVERRIDE_OPTION>,
): Readonly<Record<string, string | undefined>> => ({
  override_limits: values['override-limits'] === true ? 'true' : undefined,
})

/** The value of an option the command cannot do without. */
export function needed(name: string, value: string | undefined): string {
  if (value === undefined || value === '') throw usageError(`--${name} is missing`)
  return value
}

/** The value of an option that must be a whole number. */
export function whole(name: string, value: string | undefined, otherwise: number, most: number): number {
  if (value === undefined) return otherwise
  const number = /^\d+$/.test(value) ? Number(value) : 0
  if (number < 1 || number > most) throw usageError(`--${name} must be a whole number from 1 to ${most}`)
  return number
}
