import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashOf, nameOf, rangeOf } from './name-of.ts'
import { keyOf, openNames } from './names.fixture.ts'
import { CHAPTER_MESSAGES } from './names.ts'

/** So many chapters are merged into one. */
const MERGED = 16

type Opened = ReturnType<typeof openNames>

/** Some messages from the first to the last one are found by their names, and by no other. */
function assertFound({ find }: Opened, last: number, samples = 50): void {
  for (let sample = 0; sample <= samples; sample += 1) {
    const n = 1 + Math.floor((sample * (last - 1)) / samples)
    assert.deepEqual(find(keyOf(n)), [n])
  }
  assert.deepEqual(find(keyOf(last + 1)), [])
}

test('finds messages by each of their names, and all messages of one name', () => {
  const names = openNames()
  names.add(1, 'one', 'shared')
  names.add(2, 'two', 'shared')
  assert.deepEqual([names.find('one'), names.find('two'), names.find('shared')], [[1], [2], [1, 2]])
  assert.deepEqual(names.find('three'), [])
  names.reopen()
  assert.deepEqual(names.find('shared'), [1, 2])
})

test('names wait in memory until there are enough messages for a chapter', () => {
  const names = openNames()
  names.addMessages(1, CHAPTER_MESSAGES - 1)
  assert.ok(!names.isDue())
  names.addMessages(CHAPTER_MESSAGES, CHAPTER_MESSAGES)
  assert.ok(names.isDue())
})

test('finds every name while a chapter is written in steps, and after a crash at any step', () => {
  const names = openNames()
  const last = CHAPTER_MESSAGES + 100
  names.addMessages(1, last, 'shared')
  for (let steps = 0; steps < 30 && names.step(); steps += 1) {
    assertFound(names, last)
    if (steps % 3 === 2) names.reopen()
    assertFound(names, last)
    assert.equal(names.find('shared').length, last)
  }
  names.finish()
  assertFound(names, last)
  assert.equal(names.find('shared').length, last)
  names.reopen()
  assert.ok(!names.isDue())
  assertFound(names, last)
})

test('messages that are added while a chapter is written wait for the next one', () => {
  const names = openNames()
  names.addMessages(1, CHAPTER_MESSAGES)
  names.step()
  names.addMessages(CHAPTER_MESSAGES + 1, CHAPTER_MESSAGES + 10)
  names.finish()
  assertFound(names, CHAPTER_MESSAGES + 10)
  names.reopen()
  assertFound(names, CHAPTER_MESSAGES + 10)
})

test('finds every name while chapters are merged, also after a crash, and few chapters remain', () => {
  const names = openNames()
  const last = MERGED * CHAPTER_MESSAGES
  names.addMessages(1, last)
  for (let steps = 1; names.step(); steps += 1) {
    if (steps % 7 === 0) assertFound(names, last, 20)
    if (steps % 50 === 0) names.reopen()
  }
  assertFound(names, last, 1_000)
  names.reopen()
  assert.ok(!names.isDue())
  assertFound(names, last, 1_000)
  assert.equal(names.db.prepare('select count(*) as count from chapters').get()?.['count'], 1)
})

test('a step that is rolled back is done again', () => {
  const names = openNames()
  names.addMessages(1, CHAPTER_MESSAGES)
  for (let steps = 0; names.isDue(); steps += 1) {
    names.stepAndRollBack()
    assertFound(names, CHAPTER_MESSAGES)
    names.reopen()
    for (let again = 0; again <= steps; again += 1) names.step()
  }
  assertFound(names, CHAPTER_MESSAGES)
})

test('a removed name is not found again, whenever it was removed', () => {
  for (const steps of [0, 1, 3, 8]) {
    const names = openNames()
    names.addMessages(1, CHAPTER_MESSAGES)
    for (let step = 0; step < steps; step += 1) names.step()
    const removed = Array.from({ length: 100 }, (_, nth) => 1 + nth * 80)
    for (const n of removed) names.remove(n, keyOf(n))
    const found = (): readonly number[] => removed.flatMap((n) => names.find(keyOf(n)))
    assert.deepEqual(found(), [], `after ${steps} steps`)
    names.finish()
    assert.deepEqual(found(), [], `after ${steps} steps and the rest of them`)
    names.reopen()
    assert.deepEqual(found(), [], `after ${steps} steps and a restart`)
    assert.deepEqual(names.find(keyOf(2)), [2])
  }
})

