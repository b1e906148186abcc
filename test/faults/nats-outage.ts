/** Kills all NATS nodes: no message is accepted, clients get a 503 at once, and no process needs a restart. */
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../support/until.ts'
import { type Fault, underLoad } from './fault.ts'
import type { SteadyLoad } from './load.ts'
import type { Site } from './site.ts'

/** A client gets its 503 within this time. */
const ANSWER_WITHIN_MS = 2_000
const READY_WITHIN = { withinMs: 60_000, everyMs: 50 }

export const natsOutage: Fault = {
  name: 'nats',
  promise: 'clients get a 503 at once while NATS is unreachable, and the cluster recovers by itself',
  usual: { kills: 0, seconds: 20 },
  brief: { kills: 0, seconds: 3 },
  async inject({ site, load, plan, note }) {
    const { faults } = site.cluster.nats
    if (faults === undefined) return ['an external NATS server cannot be killed']
    const pids = site.cluster.members.map(({ pid }) => pid())
    const problems = await problemsDuringOutage(site, load, faults, plan.seconds)
    const restartedAt = performance.now()
    await faults.restart()
    note('NATS healthy again after, ms', Math.round(performance.now() - restartedAt))
    await untilReady(site)
    await underLoad(load, 1)
    note('messages accepted again after, ms', Math.round(performance.now() - restartedAt))
    const restarted = site.cluster.members.filter((member, index) => member.pid() !== pids[index])
    return [...problems, ...restarted.map(({ name }) => `${name} has restarted`)]
  },
}

type Broker = NonNullable<Site['cluster']['nats']['faults']>

async function problemsDuringOutage(site: Site, load: SteadyLoad, broker: Broker, seconds: number): Promise<string[]> {
  const killedAt = Date.now()
  await broker.kill()
  const downSince = Date.now()
  await wait(seconds * 1000)
  return [...problemsOfAnswers(load, { killedAt, downSince }), ...(await problemsOfHealth(site))]
}

type Times = Readonly<{ killedAt: number; downSince: number }>

function problemsOfAnswers(load: SteadyLoad, { killedAt, downSince }: Times): string[] {
  const failed = load.failures.filter(({ askedAt, tookMs }) => askedAt + tookMs >= killedAt)
  const waitMs = Math.round(load.longestWaitMs())
  const late = failed.filter(({ tookMs }) => tookMs > ANSWER_WITHIN_MS)
  const others = failed.filter(({ kind }) => kind !== 'unavailable')
  // One that was sent before may have been stored in time, and was answered while its handover was still awaited.
  const accepted = load.accepted.filter(({ firstTriedAt }) => firstTriedAt > downSince)
  return [
    ...(failed.length > 0 ? [] : ['no client got an error while NATS was unreachable']),
    ...(waitMs <= ANSWER_WITHIN_MS ? [] : [`a client has been waiting for ${waitMs} ms without an answer`]),
    ...(late.length === 0 ? [] : [`${late.length} clients waited for more than ${ANSWER_WITHIN_MS} ms`]),
    ...(others.length === 0 ? [] : [`${others.length} clients could not connect`]),
    ...(accepted.length === 0 ? [] : [`${accepted.length} messages were accepted without NATS`]),
  ]
}

/** Every member must be live and not ready. */
async function problemsOfHealth({ cluster: { members } }: Site): Promise<string[]> {
  const asked = members.map(async ({ name, url }) => {
    const [live, ready] = await Promise.all(['live', 'ready'].map((what) => statusOf(`${url}/health/${what}`)))
    return live === 200 && ready === 503 ? [] : [`${name} is ${live} live and ${ready} ready`]
  })
  return (await Promise.all(asked)).flat()
}

async function untilReady({ cluster: { members } }: Site): Promise<void> {
  for (const { name, url } of members) {
    await until(`${name} to be ready`, async () => (await statusOf(`${url}/health/ready`)) === 200, READY_WITHIN)
  }
}

/** Zero if there is no answer. */
const statusOf = (url: string): Promise<number> =>
  fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) }).then(
    ({ status }) => status,
    () => 0,
  )
