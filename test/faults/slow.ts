/** A slow network between the members and the broker, or between them and PostgreSQL: everything takes longer, and that is all. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Ways } from '../support/cluster.ts'
import type { SlowProxy } from '../support/slow-proxy.ts'
import type { Fault } from './fault.ts'
import type { Site } from './site.ts'

const SLOW = { latencyMs: [20, 50], stallEveryMs: 3_000, stallMs: 1_000 } as const
const LOOK_EVERY_MS = 200

const slow = (name: string, promise: string, targets: readonly (keyof Ways)[]): Fault => ({
  name,
  promise,
  usual: { kills: 0, seconds: 30 },
  brief: { kills: 0, seconds: 4 },
  async harm({ site, plan: { seconds }, note }) {
    const overAt = performance.now() + seconds * 1000
    const problems = new Set<string>()
    using _hurry = dawdle(targets.flatMap((target) => site.cluster.ways[target]))
    const most = new Map(targets.map((target) => [target, 0]))
    let searches = 0
    for (; performance.now() < overAt; searches += site.apis.length) {
      const found = await Promise.all(site.apis.map((api) => api.call('GET', '/v1/messages?limit=10')))
      for (const { status, text } of found) if (status !== 200) problems.add(`a search was answered ${status} ${text}`)
      for (const [target, count] of most) most.set(target, Math.max(count, connectionsTo(site, target)))
      await wait(LOOK_EVERY_MS)
    }
    note('searches', searches)
    return [...problems, ...[...most].flatMap(([target, count]) => problemsOfWay(site, target, count))]
  },
})

/** Until it is disposed of. */
function dawdle(ways: readonly SlowProxy[]): Disposable {
  for (const way of ways) way.setPace(SLOW)
  return {
    [Symbol.dispose]() {
      for (const way of ways) way.setPace(undefined)
    },
  }
}

const connectionsTo = ({ cluster }: Site, target: keyof Ways): number =>
  cluster.ways[target].reduce((sum, way) => sum + way.connections(), 0)

/**
 * Every process needs the broker at all times; of those that need PostgreSQL, some only now and then. `most` is the
 * most that were connected at once: a process may be reconnecting at any moment.
 */
function problemsOfWay({ cluster, apis }: Site, target: keyof Ways, most: number): string[] {
  const least = target === 'nats' ? cluster.members.length : cluster.having('projector').length + apis.length
  return most >= least ? [] : [`${least} should be on the slow way to ${target}, and ${most} are`]
}

export const slowNats = slow('slow-nats', 'a slow way to the broker only takes longer', ['nats'])
export const slowPostgres = slow('slow-postgres', 'a slow way to PostgreSQL only takes longer', ['postgres'])
export const slowNetwork = slow('slow-network', 'a slow network only takes longer', ['nats', 'postgres'])
