import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, openNats } from '../../../test/support/nats-server.ts'
import { until } from '../../../test/support/until.ts'
import { toIntegrationEvents } from '../../domain/message/integration-events.ts'
import { acceptSpanOf } from '../../domain/message/trace.ts'
import { instant, millis } from '../../lib/time.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  append,
  createdEntry,
  DEAD,
  NOON,
  nextEntry,
  retryAt,
  type Seen,
} from '../../ports/samples.contract.ts'
import { openNats as connect } from './connection.ts'

type Published = Readonly<{ subject: string; data: unknown; traceparent: string | undefined }>

/** Receives what is published on these subjects from now on. */
async function listen(url: string, subjectPrefix: string) {
  const connection = await connect({ url })
  const published: Published[] = []
  connection.subscribe(`${subjectPrefix}>`, (msg) =>
    published.push({
      subject: msg.subject.slice(subjectPrefix.length),
      data: msg.json(),
      traceparent: msg.headers?.get('traceparent'),
    }),
  )
  await connection.request('$JS.API.INFO', '')
  return { published, connection, [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose]() }
}

const expected = (events: readonly Seen[]): readonly Published[] =>
  events.flatMap(({ event }) => {
    const { id, traceId } = event.state
    const traceparent = `00-${traceId}-${acceptSpanOf(id)}-01`
    return toIntegrationEvents(event).map(({ name: subject, data }) => ({ subject, data, traceparent }))
  })

const onFault = (error: unknown): void => assert.ok(error instanceof Error, String(error))