test('removed names of merged chapters are not found again', () => {
  const names = openNames()
  const last = MERGED * CHAPTER_MESSAGES
  names.addMessages(1, last)
  let removed = 0
  for (let steps = 1; names.step(); steps += 1) {
    if (steps % 10 !== 0) continue
    removed += 1
    names.remove(removed, keyOf(removed))
  }
  assert.ok(removed > 10)
  for (let n = 1; n <= removed; n += 1) assert.deepEqual(names.find(keyOf(n)), [])
  assert.deepEqual(names.find(keyOf(removed + 1)), [removed + 1])
})

test('a message may get a name long after its chapter was written, and the same one twice', () => {
  const names = openNames()
  const last = MERGED * CHAPTER_MESSAGES
  names.addMessages(1, last)
  const named = new Set<number>()
  for (let steps = 1; names.step(); steps += 1) {
    const n = (steps * 997) % last
    named.add(n)
    names.add(n, `late ${n}`)
    names.add(n, keyOf(n))
    assert.deepEqual(names.find(`late ${n}`), [n])
  }
  for (const n of named) assert.deepEqual([names.find(`late ${n}`), names.find(keyOf(n))], [[n], [n]])
  names.reopen()
  for (const n of named) assert.deepEqual([names.find(`late ${n}`), names.find(keyOf(n))], [[n], [n]])
})

test('chapters of deleted messages are deleted in steps', () => {
  const names = openNames()
  const last = 3 * CHAPTER_MESSAGES
  names.addMessages(1, last)
  names.finish()
  names.removeBefore(2 * CHAPTER_MESSAGES + 1)
  assert.ok(names.isDue())
  names.step()
  names.reopen()
  names.finish()
  assert.deepEqual(names.find(keyOf(1)), [])
  assert.deepEqual(names.find(keyOf(2 * CHAPTER_MESSAGES)), [])
  assert.deepEqual(names.find(keyOf(2 * CHAPTER_MESSAGES + 1)), [2 * CHAPTER_MESSAGES + 1])
  names.addMessages(last + 1, last + CHAPTER_MESSAGES)
  names.finish()
  assert.deepEqual(names.find(keyOf(last + CHAPTER_MESSAGES)), [last + CHAPTER_MESSAGES])
})

test('what has the same hash is found too, and must be compared', () => {
  const [one, other] = ['key-3i5w3', 'key-b78pp']
  assert.equal(nameOf(one), nameOf(other))
  const names = openNames()
  names.add(1, one)
  names.add(2, other)
  assert.deepEqual(names.find(one), [1, 2])
})

const count = fc.integer({ min: 1, max: 3_000 })
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('add' as const), count }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('step' as const), count: fc.integer({ min: 1, max: 20 }) }) },
  fc.record({ kind: fc.constantFrom('name' as const, 'remove' as const), count: fc.integer({ min: 1, max: 50 }) }),
  fc.record({ kind: fc.constantFrom('reopen' as const, 'rollback' as const, 'delete' as const), count }),
)

