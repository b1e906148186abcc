/**
 * (n4): one tenant has a long queue, and another sends ten single messages per second in the same lane. Their timelines
 * show the time from accept to handoff.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { DEFAULT_PREFIX } from '../../src/config/cluster-settings.ts'
import { openNats } from '../../src/engines/nats/connection.ts'
import { JetStream } from '../../src/engines/nats/jetstream.ts'
import { fill } from '../fill.ts'
import { Histogram, type Latency, toLatency } from '../histogram.ts'
import { readTimeline, sendOne } from '../messages.ts'
import type { Options } from '../options.ts'
import { openCluster } from './cluster.ts'
import type { Postgres } from './postgres.ts'

export type Fairness = Readonly<{
  /** The length of the long queue when the first single message was sent, and after the last. */
  waiting: number
  waitingAtEnd: number
  /** How fast that queue drained meanwhile. */
  drainedPerSecond: number
  singles: number
  /** In milliseconds. */
  latency: Latency
  /** The first message of the new tenant; not included in the others. */
  firstMs: number
}>

const EVERY_MS = 100
const WORKERS = 2
const DRAINING_MS = 30_000
const HANDED_OFF_MS = 60_000
const LOOK_MS = 50

export async function measureFairness(postgres: Postgres, options: Options): Promise<Fairness> {
  const { waiting, seconds, settings, tree } = options
  const plan = { settings, tree, sync: 'default' } as const
  await using cluster = await openCluster(postgres, { ...plan, apis: 1, workers: 0, projectors: 1 })
  await using connection = await openNats({ url: cluster.natsUrl })
  const countJobs = () => jobsOf(new JetStream(connection, 1))
  await fill(cluster, waiting)
  await cluster.addWorkers(WORKERS)
  await draining(countJobs, waiting)

  const single = { port: cluster.ports[0] ?? 0, token: await cluster.tokenOf('single') }
  const first = await sendOne(single)
  const [before, begunAt] = [await countJobs(), performance.now()]
  const ids = await trickle(() => sendOne(single), 2 * seconds)
  const [after, endedAt] = [await countJobs(), performance.now()]

  const latencies = new Histogram()
  for (const id of ids) latencies.record(1000 * (await handedOffAfter(single, id)))
  return {
    waiting: before,
    waitingAtEnd: after,
    drainedPerSecond: ((before - after) * 1000) / (endedAt - begunAt),
    singles: ids.length,
    latency: toLatency(latencies),
    firstMs: await handedOffAfter(single, first),
  }
}

/** All jobs in the queue, including those in flight. */
async function jobsOf(js: JetStream): Promise<number> {
  type Page = { streams?: readonly { config: { name: string }; state: { messages: number } }[] }
  const { streams = [] } = await js.api<Page>('STREAM.LIST')
  const jobs = streams.filter(({ config }) => config.name.startsWith(`${DEFAULT_PREFIX}_JOBS_`))
  return jobs.reduce((sum, { state }) => sum + state.messages, 0)
}

/** Waits until the workers have started to drain the queue. */
async function draining(countJobs: () => Promise<number>, waiting: number): Promise<void> {
  const deadline = performance.now() + DRAINING_MS
  while ((await countJobs()) > 0.97 * waiting) {
    if (performance.now() > deadline) throw new Error('the workers did not start')
    await wait(LOOK_MS)
  }
}

/** Sends on schedule, whether or not earlier messages are answered. */
async function trickle(send: () => Promise<string>, seconds: number): Promise<readonly string[]> {
  const sent: Promise<string>[] = []
  const begunAt = performance.now()
  for (let nth = 1; nth <= (seconds * 1000) / EVERY_MS; nth += 1) {
    sent.push(send())
    await wait(Math.max(0, begunAt + nth * EVERY_MS - performance.now()))
  }
  return Promise.all(sent)
}

type Single = Readonly<{ port: number; token: string }>

/** In milliseconds, the resolution of the timeline. */
async function handedOffAfter(single: Single, id: string): Promise<number> {
  const deadline = performance.now() + HANDED_OFF_MS
  while (performance.now() < deadline) {
    const { timeOf } = await readTimeline(single, id)
    const [from, until] = [timeOf('MessageCreated'), timeOf('HandoffAccepted')]
    if (from !== undefined && until !== undefined) return until - from
    await wait(LOOK_MS)
  }
  throw new Error(`a single message was not handed off within ${HANDED_OFF_MS / 1000} s`)
}
