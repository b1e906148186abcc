/** The tests of every sink, against a real broker that stops and starts. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { MessageId } from '../domain/ids.ts'
import type { Sink, SinkEvent } from './sink.ts'
import { Unavailable } from './unavailable.ts'

export type SinkBroker = Readonly<{
  open: () => Promise<Sink>
  /** What programs outside read, in the order of each message. */
  read: () => Promise<readonly SinkEvent[]>
  stop: () => Promise<void>
  start: () => Promise<void>
}>

/** `types` are those that the broker was prepared for. */
export function sinkContract(name: string, types: readonly string[], broker: SinkBroker): void {
  let count = 0
  /** Events of some messages, several of each. */
  const someEvents = (size: number): readonly SinkEvent[] =>
    Array.from({ length: size }, (_, nth) => {
      count += 1
      const messageId = `message ${nth % 7}` as MessageId
      const type = types[nth % types.length] ?? ''
      return { id: `event ${count}`, type, messageId, body: JSON.stringify({ count, text: 'ä\tö\n'.repeat(20) }) }
    })
  const published: SinkEvent[] = []
  const publish = async (sink: Sink, events: readonly SinkEvent[]): Promise<void> => {
    await sink.publish(events)
    published.push(...events)
  }
  const bySeries = (events: readonly SinkEvent[]) =>
    Object.groupBy(events, ({ messageId, type }) => `${messageId} ${type}`)

  describe(`sink on ${name}`, { timeout: 120_000 }, () => {
    test('everything published is stored, with its id, type and message, and in the order of each message', async () => {
      await using sink = await broker.open()
      for (const size of [1, 0, 256]) await publish(sink, someEvents(size))
      assert.deepEqual(bySeries(await broker.read()), bySeries(published))
    })

    test('a broker that stops rejects, and what it stored before and after is complete', async () => {
      const before = await broker.open()
      await publish(before, someEvents(20))
      await broker.stop()
      const lost = someEvents(20)
      await assert.rejects(before.publish(lost), Unavailable)
      await before[Symbol.asyncDispose]()
      await assert.rejects(broker.open(), Unavailable)
      await broker.start()
      await using after = await broker.open()
      await publish(after, lost)
      assert.deepEqual(bySeries(await broker.read()), bySeries(published))
    })
  })
}
