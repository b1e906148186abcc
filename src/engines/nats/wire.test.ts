import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { instant } from '../../lib/time.ts'
import type { Revision } from '../../ports/event-log.ts'
import { ATTEMPTED, createdEntry, nextEntry, someMessage } from '../../ports/samples.contract.ts'
import { decodeKept, decodeKey, encodeKept, encodeKey, has, throughOf, toRecorded } from './wire.ts'

const kept = (data: Uint8Array, seq: number) => ({ subject: 'somewhere', seq, at: instant(0), data })

test('an event comes back as it was written, with its past and what is sealed, whatever bytes that is', () => {
  const { event } = createdEntry(someMessage())
  const bytes = Buffer.concat([Buffer.from('\n\n'), randomBytes(500), Buffer.from('\n')])
  const first = decodeKept(kept(encodeKept(event, [], { kid: 'k1', bytes }), 7))
  assert.deepEqual(toRecorded(first), { revision: 7, position: 7, event })
  assert.equal(first.sealed?.kid, 'k1')
  assert.deepEqual(Buffer.from(first.sealed?.bytes ?? []), bytes)
  assert.deepEqual(first.past, [])

  const next = nextEntry({ revision: 7 as Revision, event }, ATTEMPTED)
  const second = decodeKept(kept(encodeKept(next.event, throughOf(first)), 9))
  assert.deepEqual(toRecorded(second).event, next.event)
  assert.equal(second.sealed, undefined)
  assert.deepEqual(
    second.past.map(([seq]) => seq),
    [7],
  )
  assert.ok(has(second.past, event.id) && !has(second.past, next.event.id))
  assert.ok(has(throughOf(second), next.event.id))
})

test('a key comes back as it was written, with the content where it was sealed anew', () => {
  const key = { secret: randomBytes(32), searchable: '{"to":"+***4321"}' }
  assert.deepEqual(decodeKey(encodeKey(key)), { ...key, bytes: undefined })
  const bytes = randomBytes(100)
  assert.deepEqual(decodeKey(encodeKey({ ...key, bytes })).bytes, bytes)
})

test('something else than an event is not taken for one', () => {
  assert.throws(() => decodeKept(kept(Buffer.from('hello\nworld'), 1)), /something else/)
})
