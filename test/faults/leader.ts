/** `kill -9` of the broker's node that leads the log, again and again; the node comes back, and catches up, before the next. */
import { setTimeout as wait } from 'node:timers/promises'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { namesFor } from '../../src/engines/nats/subjects.ts'
import { until } from '../support/until.ts'
import { type Fault, type Scene, underLoad } from './fault.ts'

/** How long the others are alone after they have a new leader. */
const ALONE_MS = 1_000
const PATIENCE = { withinMs: 60_000, everyMs: 50 }

export const leader: Fault = {
  name: 'leader',
  promise: 'whenever the leader of the log is killed another leads it, and sending goes on',
  usual: { kills: 5, seconds: 0 },
  brief: { kills: 1, seconds: 0 },
  async harm(scene) {
    const { plan, site, note } = scene
    const { faults, url } = site.cluster.nats
    if (faults === undefined) return ['there is no broker of our own to harm']
    await using looking = await openLooking(url, site.cluster.settings['POMBO_NATS_PREFIX'] ?? '')
    let longestMs = 0
    for (let kill = 1; kill <= plan.kills; kill += 1) {
      const node = await until('a leader that all follow', looking.leaderInForce, PATIENCE)
      const killedAt = performance.now()
      await faults.kill(node)
      try {
        await until('another leader', async () => ((await looking.leader()) ?? node) !== node, PATIENCE)
        longestMs = Math.max(longestMs, performance.now() - killedAt)
        await goOnAlone(scene)
      } finally {
        await faults.restart(node)
      }
      plan.onProgress(`kill ${kill} of ${plan.kills}: node ${node}`)
    }
    await until('a leader that all follow', looking.leaderInForce, PATIENCE)
    note('kills', plan.kills)
    note('longest without a leader, ms', Math.round(longestMs))
    return []
  },
}

/** With one node less messages are taken as before. */
async function goOnAlone({ load, plan: { rate } }: Scene): Promise<void> {
  await underLoad(load, rate / 2)
  await wait(ALONE_MS)
}

type Info = Readonly<{
  cluster?: Readonly<{ leader?: string; replicas?: readonly Readonly<{ current: boolean; offline?: boolean }>[] }>
}>

/** Who leads the log, by the number of its node: undefined while nobody does, or nobody can be asked. */
async function openLooking(url: string, prefix: string) {
  const connection = await connect({
    servers: url.split(','),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 50,
    reconnectJitter: 0,
  })
  const look = () => infoOf(connection, namesFor(prefix, 1).log)
  const numberOf = (info: Info): number | undefined =>
    info.cluster?.leader === undefined || info.cluster.leader === '' ? undefined : Number(info.cluster.leader.slice(5))
  return {
    leader: async () => numberOf(await look()),
    /** Only while nobody lags behind: whoever then falls is the only one who is missing. */
    async leaderInForce() {
      const info = await look()
      const isWhole = info.cluster?.replicas?.every(({ current, offline = false }) => current && !offline) ?? false
      return isWhole ? numberOf(info) : undefined
    },
    async [Symbol.asyncDispose]() {
      await connection.close()
    },
  }
}

async function infoOf(connection: NatsConnection, stream: string): Promise<Info> {
  try {
    return (await connection.request(`$JS.API.STREAM.INFO.${stream}`, '', { timeout: 1_000 })).json<Info>()
  } catch {
    return {}
  }
}
