/** What `npm run demo` is told. */
import { parseArgs } from 'node:util'

export type Options = Readonly<{
  /** A gateway that runs already, instead of one of our own. */
  url?: string
  token?: string
  /** Kept afterwards; a folder made for the occasion is not. */
  data?: string
  port: number
  seconds?: number
  /** Begins with a crowd, so that no page is empty. */
  fast: boolean
  /** Messages a second, on average. */
  pace: number
}>

export const HELP = `A lively scene to look at: several tenants, four simulated providers, and everything that can go wrong.

npm run demo -- [options]

  --seconds N    end after N seconds (else with Ctrl-C)
  --fast         begin with some hundred messages at once, so that there is something to see right away
  --pace N       messages a second, on average (4)
  --port N       where its gateway listens (any free port)
  --data DIR     the data folder of its gateway, which is kept (else one that is removed at the end)
  --url URL      use a gateway that runs already, and has no providers but simulators
  --token TOKEN  with --url: who to be there; it needs the scope admin
`

/** Undefined when help was asked for; throws when the options make no sense. */
export function parseOptions(argv: readonly string[]): Options | undefined {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      url: { type: 'string' },
      token: { type: 'string' },
      data: { type: 'string' },
      port: { type: 'string' },
      seconds: { type: 'string' },
      pace: { type: 'string' },
      fast: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) return undefined
  const { url, token, data, fast } = values
  if ((url === undefined) !== (token === undefined)) throw new Error('--url and --token go together')
  if (url !== undefined && (data ?? values.port) !== undefined)
    throw new Error('--data and --port are for a gateway of its own')
  return {
    ...(url === undefined || token === undefined ? {} : { url: url.replace(/\/+$/, ''), token }),
    ...(data === undefined ? {} : { data }),
    ...(values.seconds === undefined ? {} : { seconds: whole('seconds', values.seconds, 1, 86_400) }),
    port: whole('port', values.port ?? '0', 0, 65_535),
    pace: whole('pace', values.pace ?? '4', 1, 200),
    fast,
  }
}

function whole(name: string, value: string, least: number, most: number): number {
  const number = Number(value)
  if (/^\d+$/.test(value) && number >= least && number <= most) return number
  throw new Error(`--${name} must be a whole number from ${least} to ${most}`)
}
