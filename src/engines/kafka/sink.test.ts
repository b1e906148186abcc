import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { type KafkaRecord, missingKafka, startKafka } from '../../../test/support/kafka.ts'
import { skipUnavailable } from '../../../test/support/skip.ts'
import type { MessageId } from '../../domain/ids.ts'
import { sinkContract } from '../../ports/sink.contract.ts'
import type { SinkEvent } from '../../ports/sink.ts'
import { openKafkaSink } from './sink.ts'

const TYPES = ['sms.events.status.v1', 'sms-outbound']

const toEvent = ({ key, headers, value }: KafkaRecord): SinkEvent => {
  const named = new Map(headers.split(',').map((header) => header.split('=') as [string, string]))
  return { id: named.get('id') ?? '', type: named.get('type') ?? '', messageId: key as MessageId, body: value }
}

const missing = missingKafka()
if (missing !== undefined) test('sinks on Kafka', (t) => skipUnavailable(t, missing))
else {
  const kafka = await startKafka()
  after(() => kafka[Symbol.asyncDispose]())
  const open = (prefix = '') => openKafkaSink({ brokers: [kafka.broker], prefix, tls: false })

  sinkContract('Kafka', TYPES, {
    open: () => open(),
    read: async () => (await Promise.all(TYPES.map((type) => kafka.read(type)))).flat().map(toEvent),
    stop: () => kafka.down(),
    start: () => kafka.up(),
  })

  test('the events of a message share a partition of the topic of their type', async () => {
    await using sink = await open('eu.')
    const ids = Array.from({ length: 40 }, (_, nth) => `message ${nth % 10}`)
    await sink.publish(
      ids.map((id, nth) => ({ id: `event ${nth}`, type: 'sms-outbound', messageId: id as MessageId, body: '{}' })),
    )
    const records = await kafka.read('eu.sms-outbound')
    assert.equal(records.length, ids.length)
    const partitions = Map.groupBy(records, ({ key }) => key)
    for (const [key, found] of partitions) assert.equal(new Set(found.map(({ partition }) => partition)).size, 1, key)
    assert.ok(new Set(records.map(({ partition }) => partition)).size > 1)
  })
}
