/** Delayed jobs of tenant queues that no process polls when they become due. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, openOwnNats } from '../../../test/support/nats-server.ts'
import { until } from '../../../test/support/until.ts'
import { type Instant, later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { Job, Taken } from '../../ports/queue.ts'
import { forever, REAL_TIME, someJob, tenant } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { Arrivals } from './arrivals.ts'
import { openNats as connect } from './connection.ts'
import { JetStream, type Query, type Stored } from './jetstream.ts'
import type { NatsEngine } from './nats.ts'
import { namesFor, type TenantLane } from './subjects.ts'

/** A schedule fires up to a quarter of a second late; the rest is for a slow machine. */
const PROMPT = millis(1_000)
const idleAfter = millis(200)

describe('a delayed job of an idle queue', { concurrency: true, timeout: 120_000 }, () => {
  test('is taken when it is due, and the queue is not polled until then', async () => {
    await using scene = await openScene()
    await using engine = await openEngine(scene.options)
    const taking = take(engine)
    const job = await scene.put(engine, seconds(5))
    await scene.untilUnpolled(job)
    await assertPrompt(job, await taking)
  })

  test('is taken by a process that started later, after the one that put it has ended', async () => {
    await using scene = await openScene()
    const job = await scene.putAndGo(seconds(5))
    await using engine = await openEngine(scene.options)
    const taking = take(engine)
    await scene.untilUnpolled(job)
    await assertPrompt(job, await taking)
  })

  test('is taken when it is due although the broker restarted after polling stopped', async () => {
    await using scene = await openScene()
    await using engine = await openEngine(scene.options)
    const taking = take(engine)
    const job = await scene.put(engine, seconds(6))
    await scene.untilUnpolled(job)
    await scene.broker.faults.kill()
    await scene.broker.faults.restart()
    await assertPrompt(job, await taking)
  })

  test('is taken as soon as the broker is back if it became due during an outage', async () => {
    await using scene = await openScene()
    const job = await scene.putAndGo(seconds(5))
    await using engine = await openEngine(scene.options)
    const taking = take(engine)
    await scene.untilUnpolled(job)
    await scene.broker.faults.kill()
    await REAL_TIME.passTo(job.dueAt)
    await scene.broker.faults.restart()
    const backAt = REAL_TIME.clock()
    const taken = await taking
    assert.equal(taken.job.messageId, job.messageId)
    assert.ok(taken.at - backAt < seconds(3), `${taken.at - backAt} ms after the broker was back`)
  })

  test('costs nothing while it waits, however many queues there are', async () => {
    await using scene = await openScene()
    await using engine = await openEngine(scene.options)
    const stop = new AbortController()
    const taking = engine.queue.take(1, stop.signal)
    const dueAt = later(REAL_TIME.clock(), seconds(600))
    for (let n = 0; n < 50; n += 1) await engine.queue.put(someJob({ tenantId: tenant(`tenant-${n}`), dueAt }))
    await until('two seconds without traffic', async () => (await scene.overheard(seconds(2))).length === 0)
    stop.abort()
    assert.deepEqual(await taking, [])
  })
})

test('a delayed job of an idle queue is taken when it is due by a process on another of three brokers', {
  timeout: 60_000,
}, async () => {
  await using scene = await openScene(3)
  const [first = '', ...others] = scene.options.url.split(',')
  await using one = await openEngine(scene.options)
  await using other = await openEngine({ ...scene.options, url: [...others, first].join(',') })
  await until('the stream to have a leader', () =>
    scene.put(one, seconds(600), { tenantId: tenant('another') }).catch(() => undefined),
  )
  const taking = take(other)
  const job = await scene.put(one, seconds(5))
  await scene.untilUnpolled(job)
  await assertPrompt(job, await taking)
})

test('a queue that could not be checked is checked by the next call', { timeout: 20_000 }, async () => {
  await using scene = await openScene()
  await using engine = await openEngine(scene.options)
  const job = someJob()
  await engine.queue.put(job)
  const reported: TenantLane[] = []
  const js = new OnceAway(scene.connection, 1)
  using arrivals = new Arrivals(js, namesFor(scene.options.prefix, 1), (key) => reported.push(key))
  const key = { lane: job.lane, tenantId: job.tenantId }
  await assert.rejects(arrivals.watch([key]), Unavailable)
  assert.deepEqual(reported, [])
  await arrivals.watch([key])
  assert.deepEqual(reported, [key])
})

/** A broker that cannot answer the first request. */
class OnceAway extends JetStream {
  #asked = 0

  override async get(stream: string, query: Query): Promise<Stored | undefined> {
    this.#asked += 1
    if (this.#asked === 1) throw new Unavailable('the stream has no leader')
    return super.get(stream, query)
  }
}

type Delayed = Job & Readonly<{ dueAt: Instant }>

/** Brokers with one job stream, and an outside view of it. */
async function openScene(nodes = 1) {
  await using opened = new AsyncDisposableStack()
  const broker = opened.use(await openOwnNats({ nodes }))
  const options = { url: broker.url, prefix: newPrefix(), partitions: 1, replicas: nodes, idleAfter }
  const connection = opened.use(await connect(broker))
  const js = new JetStream(connection, nodes)
  type Consumers = { consumers?: readonly { num_waiting: number }[] }
  const waiting = async (): Promise<readonly number[]> => {
    const { consumers = [] } = await js.api<Consumers>(`CONSUMER.LIST.${options.prefix}_JOBS_0`)
    return consumers.map(({ num_waiting }) => num_waiting)
  }
  const put = async ({ queue }: NatsEngine, delay: Millis, wanted: Partial<Job> = {}): Promise<Delayed> => {
    const job = { ...someJob(wanted), dueAt: later(REAL_TIME.clock(), delay) }
    await queue.put(job)
    return job
  }
  const closing = opened.move()
  return {
    broker,
    connection,
    options,
    put,
    /** Puts it from a process that ends right after. */
    async putAndGo(delay: Millis): Promise<Delayed> {
      await using engine = await openEngine(options)
      return await put(engine, delay)
    },
    /** Waits until no consumer is polled for a while. */
    async untilUnpolled({ dueAt }: Delayed): Promise<void> {
      let idleChecks = 0
      await until('polling to stop', async () => {
        idleChecks = (await waiting()).every((count) => count === 0) ? idleChecks + 1 : 0
        return idleChecks > 20
      })
      assert.ok(REAL_TIME.clock() < dueAt, 'the job was due before polling stopped')
    },
    /** All messages sent to the broker within this time. */
    async overheard(time: Millis): Promise<readonly string[]> {
      const said: string[] = []
      const subscription = connection.subscribe('>', ({ subject }) => said.push(subject))
      await REAL_TIME.passTo(later(REAL_TIME.clock(), time))
      subscription.unsubscribe()
      return said
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

/** The next job and when it came; waits for an unreachable broker, as the runner does. */
async function take({ queue }: NatsEngine): Promise<Taken & Readonly<{ at: Instant }>> {
  const signal = forever()
  const [taken] = await until('the job to be taken', () => queue.take(1, signal).catch(() => undefined))
  assert.ok(taken !== undefined, 'nothing was taken in time')
  return { ...taken, at: REAL_TIME.clock() }
}

async function assertPrompt({ messageId, dueAt }: Delayed, taken: Awaited<ReturnType<typeof take>>): Promise<void> {
  assert.equal(taken.job.messageId, messageId)
  const late = taken.at - dueAt
  assert.ok(late >= 0 && late < PROMPT, `${late} ms late`)
}
