/** Two releases on one broker: the newer one updates streams, and the older one neither fails nor reverts them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, shareNats } from '../../../test/support/nats-server.ts'
import { takeCount } from '../../ports/queue-samples.contract.ts'
import { append, createdEntry, someJob } from '../../ports/samples.contract.ts'
import { openNats } from './connection.ts'
import { JetStream } from './jetstream.ts'
import { ensureStream, LAYOUT_VERSION } from './streams.ts'

const { url } = await shareNats()

async function openBroker() {
  const connection = await openNats({ url, name: 'a test' })
  const js = new JetStream(connection, 1)
  const configOf = async (name: string) =>
    (await js.api<{ config: Parameters<typeof ensureStream>[1] }>(`STREAM.INFO.${name}`)).config
  return { js, configOf, [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose]() }
}

const [OLD, NEW] = [LAYOUT_VERSION, LAYOUT_VERSION + 1]

test('a release newer than a stream updates its options', async () => {
  await using broker = await openBroker()
  const name = newPrefix()
  await ensureStream(broker.js, { name, subjects: [`${name}.a`] }, OLD)
  await ensureStream(broker.js, { name, subjects: [`${name}.a`, `${name}.b`], max_age: 3600e9 }, NEW)
  const { subjects, max_age: age } = await broker.configOf(name)
  assert.deepEqual([subjects, age], [[`${name}.a`, `${name}.b`], 3600e9])
})

test('updates a stream without a version, and keeps its metadata', async () => {
  await using broker = await openBroker()
  const name = newPrefix()
  const metadata = { pombo_partitions: '3' }
  await broker.js.api(`STREAM.CREATE.${name}`, { name, subjects: [`${name}.a`], metadata })
  await ensureStream(broker.js, { name, subjects: [`${name}.b`], metadata: { pombo_partitions: '4' } }, OLD)
  const { subjects, metadata: kept } = await broker.configOf(name)
  assert.deepEqual([subjects, kept?.['pombo_partitions'], kept?.['pombo_layout']], [[`${name}.b`], '3', String(OLD)])
})

test('a release older than a stream leaves it unchanged', async () => {
  await using broker = await openBroker()
  const name = newPrefix()
  await ensureStream(broker.js, { name, subjects: [`${name}.a`, `${name}.b`], max_msgs_per_subject: 1 }, NEW)
  const before = await broker.configOf(name)
  // Retention cannot be changed, so the broker would refuse this too.
  const other = { max_msgs_per_subject: 9, retention: 'workqueue' } as const
  assert.deepEqual(await ensureStream(broker.js, { name, subjects: [`${name}.a`], ...other }, OLD), before)
  assert.deepEqual(await broker.configOf(name), before)
})

test('this release works on the streams of a newer one, and does not revert them', async () => {
  await using broker = await openBroker()
  const prefix = newPrefix()
  {
    await using first = await openEngine({ url, prefix, partitions: 1 })
    await first.queue.put(someJob())
  }
  const names = ['LOG', 'KEYS', 'JOBS_0', 'CONTENTS'].map((name) => `${prefix}_${name}`)
  for (const name of names) {
    const { subjects = [], ...config } = await broker.configOf(name)
    await ensureStream(broker.js, { ...config, subjects: [...subjects, `${name}.new`], description: 'new' }, NEW)
  }
  const before = await Promise.all(names.map(broker.configOf))
  await using restarted = await openEngine({ url, prefix, partitions: 1 })
  await append(restarted.log, createdEntry())
  assert.equal((await takeCount(restarted.queue, 1)).length, 1)
  assert.deepEqual(await Promise.all(names.map(broker.configOf)), before)
})
