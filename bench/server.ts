/** The servers that are measured, each a process on a free port of loopback. */

import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { omitUndefined } from '../src/lib/omit-undefined.ts'
import { readMetrics } from './metrics.ts'
import { type Command, openFolder, startProcess } from './processes.ts'
import { type System, type Target, toTarget } from './target.ts'

export type Server = Target &
  Readonly<{
    name: string
    pid: number
    port: number
    /** Its worker threads, in the order they are started. */
    workers: readonly string[]
  }> &
  AsyncDisposable

export const ROOT = join(import.meta.dirname, '..')
/** The URL, and further down a token on its own line. */
export const BANNER = /http:\/\/127\.0\.0\.1:(\d+)[\s\S]*?^(eyJ[\w.-]+)$/m
/** The Node options of bin/pombo.cjs. */
export const MEMORY = ['--max-old-space-size=512', '--max-semi-space-size=16', '--no-allocation-site-pretenuring']
/** Where bin/node24.cjs lets Node keep what it has compiled. */
export const compileCacheOf = (tree: string): string => join(tree, 'node_modules/.cache/node')
/** The hashing threads start with the first code, one per core. */
const GATEWAY_WORKERS = ['store', 'reader', 'simulator', ...new Array<string>(availableParallelism()).fill('hashing')]

/** Fastify with nothing behind it: the upper bound on this machine. */
export const openBare = (): Promise<Server> =>
  openServer({
    name: 'bare Fastify',
    file: process.execPath,
    args: [join(import.meta.dirname, 'bare-fastify.ts')],
    ready: BANNER,
  })

/** Starts a server that prints the banner. */
export async function openServer(command: Command, workers: readonly string[] = []): Promise<Server> {
  const running = await startProcess(command)
  const [, port = '', token = ''] = running.matched
  const server = { name: command.name, pid: running.pid, port: Number(port), token, workers }
  return {
    ...server,
    ...toTarget(server),
    [Symbol.asyncDispose]: () => running[Symbol.asyncDispose](),
  }
}

export type Peer = AsyncDisposable & Readonly<{ pid: number; port: number }>

/** A script that simulates an external system and prints its port. */
export async function startPeer(name: string, script: string, ...args: readonly string[]): Promise<Peer> {
  const running = await startProcess({
    name,
    file: process.execPath,
    args: [join(ROOT, script), ...args],
    ready: /^(\d+)$/m,
  })
  const { pid, matched } = running
  return { pid, port: Number(matched[1]), [Symbol.asyncDispose]: () => running[Symbol.asyncDispose]() }
}

export type GatewayOptions = Readonly<{
  env?: Readonly<Record<string, string>>
  /** The content of the configuration file. */
  config?: object
  nodeArgs?: readonly string[]
  /** Its worker threads, if they differ from the default. */
  workers?: readonly string[]
  /** The checkout it runs from; this one by default. */
  tree?: string | undefined
  /** How long it may take to start. */
  startMs?: number
}>

export type Gateway = Server & System

/** A configuration with only the simulator, whose receipts arrive this long after the handoff. */
export const receiptsAfter = (receiptDelayMs: number) => ({
  providers: [{ name: 'simulator', kind: 'simulator', settings: { receipt_delay_ms: receiptDelayMs } }],
})

/** Pombo as `npm start` runs it, with its own data folder unless the environment names one. */
export async function openGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { env = {}, config, nodeArgs = [], workers = GATEWAY_WORKERS, tree = ROOT, startMs } = options
  await using opened = new AsyncDisposableStack()
  const { path: cwd } = opened.use(openFolder())
  const file = join(cwd, 'config.json')
  if (config !== undefined) writeFileSync(file, JSON.stringify(config))
  const settings = {
    NODE_COMPILE_CACHE: compileCacheOf(tree),
    POMBO_PORT: '0',
    POMBO_METRICS_CACHE_SECONDS: '0',
    POMBO_DATA_DIR: join(cwd, 'data'),
    ...omitUndefined({ POMBO_CONFIG: config && file }),
    ...env,
  }
  const args = [...MEMORY, ...nodeArgs, join(tree, 'src/main.ts'), 'serve']
  const command = { name: 'Pombo', file: process.execPath, args, cwd, env: settings, ready: BANNER }
  const server = opened.use(await openServer({ ...command, ...omitUndefined({ startMs }) }, workers))
  const closing = opened.move()
  return {
    ...server,
    metrics: () => readMetrics(server.port),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}