describe('integration events', { timeout: 120_000 }, () => {
  test('are published on subjects of their names, in order, including earlier events', async () => {
    await using broker = await openNats()
    const prefix = newPrefix()
    await using engine = await openEngine({ ...broker, prefix })
    const subjectPrefix = `${newPrefix()}.`
    await using outside = await listen(broker.url, subjectPrefix)
    const created = await append(engine.log, createdEntry())
    const attempted = await append(engine.log, nextEntry(created, ATTEMPTED))
    await using _announcer = await engine.announce({ subjectPrefix, publishing: 'always', onFault })
    const retried = await append(engine.log, nextEntry(attempted, retryAt(NOON)))
    const dead = await append(engine.log, nextEntry(retried, DEAD))
    const all = expected([created, attempted, retried, dead])
    await until('all to be published', () => outside.published.length >= all.length)
    assert.deepEqual(outside.published, all)
    assert.deepEqual(new Set(outside.published.map(({ subject }) => subject)), new Set(NAMES))
    await until('all to be acknowledged', async () => {
      const info = await outside.connection.request(`$JS.API.CONSUMER.INFO.${prefix}_LOG.announcer`, '')
      return info.json<{ num_ack_pending: number }>().num_ack_pending === 0
    })
  })

  test('one that is not about a message is stored once, however often it is published', async () => {
    await using broker = await openNats()
    const prefix = newPrefix()
    await using engine = await openEngine({ ...broker, prefix })
    const subjectPrefix = `${newPrefix()}.`
    await using outside = await listen(broker.url, subjectPrefix)
    await using _announcer = await engine.announce({ subjectPrefix, publishing: 'wanted', onFault })
    const event = { id: 'a', name: 'provider.breaker.v1', data: { provider: 'acme', newState: 'open' } }
    for (let time = 0; time < 2; time += 1) await engine.publishEvent(event, { subjectPrefix })
    const info = await outside.connection.request(`$JS.API.STREAM.INFO.${prefix}_EVENTS`, '')
    assert.equal(info.json<{ state: { messages: number } }>().state.messages, 1)
    const { subject, data } = outside.published[0] ?? {}
    assert.deepEqual([subject, data], [event.name, event.data])
  })

  test('are published once by processes that share the work, and by another when one ends', async () => {
    await using broker = await openNats()
    const prefix = newPrefix()
    const subjectPrefix = `${newPrefix()}.`
    await using one = await openEngine({ ...broker, prefix })
    await using other = await openEngine({ ...broker, prefix })
    await using outside = await listen(broker.url, subjectPrefix)
    const first = await one.announce({ subjectPrefix, publishing: 'always', onFault })
    await using _second = await other.announce({ subjectPrefix, publishing: 'always', onFault })
    const write = async (): Promise<Seen[]> => {
      const created = await append(one.log, createdEntry())
      const attempted = await append(one.log, nextEntry(created, ATTEMPTED))
      return [created, attempted, await append(one.log, nextEntry(attempted, ACCEPTED))]
    }
    const before = (await Promise.all(Array.from({ length: 50 }, write))).flat()
    await until('all to be published', () => outside.published.length >= expected(before).length)
    await first[Symbol.asyncDispose]()
    const after = await write()
    const all = expected([...before, ...after])
    await until('the rest to be published', () => outside.published.length >= all.length, { withinMs: 30_000 })
    assert.deepEqual(outside.published.map(toText).toSorted(), all.map(toText).toSorted())
    const info = await outside.connection.request(`$JS.API.STREAM.INFO.${prefix}_EVENTS`, '')
    assert.equal(info.json<{ state: { messages: number } }>().state.messages, all.length)
  })

  test('continue where they stopped after the broker dies', async () => {
    await using broker = await openNats({})
    const prefix = newPrefix()
    await using engine = await openEngine({ ...broker, prefix })
    await using _announcer = await engine.announce({
      subjectPrefix: 'T.',
      publishing: 'always',
      onFault: () => undefined,
    })
    const published = async (): Promise<number> => {
      const info = await outside.connection.request(`$JS.API.STREAM.INFO.${prefix}_EVENTS`, '')
      return info.json<{ state: { messages: number } }>().state.messages
    }
    await using outside = await listen(broker.url, 'T.')
    const written: Seen[] = [await append(engine.log, createdEntry())]
    await until('the first to be published', async () => (await published()) === 1)
    await broker.faults?.kill()
    await broker.faults?.restart()
    written.push(await until('writes to go on', () => append(engine.log, createdEntry()).catch(() => undefined)))
    await until(
      'the second to be published',
      async () => (await published().catch(() => 0)) === expected(written).length,
    )
  })

  test('are published from the first consumer on, and not for nobody', async () => {
    await using broker = await openNats()
    const prefix = newPrefix()
    await using engine = await openEngine({ ...broker, prefix })
    const subjectPrefix = `${newPrefix()}.`
    await using outside = await listen(broker.url, subjectPrefix)
    const events = consumersOf(outside.connection, `${prefix}_EVENTS`)
    const [lookEvery, keptFor] = [millis(20), millis(100)]
    await using _announcer = await engine.announce({
      subjectPrefix,
      publishing: 'wanted',
      lookEvery,
      keptFor,
      clockSkew: millis(0),
      onFault,
    })
    const write = async (): Promise<readonly Seen[]> => {
      const created = await append(engine.log, createdEntry())
      return [created, await append(engine.log, nextEntry(created, ATTEMPTED))]
    }
    const isPublished = (all: readonly Published[]) => () => outside.published.length >= all.length
    await write()
    await wait(200)
    assert.deepEqual(outside.published, [], 'nobody wants them')
    await events.create('first')
    const wanted = expected(await write())
    await until('the events since then to be published', isPublished(wanted))
    assert.deepEqual(outside.published, wanted)

    await events.remove('first')
    await until('the place in the log to be forgotten', async () => !(await events.hasPlace(`${prefix}_LOG`)))
    await write()
    await wait(20)
    await events.create('second')
    const later = [...wanted, ...expected(await write())]
    await until('the events since the second one to be published', isPublished(later))
    assert.deepEqual(outside.published, later)
  })

  test('of the past are published again, and those of the last minutes once', async () => {
    await using broker = await openNats()
    const prefix = newPrefix()
    await using engine = await openEngine({ ...broker, prefix })
    const subjectPrefix = `${newPrefix()}.`
    await using outside = await listen(broker.url, subjectPrefix)
    const written = await Promise.all(Array.from({ length: 300 }, () => append(engine.log, createdEntry())))
    const progress: number[] = []
    const replay = () =>
      engine.replayEvents({ subjectPrefix, since: instant(0), onProgress: (done) => progress.push(done) })
    assert.equal(await replay(), 300)
    assert.deepEqual(progress, [256, 300])
    assert.equal(await replay(), 300)
    await until('all to be published', () => outside.published.length >= 600)
    const stored = await outside.connection.request(`$JS.API.STREAM.INFO.${prefix}_EVENTS`, '')
    assert.equal(stored.json<{ state: { messages: number } }>().state.messages, written.length)
    assert.equal(await engine.replayEvents({ subjectPrefix, since: instant(Date.now() + 60_000), onProgress }), 0)
  })
})

const onProgress = (): never => assert.fail('there is nothing')

/** Consumers of a stream, by name. */
const consumersOf = (connection: Awaited<ReturnType<typeof connect>>, stream: string) => ({
  async create(name: string): Promise<void> {
    const config = { stream_name: stream, config: { durable_name: name, ack_policy: 'none' } }
    const answer = await connection.request(`$JS.API.CONSUMER.CREATE.${stream}.${name}`, JSON.stringify(config))
    assert.equal(answer.json<{ error?: unknown }>().error, undefined)
  },
  async remove(name: string): Promise<void> {
    await connection.request(`$JS.API.CONSUMER.DELETE.${stream}.${name}`, '')
  },
  async hasPlace(log: string): Promise<boolean> {
    const answer = await connection.request(`$JS.API.CONSUMER.INFO.${log}.announcer`, '')
    return answer.json<{ error?: unknown }>().error === undefined
  },
})

const toText = ({ subject, data }: Published): string => `${subject} ${JSON.stringify(data)}`
const NAMES = ['sms.events.status.v1', 'sms.outbound.retry.v1', 'sms.outbound.deadletter.v1']
