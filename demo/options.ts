/** The options of `npm run demo`. */
import { parseArgs } from 'node:util'
import { omitUndefined } from '../src/lib/omit-undefined.ts'

export type Options = Readonly<{
  /** An existing gateway, instead of a new one. */
  url?: string
  token?: string
  /** Kept afterwards; a temporary folder is removed. */
  data?: string
  port: number
  seconds?: number
  /** Starts with many messages, so that no page is empty. */
  fast: boolean
  /** Average messages per second. */
  pace: number
}>

export const HELP = `Simulated traffic to look at: several tenants, four simulated providers, and everything that can go wrong.

npm run demo -- [options]

  --seconds N    end after N seconds (default: on Ctrl-C)
  --fast         start with several hundred messages, so that there is something to see immediately
  --pace N       average messages per second (4)
  --port N       port of the gateway (default: any free port)
  --data DIR     data folder of the gateway, which is kept (default: a temporary folder)
  --url URL      use an existing gateway whose providers are all simulators
  --token TOKEN  with --url: a token with scope admin
`

/** Undefined for --help; throws when an option is invalid. */
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
  if ((url === undefined) !== (token === undefined)) throw new Error('--url and --token must be used together')
  if (url !== undefined && (data ?? values.port) !== undefined)
    throw new Error('--data and --port cannot be combined with --url')
  return {
    ...omitUndefined({
      url: url?.replace(/\/+$/, ''),
      token,
      data,
      seconds: values.seconds === undefined ? undefined : whole('seconds', values.seconds, 1, 86_400),
    }),
    port: whole('port', values.port ?? '0', 0, 65_535),
    pace: whole('pace', values.pace ?? '4', 1, 200),
    fast,
  }
}

function whole(name: string, value: string, min: number, max: number): number {
  const number = Number(value)
  if (/^\d+$/.test(value) && number >= min && number <= max) return number
  throw new Error(`--${name} must be a whole number from ${min} to ${max}`)
}
