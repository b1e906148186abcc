import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageId } from '../../domain/ids.ts'
import type { EventLog } from '../../ports/event-log.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  append,
  createdEntry,
  nextEntry,
  stopped,
  VALIDATED,
} from '../../ports/samples.contract.ts'
import { recentLog } from './recent-log.ts'

/** The cache, the log below it, and the messages read from there. */
function open() {
  const { log: below } = openMemoryEngine({ clock: stopped })
  const reads: MessageId[] = []
  const watched: EventLog = {
    ...below,
    latest(id) {
      reads.push(id)
      return below.latest(id)
    },
  }
  return { log: recentLog(watched), below, reads }
}

test('returns what was just appended without reading it', async () => {
  const { log, below, reads } = open()
  const created = await append(log, createdEntry())
  const attempted = await append(log, nextEntry(created, ATTEMPTED))
  const { id } = created.event.state
  const latest = await log.latest(id)
  assert.deepEqual(latest, attempted, 'a revision and an event, and no position')
  assert.equal(latest?.revision, (await below.latest(id))?.revision)
  assert.deepEqual(reads, [])
})

test('reads what another process appended', async () => {
  const { log, below, reads } = open()
  const { event } = await append(below, createdEntry())
  assert.deepEqual((await log.latest(event.state.id))?.event, event)
  assert.deepEqual(reads, [event.state.id])
})

test('a conflict evicts the outdated event', async () => {
  const { log, below, reads } = open()
  const created = await append(log, createdEntry())
  const { id } = created.event.state
  const theirs = await append(below, nextEntry(created, VALIDATED))
  assert.deepEqual((await log.latest(id))?.event, created.event)
  assert.deepEqual(await log.append(nextEntry(created, ATTEMPTED)), { kind: 'conflict' })
  assert.deepEqual((await log.latest(id))?.event, theirs.event)
  assert.deepEqual(reads, [id])
})

test('a duplicate evicts the event too', async () => {
  const { log, below, reads } = open()
  const created = await append(log, createdEntry())
  const validated = await append(log, nextEntry(created, VALIDATED))
  const theirs = await append(below, nextEntry(validated, ATTEMPTED))
  assert.deepEqual(await log.append(nextEntry(created, VALIDATED)), { kind: 'duplicate' })
  assert.deepEqual((await log.latest(created.event.state.id))?.event, theirs.event)
  assert.equal(reads.length, 1)
})

test('a failed append is not cached', async () => {
  const { below } = open()
  const created = await append(below, createdEntry())
  const log = recentLog({ ...below, append: async () => Promise.reject(new Error('no disk')) })
  await assert.rejects(log.append(nextEntry(created, ATTEMPTED)), /no disk/)
  assert.deepEqual((await log.latest(created.event.state.id))?.event, created.event)
})

test('evicts the least recently written messages', async () => {
  const { log, reads } = open()
  const first = await append(log, createdEntry())
  const second = await append(log, createdEntry())
  for (let n = 0; n < 9_998; n += 1) await log.append(createdEntry())
  await append(log, nextEntry(first, ATTEMPTED))
  await log.append(createdEntry())
  await log.latest(first.event.state.id)
  assert.deepEqual(reads, [])
  await log.latest(second.event.state.id)
  assert.deepEqual(reads, [second.event.state.id])
})

test('passes everything else on to the log below', async () => {
  const { log, below } = open()
  const created = await append(log, createdEntry())
  await append(log, nextEntry(await append(log, nextEntry(created, ATTEMPTED)), ACCEPTED))
  const { id } = created.event.state
  assert.deepEqual(await log.read(id), await below.read(id))
  assert.deepEqual(await log.load(id), await below.load(id))
  assert.equal(await log.tip(), 3)
  await log.shred(id)
  assert.equal((await below.load(id))?.content, undefined)
})

test('reads a message while an append is in progress', async () => {
  const { log, below } = open()
  const created = await append(log, createdEntry())
  const { id } = created.event.state
  const writing = log.append(nextEntry(created, ATTEMPTED))
  const seen = await log.latest(id)
  assert.equal(seen?.event.fact.kind, (await below.latest(id))?.event.fact.kind)
  await writing
  assert.equal((await log.latest(id))?.event.fact.kind, 'HandoffAttempted')
})
