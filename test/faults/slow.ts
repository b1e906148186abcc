/** A slow network between the members and NATS or PostgreSQL must only cause delays. */
import { setTimeout as wait } from 'node:timers/promises'
import type { ClusterProxies } from '../support/cluster.ts'
import type { SlowProxy } from '../support/slow-proxy.ts'
import type { Fault } from './fault.ts'
import type { Site } from './site.ts'

const SLOW = { latencyMs: [20, 50], stallEveryMs: 3_000, stallMs: 1_000 } as const
const CHECK_EVERY_MS = 200

const slow = (name: string, promise: string, targets: readonly (keyof ClusterProxies)[]): Fault => ({
  name,
  promise,
  usual: { kills: 0, seconds: 30 },
  brief: { kills: 0, seconds: 4 },
  async inject({ site, plan: { seconds }, note }) {
    const overAt = performance.now() + seconds * 1000
    const problems = new Set<string>()
    using _slow = slowDown(targets.flatMap((target) => site.cluster.proxies[target]))
    const most = new Map(targets.map((target) => [target, 0]))
    let searches = 0
    for (; performance.now() < overAt; searches += site.apis.length) {
      const found = await Promise.all(site.apis.map((api) => api.call('GET', '/v1/messages?limit=10')))
      for (const { status, text } of found) if (status !== 200) problems.add(`a search was answered ${status} ${text}`)
      for (const [target, count] of most) most.set(target, Math.max(count, connectionsTo(site, target)))
      await wait(CHECK_EVERY_MS)
    }
    note('searches', searches)
    return [...problems, ...[...most].flatMap(([target, count]) => problemsOfConnections(site, target, count))]
  },
})

/** Slows the proxies down until disposed. */
function slowDown(proxies: readonly SlowProxy[]): Disposable {
  for (const proxy of proxies) proxy.setPace(SLOW)
  return {
    [Symbol.dispose]() {
      for (const proxy of proxies) proxy.setPace(undefined)
    },
  }
}

const connectionsTo = ({ cluster }: Site, target: keyof ClusterProxies): number =>
  cluster.proxies[target].reduce((sum, proxy) => sum + proxy.connections(), 0)

/**
 * Every process is always connected to NATS; some processes use PostgreSQL only from time to time. `most` is the highest
 * number of connections seen, because a process may be reconnecting at any moment.
 */
function problemsOfConnections({ cluster, apis }: Site, target: keyof ClusterProxies, most: number): string[] {
  const least = target === 'nats' ? cluster.members.length : cluster.withRole('projector').length + apis.length
  return most >= least ? [] : [`${least} processes should be connected to ${target} through the proxy, and ${most} are`]
}

export const slowNats = slow('slow-nats', 'a slow network to NATS only causes delays', ['nats'])
export const slowPostgres = slow('slow-postgres', 'a slow network to PostgreSQL only causes delays', ['postgres'])
export const slowNetwork = slow('slow-network', 'a slow network only causes delays', ['nats', 'postgres'])
