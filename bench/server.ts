/** The servers of our own that are measured, each a process on a free port of loopback. */
import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { readMetrics } from './metrics.ts'
import { type Command, openFolder, startProcess } from './processes.ts'
import { type System, type Target, toTarget } from './target.ts'

export type Server = Target &
  Readonly<{
    name: string
    pid: number
    port: number
    /** Its threads beside the main one, in the order they are started. */
    workers: readonly string[]
  }> &
  AsyncDisposable

export const ROOT = join(import.meta.dirname, '..')
/** Where it listens, and further down a token on a line of its own. */
export const BANNER = /http:\/\/127\.0\.0\.1:(\d+)[\s\S]*?^(eyJ[\w.-]+)$/m
/** What bin/pombo.cjs starts it with. */
export const MEMORY = ['--max-old-space-size=512', '--max-semi-space-size=16']
/** Those that hash codes are started when the first is wanted, one for each core. */
const GATEWAY_WORKERS = ['store', 'reader', 'simulator', ...new Array<string>(availableParallelism()).fill('hashing')]

/** Fastify with nothing behind it: what the machine could do at best. */
export const openBare = (): Promise<Server> =>
  openServer({
    name: 'bare Fastify',
    file: process.execPath,
    args: [join(import.meta.dirname, 'bare-fastify.ts')],
    ready: BANNER,
  })

/** Starts what prints the banner. */
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

/** A script of ours that plays somebody outside, and says on which port it listens. */
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
  /** What goes into the file named by POMBO_CONFIG. */
  config?: object
  nodeArgs?: readonly string[]
  /** Its threads beside the main one, where they are others than usual. */
  workers?: readonly string[]
}>

export type Gateway = Server & System

/** Pombo as `npm start` runs it, on a data folder of its own. */
export async function openGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const { env = {}, config, nodeArgs = [], workers = GATEWAY_WORKERS } = options
  await using opened = new AsyncDisposableStack()
  const { path: cwd } = opened.use(openFolder())
  const file = join(cwd, 'config.json')
  if (config !== undefined) writeFileSync(file, JSON.stringify(config))
  const settings = {
    POMBO_PORT: '0',
    POMBO_DATA_DIR: join(cwd, 'data'),
    ...(config === undefined ? {} : { POMBO_CONFIG: file }),
    ...env,
  }
  const args = [...MEMORY, ...nodeArgs, join(ROOT, 'src/main.ts'), 'serve']
  const command = { name: 'Pombo', file: process.execPath, args, cwd, env: settings, ready: BANNER }
  const server = opened.use(await openServer(command, workers))
  const closing = opened.move()
  return {
    ...server,
    metrics: () => readMetrics(server.port),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}
