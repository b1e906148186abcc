/** Repeatedly kills the NATS node that leads the log; the node restarts and catches up before the next kill. */
import { setTimeout as wait } from 'node:timers/promises'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { namesFor } from '../../src/engines/nats/subjects.ts'
import { until } from '../support/until.ts'
import { type Fault, type Scene, underLoad } from './fault.ts'

/** How long the killed node stays down after a new leader is elected. */
const DOWN_MS = 1_000
const WAIT = { withinMs: 60_000, everyMs: 50 }

export const leader: Fault = {
  name: 'leader',
  promise: 'sending continues with a new leader when the leader of the log is killed',
  usual: { kills: 5, seconds: 0 },
  brief: { kills: 1, seconds: 0 },
  async inject(scene) {
    const { plan, site, note } = scene
    const { faults, url } = site.cluster.nats
    if (faults === undefined) return ['an external NATS server cannot be killed']
    await using watch = await openLeaderWatch(url, site.cluster.settings['POMBO_NATS_PREFIX'] ?? '')
    let longestMs = 0
    for (let kill = 1; kill <= plan.kills; kill += 1) {
      const node = await until('a leader with current replicas', watch.leaderInSync, WAIT)
      const killedAt = performance.now()
      await faults.kill(node)
      try {
        await until('another leader', async () => ((await watch.leader()) ?? node) !== node, WAIT)
        longestMs = Math.max(longestMs, performance.now() - killedAt)
        await sendWithoutNode(scene)
      } finally {
        await faults.restart(node)
      }
      plan.onProgress(`kill ${kill} of ${plan.kills}: node ${node}`)
    }
    await until('a leader with current replicas', watch.leaderInSync, WAIT)
    note('kills', plan.kills)
    note('longest without a leader, ms', Math.round(longestMs))
    return []
  },
}

/** Messages are accepted as before with one node down. */
async function sendWithoutNode({ load, plan: { rate } }: Scene): Promise<void> {
  await underLoad(load, rate / 2)
  await wait(DOWN_MS)
}

type Info = Readonly<{
  cluster?: Readonly<{ leader?: string; replicas?: readonly Readonly<{ current: boolean; offline?: boolean }>[] }>
}>

/** Returns the number of the node that leads the log; undefined while there is none or no node answers. */
async function openLeaderWatch(url: string, prefix: string) {
  const connection = await connect({
    servers: url.split(','),
    maxReconnectAttempts: -1,
    reconnectTimeWait: 50,
    reconnectJitter: 0,
  })
  const readInfo = () => infoOf(connection, namesFor(prefix, 1).log)
  const numberOf = (info: Info): number | undefined =>
    info.cluster?.leader === undefined || info.cluster.leader === '' ? undefined : Number(info.cluster.leader.slice(5))
  return {
    leader: async () => numberOf(await readInfo()),
    /** Only while all replicas are current, so that a kill leaves a majority. */
    async leaderInSync() {
      const info = await readInfo()
      const isCurrent = info.cluster?.replicas?.every(({ current, offline = false }) => current && !offline) ?? false
      return isCurrent ? numberOf(info) : undefined
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
