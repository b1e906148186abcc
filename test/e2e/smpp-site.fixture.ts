/**
 * A restartable gateway in either profile, with two sessions to every SMSC: two of one process, or one of each of two
 * processes, so that the other session belongs to another process.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { after } from 'node:test'
import { openCluster, toGateway } from '../support/cluster.ts'
import type { Ended, Env } from '../support/command.ts'
import { openFolder } from '../support/folder.ts'
import { type Gateway, startGateway } from '../support/gateway.ts'

export type Signal = 'SIGKILL' | 'SIGTERM'

export type Site = Readonly<{
  /** The running gateway. */
  gateway: Gateway
  /** The number of sessions per SMSC of the process with the API. */
  binds: number
  /** Every process that sends. */
  stop: (signal: Signal) => Promise<readonly Ended[]>
  /** Call it before SIGTERM. */
  watchConnections: () => Promise<ClosingConnections>
  start: () => Promise<void>
  /** The output of all its processes, including ended ones. */
  output: () => string
}>

/** `closed` resolves when every process has closed its client connections: next it finishes its work. */
export type ClosingConnections = Readonly<{ closed: Promise<unknown> }>

export type SiteOptions = Readonly<{ config: (binds: number) => object; env: Env }>
export type ShareSite = (options: SiteOptions) => Promise<Site>

export const shareEmbeddedSite: ShareSite = async ({ config, env }) => {
  const opened = new AsyncDisposableStack()
  after(() => opened.disposeAsync())
  const folder = opened.use(await openFolder())
  const binds = 2
  const options = { folder: folder.path, config: config(binds), env }
  let running = await startGateway(options)
  opened.defer(() => running[Symbol.asyncDispose]())
  const ended: Ended[] = []
  return {
    binds,
    gateway: { ...running, call: (method, path, body, headers) => running.call(method, path, body, headers) },
    async stop(signal) {
      const end = await running.kill(signal)
      ended.push(end)
      return [end]
    },
    watchConnections: () => watchClose(running),
    async start() {
      running = await startGateway(options)
    },
    output: () => ended.map(({ err }) => err).join('') + running.err(),
  }
}

/** One process has all roles, and another only sends. */
export const shareClusterSite: ShareSite = async ({ config, env }) => {
  const opened = new AsyncDisposableStack()
  after(() => opened.disposeAsync())
  const binds = 1
  const cluster = opened.use(await openCluster({ config: config(binds), env, plan: { all: 1, worker: 1 } }))
  const { members } = cluster
  const [first] = members
  if (first === undefined) throw new Error('the cluster has no member')
  const ended: Ended[] = []
  return {
    binds,
    gateway: toGateway(cluster, first),
    async stop(signal) {
      const ends = await Promise.all(members.map((member) => member.kill(signal)))
      ended.push(...ends)
      return ends
    },
    async watchConnections() {
      const all = await Promise.all(members.map(watchClose))
      return { closed: Promise.all(all.map(({ closed }) => closed)) }
    },
    async start() {
      await Promise.all(members.map((member) => member.start()))
    },
    output: () => [...ended.map(({ err }) => err), ...members.map((member) => member.err())].join(''),
  }
}

/** Makes one call on a new connection and leaves it open for the gateway to close. */
async function watchClose({ url }: Readonly<{ url: string }>): Promise<ClosingConnections> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write('GET /health/live HTTP/1.1\r\nHost: pombo\r\n\r\n')
  await once(socket, 'data')
  return { closed: once(socket.resume(), 'close') }
}
