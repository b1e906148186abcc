/** A gateway in its own process on a free port, and an HTTP client of it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import { type Command, type Ended, type Env, startPombo } from './command.ts'
import { START_WITHIN_MS, until } from './until.ts'

export type Answer<Body> = Readonly<{
  status: number
  headers: Headers
  text: string
  /** The text parsed as JSON; undefined for other content types. */
  body: Body
}>

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `Body` is the expected type of the answer. Rejects if the connection breaks. */
export type Call = <Body = unknown>(
  method: Method,
  path: string,
  body?: unknown,
  headers?: Env,
) => Promise<Answer<Body>>

export type Gateway = AsyncDisposable &
  Pick<Command, 'kill' | 'err' | 'hasEnded'> &
  Readonly<{ url: string; token: string; call: Call; exited: Promise<Ended> }>

export type GatewayOptions = Readonly<{
  /** Contains `data`, and `config.json` if there is a config. */
  folder: string
  /** The content of the POMBO_CONFIG file. */
  config?: object
  env?: Env
}>

const ANSWER_WITHIN_MS = 30_000
const BANNER = /^Pombo listens on (\S+)\n[\s\S]*^(ey\S+)$/m

export const dataDirOf = (folder: string): string => join(folder, 'data')

/** The environment of a gateway in this folder, and of commands on its data while it is stopped. */
export async function settingsFor({ folder, config, env }: GatewayOptions): Promise<Env> {
  const path = join(folder, 'config.json')
  if (config !== undefined) await writeFile(path, JSON.stringify(config))
  return {
    POMBO_PORT: '0',
    POMBO_DATA_DIR: dataDirOf(folder),
    POMBO_LOG_LEVEL: 'warn',
    // Tests wait for what a scrape reads from the stores.
    POMBO_METRICS_CACHE_SECONDS: '0',
    ...omitUndefined({ POMBO_CONFIG: config && path }),
    ...env,
  }
}

export const startGateway = async (options: GatewayOptions): Promise<Gateway> =>
  listening(startPombo(['serve'], await settingsFor(options)))

/** The gateway that the command starts. Rejects with the output of the process if it ends before it listens. */
export async function listening(command: Command): Promise<Gateway> {
  const [, url = '', token = ''] = await until('the gateway to listen', () => bannerOf(command), {
    withinMs: START_WITHIN_MS,
    everyMs: 5,
  }).catch(async (error) => {
    await command.kill('SIGKILL')
    throw error
  })
  const { kill, err, hasEnded, ended: exited } = command
  return {
    url,
    token,
    call: callerOf(url, token),
    kill,
    err,
    hasEnded,
    exited,
    async [Symbol.asyncDispose]() {
      await kill('SIGKILL')
    },
  }
}

function bannerOf({ out, err, hasEnded }: Command): RegExpExecArray | undefined {
  if (hasEnded()) throw new Error(`the gateway ended before it listened: ${err()}`)
  return BANNER.exec(out()) ?? undefined
}

/** `fetch` keeps connections alive by itself. */
export function callerOf(url: string, token: string): Call {
  return async <Body>(method: Method, path: string, body?: unknown, headers: Env = {}) => {
    const contentType = body === undefined ? {} : { 'content-type': 'application/json' }
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...contentType, ...headers },
      body: typeof body === 'string' || body === undefined ? (body ?? null) : JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    })
    const text = await response.text()
    const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson ? JSON.parse(text) : undefined) as Body,
    }
  }
}
