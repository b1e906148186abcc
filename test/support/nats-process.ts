/** NATS servers of the tests' own, one or a cluster of several, in a folder that goes with them. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { untilReplicated } from './jetstream.ts'
import { START_WITHIN_MS, until } from './until.ts'

export type NatsOptions = Readonly<{
  /** More than one make a cluster. */
  nodes?: number
  /** `always` forces every write to disk before it is acknowledged. */
  syncInterval?: string
  /** Without it there are messages, and nothing that keeps them. */
  jetstream?: boolean
}>

export type NatsProcess = AsyncDisposable &
  Readonly<{
    /** Of all nodes, one after the other. */
    url: string
    /** Where each node keeps its files. */
    folders: readonly string[]
    /** In order: what it leads it hands over. */
    stop: (node?: number) => Promise<void>
    /** Without any order, as when the power fails, but for what the machine still holds in memory. */
    kill: (node?: number) => Promise<void>
    /** What was stopped or killed comes back where it was. */
    restart: (node?: number) => Promise<void>
    /** It takes what it is sent, and answers nothing. */
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
// Without these a test that is interrupted would end before it is told to.
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

/** The first ports are for clients, then those for the nodes among themselves, then those for looking in. */
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
      ? `cluster { name: pombo-test, listen: "127.0.0.1:${ports[nodes + at]}", routes: [${routes.join()}] }`
      : '',
  ]
  writeFileSync(config, lines.join('\n'))
  return { config, folder, monitor: ports[2 * nodes + at] ?? 0 }
}

async function start(program: string, node: Node): Promise<void> {
  const child = spawn(program, ['-c', node.config], { stdio: ['ignore', 'ignore', 'pipe'] })
  const said: string[] = []
  child.stderr.setEncoding('utf8').on('data', (line: string) => said.push(line))
  running.add(child)
  child.once('exit', () => running.delete(child))
  node.child = child
  await until('NATS to be healthy', () => isHealthy(node, said), { withinMs: START_WITHIN_MS, everyMs: 5 })
  said.length = 0
}

/** A node of a cluster is healthy when there is a leader and it has caught up. */
async function isHealthy({ child, monitor }: Node, said: readonly string[]): Promise<boolean> {
  if (child?.exitCode !== null) throw new Error(`nats-server ended before it was ready: ${said.join('')}`)
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

/** Held all at once, so that no two are the same. */
async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(Array.from({ length: count }, listen))
  const ports = servers.map((server) => (server.address() as { port: number }).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

const listen = (): Promise<ReturnType<typeof createServer>> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve(server))
  })
