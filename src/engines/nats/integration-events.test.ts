import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, openNats } from '../../../test/support/nats-server.ts'
import { until } from '../../../test/support/until.ts'
import { toIntegrationEvents } from '../../domain/message/integration-events.ts'
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

type Published = Readonly<{ subject: string; data: unknown }>

/** Receives what is published on these subjects from now on. */
async function listen(url: string, subjectPrefix: string) {
  const connection = await connect({ url })
  const published: Published[] = []
  connection.subscribe(`${subjectPrefix}>`, (msg) =>
    published.push({ subject: msg.subject.slice(subjectPrefix.length), data: msg.json() }),
  )
  await connection.request('$JS.API.INFO', '')
  return { published, connection, [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose]() }
}

const expected = (events: readonly Seen[]): readonly Published[] =>
  events.flatMap(({ event }) => toIntegrationEvents(event).map(({ name: subject, data }) => ({ subject, data })))

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
    await using _announcer = await engine.announce({ subjectPrefix, onFault })
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

  test('are published once by processes that share the work, and by another when one ends', async () => {
    await using broker = await openNats()
    const prefix = newPrefix()
    const subjectPrefix = `${newPrefix()}.`
    await using one = await openEngine({ ...broker, prefix })
    await using other = await openEngine({ ...broker, prefix })
    await using outside = await listen(broker.url, subjectPrefix)
    const first = await one.announce({ subjectPrefix, onFault })
    await using _second = await other.announce({ subjectPrefix, onFault })
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
    await using _announcer = await engine.announce({ subjectPrefix: 'T.', onFault: () => undefined })
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
})

const toText = ({ subject, data }: Published): string => `${subject} ${JSON.stringify(data)}`
const NAMES = ['sms.events.status.v1', 'sms.outbound.retry.v1', 'sms.outbound.deadletter.v1']
