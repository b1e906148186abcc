import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { newPrefix, openOwnNats } from '../../../test/support/nats-server.ts'
import type { MessageId } from '../../domain/ids.ts'
import { toIso } from '../../lib/time.ts'
import { REAL_TIME } from '../../ports/samples.contract.ts'
import { sinkContract } from '../../ports/sink.contract.ts'
import type { SinkEvent } from '../../ports/sink.ts'
import { openNats } from './connection.ts'
import { JetStream } from './jetstream.ts'
import { openNatsSink } from './sink.ts'
import { openSource } from './stream-source.ts'

const TYPES = ['sms.events.status.v1', 'sms-outbound']

const nats = await openOwnNats()
after(() => nats[Symbol.asyncDispose]())

/** Everything in a stream. */
async function read(stream: string, prefix: string): Promise<readonly SinkEvent[]> {
  await using connection = await openNats(nats)
  await using source = await openSource(new JetStream(connection, 1), stream, { after: 0 })
  const found: SinkEvent[] = []
  while (source.pending > 0) {
    for (const { subject, msg } of await source.next(256, new AbortController().signal)) {
      const [id = '', messageId = ''] = ['Nats-Msg-Id', 'Message-Id'].map((name) => msg.headers?.get(name))
      found.push({ id, type: subject.slice(prefix.length), messageId: messageId as MessageId, body: msg.string() })
    }
  }
  return found
}

const open = (stream: string, prefix: string) => openNatsSink({ url: nats.url, stream, prefix, types: TYPES })

sinkContract('NATS', TYPES, {
  open: () => open('SINK', 'a.'),
  read: () => read('SINK', 'a.'),
  stop: () => nats.faults.kill(),
  start: () => nats.faults.restart(),
})

test('what is published again at once is stored once, and a stream that exists is left as it is', async () => {
  const [stream, prefix] = [newPrefix(), `${newPrefix()}.`]
  await using connection = await openNats(nats)
  const js = new JetStream(connection, 1)
  const description = `made by hand at ${toIso(REAL_TIME.clock())}`
  await js.api(`STREAM.CREATE.${stream}`, { name: stream, subjects: [`${prefix}>`], description })
  const event = { id: 'event', type: 'sms-outbound', messageId: 'message' as MessageId, body: '{}' }
  await using sink = await open(stream, prefix)
  await sink.publish([event])
  await sink.publish([event])
  assert.deepEqual(await read(stream, prefix), [event])
  const { config } = await js.api<{ config: { description: string } }>(`STREAM.INFO.${stream}`)
  assert.equal(config.description, description)
})
