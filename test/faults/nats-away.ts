/** All of the broker killed at once: nothing can be taken, everybody is told so at once, and nobody has to be started again. */
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../support/until.ts'
import { type Fault, underLoad } from './fault.ts'
import type { SteadyLoad } from './load.ts'
import type { Site } from './site.ts'

/** A caller is told within this time that it has to come again. */
const TOLD_WITHIN_MS = 2_000
const READY_WITHIN = { withinMs: 60_000, everyMs: 50 }

export const natsAway: Fault = {
  name: 'nats',
  promise: 'while the broker is away every caller is told at once to come again, and then all goes on by itself',
  usual: { kills: 0, seconds: 20 },
  brief: { kills: 0, seconds: 3 },
  async harm({ site, load, plan, note }) {
    const { faults } = site.cluster.nats
    if (faults === undefined) return ['there is no broker of our own to harm']
    const pids = site.cluster.members.map(({ pid }) => pid())
    const problems = await problemsWhileAway(site, load, faults, plan.seconds)
    const restartedAt = performance.now()
    await faults.restart()
    note('broker healthy again after, ms', Math.round(performance.now() - restartedAt))
    await untilReady(site)
    await underLoad(load, 1)
    note('messages taken again after, ms', Math.round(performance.now() - restartedAt))
    const restarted = site.cluster.members.filter((member, place) => member.pid() !== pids[place])
    return [...problems, ...restarted.map(({ name }) => `${name} is not the process that it was`)]
  },
}

type Broker = NonNullable<Site['cluster']['nats']['faults']>

async function problemsWhileAway(site: Site, load: SteadyLoad, broker: Broker, seconds: number): Promise<string[]> {
  const killedAt = Date.now()
  await broker.kill()
  const awaySince = Date.now()
  await wait(seconds * 1000)
  return [...problemsOfTelling(load, { killedAt, awaySince }), ...(await problemsOfHealth(site))]
}

type Times = Readonly<{ killedAt: number; awaySince: number }>

function problemsOfTelling(load: SteadyLoad, { killedAt, awaySince }: Times): string[] {
  const told = load.setbacks.filter(({ askedAt, tookMs }) => askedAt + tookMs >= killedAt)
  const waitMs = Math.round(load.longestWaitMs())
  const late = told.filter(({ tookMs }) => tookMs > TOLD_WITHIN_MS)
  const others = told.filter(({ kind }) => kind !== 'unavailable')
  const taken = load.promised.filter(({ answeredAt }) => answeredAt > awaySince)
  return [
    ...(told.length > 0 ? [] : ['nobody was told that the broker is away']),
    ...(waitMs <= TOLD_WITHIN_MS ? [] : [`a caller has been waiting for ${waitMs} ms and knows nothing yet`]),
    ...(late.length === 0 ? [] : [`${late.length} callers had to wait for more than ${TOLD_WITHIN_MS} ms`]),
    ...(others.length === 0 ? [] : [`${others.length} callers found nobody to ask`]),
    ...(taken.length === 0 ? [] : [`${taken.length} messages were taken without a broker`]),
  ]
}

/** It lives, and says that it can do nothing. */
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

/** Zero is no answer. */
const statusOf = (url: string): Promise<number> =>
  fetch(url, { signal: AbortSignal.timeout(TOLD_WITHIN_MS) }).then(
    ({ status }) => status,
    () => 0,
  )
