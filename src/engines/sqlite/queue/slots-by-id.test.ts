import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { randomInteger, seededRandom } from '../../../../test/support/random.ts'
import type { MessageId } from '../../../domain/ids.ts'
import { JobRecords, NONE, type Slot } from './job-records.ts'
import { type Hash, SlotsById } from './slots-by-id.ts'

/** Adds and removes ids at random, and compares with a map. */
function compareWithMap(hash: Hash | undefined, count: number, seed: number): void {
  const random = seededRandom(seed)
  const slots = new SlotsById(new JobRecords(), hash)
  const expected = new Map<MessageId, Slot>()
  const ids = Array.from({ length: count }, () => randomUUID() as MessageId)
  for (let step = 0; step < count * 10; step += 1) {
    const id = ids[randomInteger(random, 0, count - 1)] as MessageId
    const slot = expected.get(id)
    assert.equal(slots.find(id), slot ?? NONE)
    if (slot === undefined) expected.set(id, slots.claim(id))
    else if (random() < 0.5) assert.equal(slots.claim(id), slot)
    else {
      slots.remove(slot)
      expected.delete(id)
    }
  }
  assert.equal(new Set(expected.values()).size, expected.size)
  for (const [id, slot] of expected) assert.deepEqual([slots.find(id), slots.idOf(slot)], [slot, id])
}

test('finds each id at its slot', () => compareWithMap(undefined, 3_000, 1))
test('finds ids that all have the same hash', () => compareWithMap(() => -1, 60, 2))
test('finds ids with similar hashes', () => compareWithMap((first) => first & 0x3f, 300, 3))
test('finds ids whose hashes wrap around the end of the table', () =>
  compareWithMap((first) => (first & 7) | 8, 100, 4))

test('tells ids with the same hash apart by every digit', () => {
  const slots = new SlotsById(new JobRecords(), () => 7)
  const zeros = '00000000-0000-0000-0000-000000000000'
  const digits = [...zeros.matchAll(/0/g)].map(({ index }) => `${zeros.slice(0, index)}1${zeros.slice(index + 1)}`)
  const ids = [zeros, ...digits] as MessageId[]
  assert.equal(new Set(ids.map((id) => slots.claim(id))).size, ids.length)
  for (const id of ids) assert.equal(slots.idOf(slots.find(id)), id)
})

test('a freed slot is used for the next id', () => {
  const slots = new SlotsById(new JobRecords())
  const [first, second] = [slots.claim(randomUUID() as MessageId), slots.claim(randomUUID() as MessageId)]
  slots.remove(first)
  assert.equal(slots.claim('not a UUID' as MessageId), first)
  slots.remove(first)
  slots.remove(second)
  assert.equal(slots.claim(randomUUID() as MessageId), second)
  assert.equal(slots.claim(randomUUID() as MessageId), first)
})
