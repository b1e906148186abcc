/** Starts NATS servers for tests, one or a cluster, in a temporary folder. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePorts } from './free-port.ts'
import { untilReplicated } from './jetstream.ts'
import { START_WITHIN_MS, until } from './until.ts'

export type NatsOptions = Readonly<{
  /** More than one node forms a cluster. */
  nodes?: number
  /** `always` forces every write to disk before it is acknowledged. */
  syncInterval?: string
  /** False disables JetStream: messages are not stored. */
  jetstream?: boolean
}>

export type NatsProcess = AsyncDisposable &
  Readonly<{
    /** The URLs of all nodes, separated by commas. */
    url: string
    /** The storage folder of each node. */
    folders: readonly string[]
    /** Stops gracefully: a leader hands over its streams. */
    stop: (node?: number) => Promise<void>
    /** Kills, as a power failure would, except that the operating system's cache survives. */
    kill: (node?: number) => Promise<void>
    /** Starts stopped or killed nodes again on the same port and folder. */
    restart: (node?: number) => Promise<void>
    /** The node accepts data and answers nothing. */
    freeze: (node?: number) => void
    thaw: (node?: number) => void
  }>

type Node = { readonly config: string; readonly folder: string; readonly monitor: number; child?: ChildProcess }

const running = new Set<ChildProcess>()
const homes = new Set<string>()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
  for (const home of homes) rmSync(home, { recursive: true, force: true })
})
// Without these handlers an interrupted test would not run its `exit` handlers.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

export async function startNats(program: string, options: NatsOptions = {}): Promise<NatsProcess> {
  const home = mkdtempSync(join(tmpdir(), 'pombo-nats-'))
  homes.add(home)
  const { nodes: count = 1, jetstream = true } = options
  const ports = await freePorts(3 * count)
  const nodes = Array.from({ length: count }, (_, at) => configure(home, ports, at, options))
  await Promise.all(nodes.map((node) => start(program, node)))
  const servers = nodes.map((_, at) => `nats://127.0.0.1:${ports[at]}`)
  if (jetstream && count > 1) await untilReplicated({ servers }, count)
  return {
    url: servers.join(','),
    folders: nodes.map(({ folder }) => folder),
    stop: (at) => each(nodes, at, (node) => end(node, 'SIGTERM')),
    kill: (at) => each(nodes, at, (node) => end(node, 'SIGKILL')),
    restart: (at) => each(nodes, at, (node) => start(program, node)),
    freeze: (at) => void each(nodes, at, async ({ child }) => child?.kill('SIGSTOP')),
    thaw: (at) => void each(nodes, at, async ({ child }) => child?.kill('SIGCONT')),
    async [Symbol.asyncDispose]() {
      await each(nodes, undefined, (node) => end(node, 'SIGKILL'))
      rmSync(home, { recursive: true, force: true })
      homes.delete(home)
    },
  }
}

async function each(nodes: readonly Node[], at: number | undefined, act: (node: Node) => Promise<unknown>) {
  await Promise.all(nodes.filter((_, index) => at === undefined || at === index).map(act))
}

/** `ports` holds the client ports of all nodes, then their cluster ports, then their monitoring ports. */
function configure(home: string, ports: readonly number[], at: number, options: NatsOptions): Node {
  const { nodes = 1, syncInterval, jetstream = true } = options
  const [folder, config] = [join(home, `node-${at}`), join(home, `node-${at}.conf`)]
  const routes = ports.slice(nodes, 2 * nodes).map((port) => `"nats://127.0.0.1:${port}"`)
  const sync = syncInterval === undefined ? '' : `, sync_interval: ${syncInterval}`
  const lines = [
    `server_name: node-${at}`,
    `listen: "127.0.0.1:${ports[at]}"`,
    `http: "127.0.0.1:${ports[2 * nodes + at]}"`,
    jetstream ? `jetstream { store_dir: "${folder}", max_file_store: 8GB, max_memory_store: 64MB${sync} }` : '',
    nodes > 1
      ? `cluster { name: pombo-test, listen: "127.0.0.1:${ports[nodes + at]}", routes: [${routes.join()}], no_advertise: true }`
      : '',
  ]
  writeFileSync(config, lines.join('\n'))
  return { config, folder, monitor: ports[2 * nodes + at] ?? 0 }
}

async function start(program: string, node: Node): Promise<void> {
  const child = spawn(program, ['-c', node.config], { stdio: ['ignore', 'ignore', 'pipe'] })
  const output: string[] = []
  child.stderr.setEncoding('utf8').on('data', (line: string) => output.push(line))
  running.add(child)
  child.once('exit', () => running.delete(child))
  node.child = child
  await until('NATS to be healthy', () => isHealthy(node, output), { withinMs: START_WITHIN_MS, everyMs: 5 })
  output.length = 0
}

/** A node of a cluster is healthy if there is a leader and the node has caught up. */
async function isHealthy({ child, monitor }: Node, output: readonly string[]): Promise<boolean> {
  if (child?.exitCode !== null) throw new Error(`nats-server ended before it was ready: ${output.join('')}`)
  try {
    return (await fetch(`http://127.0.0.1:${monitor}/healthz`)).ok
  } catch {
    return false
  }
}

function end({ child }: Node, signal: NodeJS.Signals): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return Promise.resolve()
  return new Promise((resolve) => {
    child.once('exit', () => resolve())
    child.kill(signal)
  })
}
