/** The options of `npm run demo`. */
import { parseArgs } from 'node:util'
import { omitUndefined } from '../src/lib/omit-undefined.ts'

export type Settings = Readonly<Record<string, string>>

export type Options = Readonly<{
  /** An existing gateway, instead of a new one. */
  url?: string
  token?: string
  /** Kept afterwards; a temporary folder is removed. */
  data?: string
  /** Of a new gateway, as environment variables. */
  settings: Settings
  seconds?: number
  /** A new gateway starts with the day before. */
  history: boolean
  /** Starts with many messages, so that no page is empty. */
  fast: boolean
  /** Average messages per second. */
  pace: number
}>

type Env = Readonly<Record<string, string | undefined>>

/**
 * A demo must neither write into the data folder of a real gateway nor send through its providers, and it signs its own
 * tokens.
 */
const OWN: readonly string[] = [
  ...['POMBO_CONFIG', 'POMBO_DATA_DIR', 'POMBO_PROFILE', 'POMBO_ROLES'],
  ...['POMBO_JWKS_URL', 'POMBO_JWKS_FILE', 'POMBO_URL', 'POMBO_TOKEN'],
]

export const HELP = `Simulated traffic to look at: several tenants, four simulated providers, and everything that can go wrong.

npm run demo -- [options]

  --seconds N    end after N seconds (default: on Ctrl-C)
  --fast         start with several hundred messages, so that there is something to see immediately
  --pace N       average messages per second (2)
  --empty        start without the messages of the day before
  --port N       port of the gateway (default: POMBO_PORT, or any free port)
  --data DIR     data folder of the gateway, which is kept (default: a temporary folder)
  --url URL      use an existing gateway whose providers are all simulators
  --token TOKEN  with --url: a token with scope admin

Settings of the environment (docs/configuration.md) apply, except for those that the demo needs for itself:
${OWN.join(', ')}.
`

const isSetting = (name: string): boolean => /^(?:POMBO|OTEL)_/.test(name) && !OWN.includes(name)

/** The settings that apply to the gateway of the demo. */
function settingsIn(env: Env, port: string | undefined): Settings {
  const given = Object.entries(env).flatMap(([name, value = '']) =>
    isSetting(name) && value !== '' ? [[name, value]] : [],
  )
  return { POMBO_PORT: '0', ...Object.fromEntries(given), ...(port === undefined ? {} : { POMBO_PORT: port }) }
}

/** Undefined for --help; throws when an option is invalid. */
export function parseOptions(argv: readonly string[], env: Env = {}): Options | undefined {
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
      empty: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help === true) return undefined
  const { url, token, data, fast, empty } = values
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
    settings: settingsIn(env, values.port && `${whole('port', values.port, 0, 65_535)}`),
    pace: whole('pace', values.pace ?? '2', 1, 200),
    history: !empty,
    fast,
  }
}

function whole(name: string, value: string, min: number, max: number): number {
  const number = Number(value)
  if (/^\d+$/.test(value) && number >= min && number <= max) return number
  throw new Error(`--${name} must be a whole number from ${min} to ${max}`)
}