test('after any sequence of adding, removing, deleting, writing and crashing, exactly the right messages are found', () => {
  const property = fc.property(fc.array(step, { minLength: 5, maxLength: 25 }), fc.nat(), (steps, seed) => {
    const names = openNames()
    let last = 0
    /** Messages in no particular order, among those that exist. */
    const some = (many: number): readonly number[] => {
      const all = [...names.stored.keys()]
      return all.length === 0 ? [] : Array.from({ length: many }, (_, at) => all[(seed + at * 7_919) % all.length] ?? 0)
    }
    for (const { kind, count: many } of steps) {
      if (kind === 'add') names.addMessages(last + 1, last + many, `lot ${last}`)
      if (kind === 'add') last += many
      if (kind === 'step') for (let one = 0; one < many; one += 1) names.step()
      if (kind === 'name') for (const n of some(many)) names.add(n, `late ${n % 5}`)
      if (kind === 'remove') for (const n of some(many)) names.remove(n, ...[...(names.stored.get(n) ?? [])].slice(1))
      if (kind === 'reopen') names.reopen()
      if (kind === 'rollback' && names.isDue()) names.stepAndRollBack()
      if (kind === 'delete') names.removeBefore(Math.min(last, (many * 5) % (last + 1)))
      assertExact(names)
    }
    names.finish()
    assertExact(names)
    names.db.close()
  })
  fc.assert(property, { numRuns: 12, endOnFailure: true })
})

/** By every shared name, exactly the messages that have it; messages that were deleted may still be found. */
function assertExact({ stored, find }: Opened): void {
  const expected = new Map<string, number[]>()
  for (const [n, names] of stored) {
    for (const name of names) expected.set(name, [...(expected.get(name) ?? []), n])
  }
  const shared = [...expected].filter(([name]) => !name.startsWith('key'))
  const own = [...expected].filter((_, at) => at % 499 === 0)
  for (const [name, numbers] of [...shared, ...own]) {
    assert.deepEqual(
      find(name).filter((n) => stored.has(n)),
      numbers.toSorted((one, other) => one - other),
      name,
    )
  }
}

/** A random UUID that begins so. */
const idOf = (first: string): string => `${first}${randomUUID().slice(first.length)}`

test('finds ids by their first digits, in memory, in a chapter and among merged ones', () => {
  const names = openNames()
  const [early, late] = [idOf('5eed0001'), idOf('5eed0001')]
  names.add(1, early, 'shared')
  names.add(2, idOf('5eed0002'))
  names.addMessages(3, CHAPTER_MESSAGES)
  assert.deepEqual(names.findPrefix('5eed0001'), [1])
  for (let merge = 1; merge <= MERGED; merge += 1) {
    names.addMessages(merge * CHAPTER_MESSAGES + 1, (merge + 1) * CHAPTER_MESSAGES)
    if (merge % 5 === 0) names.finish()
  }
  names.add((MERGED + 1) * CHAPTER_MESSAGES + 1, late)
  names.finish()
  for (const prefix of ['5eed0001', early.replaceAll('-', '').slice(0, 20)]) {
    assert.deepEqual(names.findPrefix(prefix), [(MERGED + 1) * CHAPTER_MESSAGES + 1, 1])
  }
  assert.deepEqual([names.find(early), names.find(late)], [[1], [(MERGED + 1) * CHAPTER_MESSAGES + 1]])
  assert.deepEqual(names.findPrefix('5eed0003'), [])
})

test('ids by time do not crowd into one range', () => {
  const ids = ['018f0000-0000-7000-8000-000000000001', '018f0000-0000-7000-8000-000000000002']
  assert.ok(ids.every((id) => nameOf(id) === hashOf(id)))
  const random = randomUUID()
  const [from, to] = rangeOf(random.slice(0, 8))
  assert.ok(from <= nameOf(random) && nameOf(random) < to)
})

test('finds ids in the chapters of earlier releases, also once they are merged with others', () => {
  const names = openNames()
  const id = randomUUID()
  names.addMessages(2, CHAPTER_MESSAGES)
  names.add(1, id)
  names.finish()
  // As an earlier release has stored it.
  names.db.prepare('update names set name = ? where name = ?').run(hashOf(id), nameOf(id))
  assert.deepEqual(names.find(id), [])
  names.db.exec('update chapters set hashed = 1')
  names.reopen()
  assert.deepEqual(names.find(id), [1])
  names.addMessages(CHAPTER_MESSAGES + 1, MERGED * CHAPTER_MESSAGES)
  names.finish()
  assert.deepEqual(names.find(id), [1])
  names.reopen()
  assert.deepEqual(names.find(id), [1])
})
