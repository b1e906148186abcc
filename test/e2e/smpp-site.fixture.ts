/**
 * A gateway that can be stopped and started again as itself, on either profile. It is to keep two sessions
 * with every SMSC: two of one process, or one of each of two, so that what comes on the other session comes
 * to another process.
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
  /** Whichever runs now. */
  gateway: Gateway
  /** How many sessions with each SMSC the process keeps that answers calls. */
  binds: number
  /** Every process of it that sends. */
  stop: (signal: Signal) => Promise<readonly Ended[]>
  /** To be asked for before they are told to stop. */
  farewell: () => Promise<Farewell>
  start: () => Promise<void>
  /** All that its processes said, those that have ended too. */
  said: () => string
}>

/** `left` resolves when every process has taken leave of its callers: what it does next is to end its work. */
export type Farewell = Readonly<{ left: Promise<unknown> }>

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
    farewell: () => watchFarewell(running),
    async start() {
      running = await startGateway(options)
    },
    said: () => ended.map(({ err }) => err).join('') + running.err(),
  }
}

/** One process does all there is to do, and another sends as well. */
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
    async farewell() {
      const all = await Promise.all(members.map(watchFarewell))
      return { left: Promise.all(all.map(({ left }) => left)) }
    },
    async start() {
      await Promise.all(members.map((member) => member.start()))
    },
    said: () => [...ended.map(({ err }) => err), ...members.map((member) => member.err())].join(''),
  }
}

/** Asks once on a connection of its own and leaves it open, for the gateway to close. */
async function watchFarewell({ url }: Readonly<{ url: string }>): Promise<Farewell> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.write('GET /health/live HTTP/1.1\r\nHost: pombo\r\n\r\n')
  await once(socket, 'data')
  return { left: once(socket.resume(), 'close') }
}
