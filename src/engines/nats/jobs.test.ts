import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openEngine } from '../../../test/support/nats-engine.ts'
import { newPrefix, openNats } from '../../../test/support/nats-server.ts'
import { later, seconds } from '../../domain/time.ts'
import { jobsOf, takeCount } from '../../ports/queue-samples.contract.ts'
import {
  append,
  createdEntry,
  doubtUntil,
  jobOf,
  nextEntry,
  REAL_TIME,
  someContent,
  someJob,
  someMessage,
} from '../../ports/samples.contract.ts'
import { openNats as connect } from './connection.ts'
import { JetStream } from './jetstream.ts'
import { ensureStream } from './streams.ts'

test('putting off a job makes the broker forget no other that is in hand', { timeout: 30_000 }, async () => {
  await using broker = await openNats()
  const prefix = newPrefix()
  await using holder = await openEngine({ ...broker, prefix })
  await using other = await openEngine({ ...broker, prefix })
  for (const job of [someJob(), someJob()]) await holder.queue.put(job)
  const message = someMessage()
  const seen = await append(holder.log, createdEntry(message, someContent(), jobOf(message)))
  const [first, second] = await takeCount(holder.queue, 3)
  assert(first && second)

  const dueAt = later(REAL_TIME.clock(), seconds(60))
  await append(other.log, nextEntry(seen, doubtUntil(dueAt), jobOf(message, dueAt)))
  await other.queue.put(someJob())
  for (const taken of await takeCount(other.queue, 1)) await other.queue.done(taken)

  for (const taken of [first, second]) await holder.queue.release(taken, REAL_TIME.clock())
  assert.deepEqual(jobsOf(await takeCount(other.queue, 2)).toSorted(), jobsOf([first, second]).toSorted())
})

test('erasing what is gone already is no failure, wherever it stood', async () => {
  await using broker = await openNats()
  await using connection = await connect(broker)
  const js = new JetStream(connection, 1)
  const name = newPrefix()
  await ensureStream(js, { name, subjects: [`${name}.*`], allow_direct: true })
  for (const place of [1, 2, 3, 4]) await js.publish(`${name}.${place}`, '')
  for (const seq of [3, 3, 1, 1, 9]) await js.erase(name, seq)
  assert.equal(await js.get(name, { seq: 3 }), undefined)
  assert.equal((await js.get(name, { seq: 4 }))?.seq, 4)
})
