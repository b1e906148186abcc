/** `pombo mcp`: serves the Model Context Protocol, by which AI assistants use the gateway. Loads the SDK only when run. */
import { once } from 'node:events'
import type { Logger } from 'pino'
import { codeOf } from '../config/data-dir.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import type { Send } from '../mcp/gateway.ts'
import type { ServerOptions } from '../mcp/server.ts'
import type { HttpOptions } from '../mcp/transports/http.ts'
import { request, type Target, toTarget } from './client.ts'
import { defineCommand, GATEWAY_OPTIONS, type Values, whole } from './command.ts'
import { CommandError, EXIT, failure, unavailable, usageError } from './exit.ts'
import { toJson } from './json.ts'
import { paint, toPlain } from './render.ts'
import { readVersion } from './version.ts'
import type { World } from './world.ts'

const OPTIONS = {
  http: { about: 'listen for HTTP instead of standard input; every client sends its own API key' },
  host: { value: 'ADDRESS', about: 'with --http: address to listen on (127.0.0.1)' },
  port: { value: 'NUMBER', about: 'with --http: port to listen on; 0 means any free port (8095)' },
  'allowed-host': {
    value: 'NAMES',
    about: 'with --http: host names under which clients reach it, separated by commas (localhost)',
  },
  'allow-send': { about: 'send and replay for real without asking the person in front of the client' },
  ...GATEWAY_OPTIONS,
} as const

type Given = Values<typeof OPTIONS>

export const mcp = defineCommand({
  name: 'mcp',
  summary: 'Let AI assistants use the gateway (Model Context Protocol).',
  options: OPTIONS,
  async run(world, given) {
    refuseMixed(given)
    return given.http === true ? await overHttp(world, given) : await overStdio(world, given)
  },
})

const HTTP_ONLY = ['host', 'port', 'allowed-host'] as const

function refuseMixed(given: Given): void {
  const extra = HTTP_ONLY.find((name) => given[name] !== undefined)
  if (given.http !== true && extra !== undefined) throw usageError(`--${extra} needs --http`)
  if (given.http === true && given.token !== undefined)
    throw usageError('--token cannot be combined with --http: every client sends its own API key')
}

/** Without a token of its own it gets one that may neither administer nor read texts. */
const LOCAL = {
  subject: 'mcp',
  scopes: ['sms:send', 'email:send', 'messages:read', 'messages:write'],
} as const

async function overStdio(world: World, given: Given): Promise<number> {
  const target = toTarget(world, given, LOCAL)
  const { serveStdio } = await import('../mcp/transports/stdio.ts')
  const logger = await world.openLogger('info')
  const served = await serveStdio({
    ...world.openStdio(),
    stop: world.stopSignal(),
    send: sendTo(world, target, async () => ({ authorization: `Bearer ${await target.token()}` })),
    shared: await toShared(world, logger, given),
    onUnreachable: (reason) => logger.warn(`mcp: ${toPlain(reason)}`),
  })
  if (served.kind === 'denied') throw failure(`the gateway refuses the credentials: ${toPlain(served.reason)}`)
  return EXIT.ok
}

const DEFAULT_PORT = 8095
const MAX_PORT = 65_535

async function overHttp(world: World, given: Given): Promise<number> {
  const target = toTarget(world, given)
  const { openHttpServer } = await import('../mcp/transports/http.ts')
  const { host = '127.0.0.1' } = given
  const port = given.port === '0' ? 0 : whole('port', given.port, DEFAULT_PORT, MAX_PORT)
  const names = (given['allowed-host'] ?? '').toLowerCase().match(/[^\s,]+/g) ?? []
  const logger = await world.openLogger('info')
  const shared = await toShared(world, logger, given)
  const sendWith: HttpOptions['sendWith'] = (headers) => sendTo(world, target, async () => headers)
  const onUnreachable = (reason: string): void => logger.warn(`mcp: ${toPlain(reason)}`)
  const stop = world.stopSignal()
  await using server = await openHttpServer({
    host,
    port,
    names,
    clock: world.clock,
    sendWith,
    shared,
    onUnreachable,
  }).catch((error: unknown) => {
    throw toListenError(host, port, error) ?? error
  })
  world.out.write(`${paint(world.out, 'bold', 'Pombo answers MCP clients on')} ${server.url}\n`)
  if (!stop.aborted) await once(stop, 'abort')
  return EXIT.ok
}

function toListenError(host: string, port: number, error: unknown): CommandError | undefined {
  const code = codeOf(error)
  if (code === 'EADDRINUSE') return unavailable(`port ${port} on ${host} is in use; choose another with --port`, error)
  if (code !== 'EADDRNOTAVAIL' && code !== 'ENOTFOUND') return undefined
  return unavailable(`${host} is not an address of this machine; correct --host`, error)
}

async function toShared(world: World, logger: Logger, given: Given): Promise<ServerOptions> {
  const { openCallKeys } = await import('../mcp/call-keys.ts')
  return {
    version: readVersion(world),
    isSendAllowed: given['allow-send'] === true,
    keyOf: openCallKeys(),
    onFault: (err) => logger.error({ err }, 'mcp: a call failed'),
  }
}

/** A gateway that cannot be reached is an answer here: the assistant passes it on. */
const sendTo =
  (world: World, { base }: Target, headers: () => Promise<Readonly<Record<string, string>>>): Send =>
  async (method, path, { body, ...call }) => {
    const json = body === undefined ? {} : { body: toJson(body), type: { 'content-type': 'application/json' } }
    try {
      return await request(world, base, path, {
        ...omitUndefined({ ...call, body: json.body }),
        method,
        headers: { ...json.type, ...call.headers, ...(await headers()) },
      })
    } catch (error) {
      if (error instanceof CommandError && error.exitCode === EXIT.unavailable) return { unreachable: error.message }
      throw error
    }
  }
