/** A gateway that runs as a process of its own on a free port, and a client that speaks HTTP to it. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Command, type Ended, type Env, startPombo } from './command.ts'
import { START_WITHIN_MS, until } from './until.ts'

export type Answer<Body> = Readonly<{
  status: number
  headers: Headers
  text: string
  /** The text read as JSON; undefined when it is none. */
  body: Body
}>

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** `Body` is what the caller expects in the answer. Rejects when the connection breaks. */
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
  /** Holds `data`, and `config.json` where there is a config. */
  folder: string
  /** What POMBO_CONFIG is to say. */
  config?: object
  env?: Env
}>

const ANSWER_WITHIN_MS = 30_000
const BANNER = /^Pombo listens on (\S+)\n[\s\S]*^(ey\S+)$/m

export const dataDirOf = (folder: string): string => join(folder, 'data')

/** The settings of a gateway in this folder; also for commands on its data while it is stopped. */
export async function settingsFor({ folder, config, env }: GatewayOptions): Promise<Env> {
  const path = join(folder, 'config.json')
  if (config !== undefined) await writeFile(path, JSON.stringify(config))
  return {
    POMBO_PORT: '0',
    POMBO_DATA_DIR: dataDirOf(folder),
    POMBO_LOG_LEVEL: 'warn',
    ...(config === undefined ? {} : { POMBO_CONFIG: path }),
    ...env,
  }
}

/** Rejects with what the process said when it ends before it listens. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const command = startPombo(['serve'], await settingsFor(options))
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
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
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
