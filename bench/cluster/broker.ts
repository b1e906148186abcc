/** NATS servers with JetStream and default settings, except for their sync interval: one, or three that replicate. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { untilReplicated } from '../../test/support/jetstream.ts'
import { missingNats } from '../../test/support/nats-server.ts'
import { findTool } from '../../test/support/tools.ts'
import { freePort, openFolder, type Running, startProcess } from '../processes.ts'
import type { Watched } from './watch.ts'

/** When a write reaches the disk: within two minutes (the default of NATS), or before it is acknowledged. */
export const SYNCS = ['default', 'always'] as const
export type Sync = (typeof SYNCS)[number]

export type BrokerPlan = Readonly<{ sync: Sync; replicas?: 1 | 3 }>

export type Broker = Readonly<{ url: string; processes: readonly Watched[] }> & AsyncDisposable

type Node = Readonly<{ port: number; routePort: number }>

export async function openBroker({ sync, replicas = 1 }: BrokerPlan): Promise<Broker> {
  const program = findTool('nats-server')
  if (program === undefined) throw new Error(missingNats() ?? 'nats-server not found')
  await using opened = new AsyncDisposableStack()
  const { path } = opened.use(openFolder())
  const nodes: Node[] = []
  for (let n = 0; n < replicas; n += 1) nodes.push({ port: await freePort(), routePort: await freePort() })
  const start = async (_: Node, n: number): Promise<Running> => {
    const file = join(path, `nats-${n}.conf`)
    writeFileSync(file, toConfig(nodes, n, join(path, `store-${n}`), sync))
    const ready = /Server is ready/
    return opened.use(await startProcess({ name: 'nats-server', file: program, args: ['-c', file], ready }))
  }
  const started = await Promise.all(nodes.map(start))
  const servers = nodes.map(({ port }) => `nats://127.0.0.1:${port}`)
  if (replicas > 1) await untilReplicated({ servers }, replicas)
  const closing = opened.move()
  return {
    url: servers.join(),
    processes: started.map(({ pid }, n) => ({ name: replicas > 1 ? `nats-server ${n + 1}` : 'nats-server', pid })),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

function toConfig(nodes: readonly Node[], n: number, store: string, sync: Sync): string {
  const [{ port, routePort } = { port: 0, routePort: 0 }] = nodes.slice(n)
  const always = sync === 'always' ? ', sync_interval: always' : ''
  const routes = nodes.map((node) => `"nats://127.0.0.1:${node.routePort}"`)
  return [
    `server_name: bench-${n}`,
    `listen: "127.0.0.1:${port}"`,
    `jetstream { store_dir: "${store}", max_file_store: 16GB${always} }`,
    ...(nodes.length > 1
      ? [`cluster { name: bench, listen: "127.0.0.1:${routePort}", routes: [${routes.join()}], no_advertise: true }`]
      : []),
    '',
  ].join('\n')
}
