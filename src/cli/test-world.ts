/** A world for tests: captured output, a clock that moves only while waiting, and a gateway on a real socket. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { pino } from 'pino'
import { passed } from '../lib/check.ts'
import { type Instant, instant } from '../lib/time.ts'
import { runCli } from './run.ts'
import type { World } from './world.ts'

export const NOON = instant(Date.parse('2030-01-31T12:00:00Z'))

export type Ran = Readonly<{ code: number; out: string; err: string }>

/** Runs a command line until it ends. */
export async function run(argv: readonly string[], changes: Partial<World> = {}): Promise<Ran> {
  const { world, written } = toTestWorld(changes)
  const code = await runCli(world, argv)
  return { code, ...written() }
}

export function toTestWorld(changes: Partial<World> = {}) {
  const lines = { out: '', err: '' }
  let now: number = NOON
  const output = (name: keyof typeof lines) => ({
    write: (text: string) => {
      lines[name] += text
    },
    isTerminal: false,
    hasColours: false,
  })
  const world: World = {
    env: {},
    out: output('out'),
    err: output('err'),
    clock: () => now as Instant,
    fetch: globalThis.fetch,
    readFile: unexpected('readFile'),
    readInput: unexpected('readInput'),
    openStdio: unexpected('openStdio'),
    pause: async (wait) => {
      now += wait
    },
    stopSignal: () => new AbortController().signal,
    ask: undefined,
    program: ['/opt/pombo/current/node', '/opt/pombo/current/src/main.ts'],
    execute: unexpected('execute'),
    runScript: unexpected('runScript'),
    openLogger: async (level) => pino({ level }, { write: (line: string) => world.err.write(line) }),
    openApp: unexpected('openApp'),
    rebuildIndex: unexpected('rebuildIndex'),
    replayEvents: unexpected('replayEvents'),
    migrateDatabase: unexpected('migrateDatabase'),
    backupData: unexpected('backupData'),
    restoreData: unexpected('restoreData'),
    importFolder: unexpected('importFolder'),
    createUser: unexpected('createUser'),
    inviteUser: unexpected('inviteUser'),
    checkCluster: unexpected('checkCluster'),
    checkCodes: async () => passed('codes', 'can be hashed'),
    ...changes,
  }
  return { world, written: () => ({ ...lines }) }
}

const unexpected = (name: string) => (): never => {
  throw new Error(`${name} was not expected to be called`)
}

export type Received = Readonly<{
  method: string
  path: string
  query: URLSearchParams
  headers: IncomingMessage['headers']
  body: unknown
}>

/** Returns JSON for a 200, or writes the response itself. */
export type Answer = (request: Received, response: ServerResponse) => unknown

export async function openTestGateway(answer: Answer) {
  const requests: Received[] = []
  const server = createServer(async (message, response) => {
    const { pathname, searchParams } = new URL(message.url ?? '/', 'http://gateway')
    const text = Buffer.concat(await Array.fromAsync(message)).toString()
    const request: Received = {
      method: message.method ?? '',
      path: pathname,
      query: searchParams,
      headers: message.headers,
      body: text === '' ? undefined : JSON.parse(text),
    }
    requests.push(request)
    const json = answer(request, response)
    if (json !== undefined) response.setHeader('content-type', 'application/json').end(JSON.stringify(json))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return {
    url,
    requests,
    env: { POMBO_URL: url, POMBO_TOKEN: 'a-token' },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Answers with a problem, as the API does. */
export const refuseWith =
  (status: number, detail: string): Answer =>
  (_request, response) => {
    response.writeHead(status, { 'content-type': 'application/problem+json' })
    response.end(JSON.stringify({ title: 'No', status, detail }))
  }
