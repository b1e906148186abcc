/** What followers get for a message whose key is written long after its first event. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, openOwnNats } from '../../../test/support/nats-server.ts'
import { START } from '../../ports/event-log.ts'
import { ATTEMPTED, append, createdEntry, forever, nextEntry } from '../../ports/samples.contract.ts'
import { openNats as connect } from './connection.ts'
import { JetStream } from './jetstream.ts'

test('searchable fields come with a later event if the key was too late for the first', {
  timeout: 30_000,
}, async () => {
  await using broker = await openOwnNats()
  const prefix = newPrefix()
  await using engine = await openEngine({ url: broker.url, prefix })
  await using connection = await connect(broker)
  const { log } = engine
  const entry = createdEntry()
  const created = await append(log, entry)
  await new JetStream(connection, 1).api(`STREAM.PURGE.${prefix}_KEYS`)

  const pages = log.follow(START, 10, forever())[Symbol.asyncIterator]()
  const [first] = (await pages.next()).value ?? []
  assert.ok(first !== undefined && first.searchable === undefined)
  // The repeated call gives the event a key.
  assert.deepEqual(await log.append(entry), { kind: 'duplicate' })
  await append(log, nextEntry(created, ATTEMPTED))
  const [second] = (await pages.next()).value ?? []
  assert.ok(second?.searchable?.toKey)

  // Every follower gets it, wherever it starts.
  for await (const [again] of log.follow(first.position, 10, forever())) {
    assert.deepEqual(again?.searchable, second.searchable)
    break
  }
})
