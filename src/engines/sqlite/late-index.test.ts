import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { LateIndex } from './late-index.ts'

/** Entries wait until there are BATCH of them, and are filed STEP at a time. */
const BATCH = 4096
const STEP = 256

/** Keys in random order, as hashes are. */
const keyOf = (n: number): string => createHash('sha256').update(`${n}`).digest('hex').slice(0, 16)

function openTables(t?: TestContext) {
  const db = new DatabaseSync(':memory:')
  t?.after(() => db.close())
  db.exec(`
    create table things (n integer primary key, key text not null);
    create table filed (position integer primary key, n integer not null unique, key text not null);
    create table progress (name text primary key, position integer not null);
  `)
  const insert = db.prepare('insert into things (n, key) values (?, ?)')
  const open = (): LateIndex =>
    new LateIndex(db, {
      name: 'things',
      unfiled: 'select n, key from things where n > ? order by n',
      file: 'insert or ignore into filed (n, key) values (?, ?)',
    })
  const column = (sql: string): unknown[] =>
    db
      .prepare(sql)
      .all()
      .map((row) => Object.values(row)[0])
  return {
    db,
    open,
    add(index: LateIndex, from: number, to: number): void {
      for (let n = from; n <= to; n += 1) {
        insert.run(n, keyOf(n))
        index.add(n, keyOf(n))
      }
    },
    addOne(index: LateIndex, n: number): void {
      insert.run(n, keyOf(n))
      index.add(n, keyOf(n))
    },
    filed: () => column('select n from filed order by n'),
    filedKeys: () => column('select key from filed order by position') as string[],
    position: () => column('select position from progress')[0],
    /** Everything that can be found: in memory, or in the table. */
    found: (index: LateIndex) =>
      new Set([...Array.from(index.entries(), ([n]) => n), ...column('select n from filed')]).size,
  }
}

test('entries wait in memory until there is a full batch', (t) => {
  const { open, add, filed, found } = openTables(t)
  const index = open()
  add(index, 1, BATCH - 1)
  assert.equal(index.isDue(), false)
  add(index, BATCH, BATCH)
  assert.equal(index.isDue(), true)
  assert.deepEqual([filed().length, found(index)], [0, BATCH])
})

test('files a batch in steps, in the order of keys, and finds every entry all the while', (t) => {
  const { open, add, filedKeys, found, position } = openTables(t)
  const index = open()
  add(index, 1, BATCH)
  for (let step = 1; step < BATCH / STEP; step += 1) {
    assert.deepEqual(index.file(), [])
    assert.deepEqual([filedKeys().length, found(index), position()], [step * STEP, BATCH, undefined])
    assert.equal(index.isDue(), true)
  }
  assert.equal(index.file().length, BATCH)
  const keys = filedKeys()
  const steps = Array.from({ length: BATCH / STEP }, (_, n) => keys.slice(n * STEP, (n + 1) * STEP))
  assert.ok(steps.flatMap((step) => step.toSorted()).every((key, n, all) => n === 0 || (all[n - 1] ?? '') < key))
  assert.deepEqual([...index.entries()], [])
  assert.deepEqual([found(index), position(), index.isDue()], [BATCH, BATCH, false])
})

test('entries added while a batch is filed wait for the next one', (t) => {
  const { open, add, found, position, filed } = openTables(t)
  const index = open()
  add(index, 1, BATCH)
  index.file()
  add(index, BATCH + 1, BATCH + 10)
  while (index.isDue()) index.file()
  assert.deepEqual([filed().length, position(), found(index)], [BATCH, BATCH, BATCH + 10])
  assert.equal([...index.entries()].length, 10)
})

test('after reopening nothing is missing and nothing is filed twice, wherever filing stopped', (t) => {
  for (const steps of [0, 1, 7, BATCH / STEP - 1, BATCH / STEP]) {
    const { open, add, found, filed } = openTables(t)
    const before = open()
    add(before, 1, BATCH + 3)
    for (let step = 0; step < steps; step += 1) before.file()
    const after = open()
    assert.equal(found(after), BATCH + 3)
    assert.equal([...after.entries()].length, steps === BATCH / STEP ? 3 : BATCH + 3)
    while (after.isDue()) after.file()
    assert.equal(filed().length, BATCH)
    assert.equal(found(after), BATCH + 3)
  }
})

test('removed entries are not filed, before or during their batch', (t) => {
  const { open, add, filed, position } = openTables(t)
  const index = open()
  add(index, 1, BATCH + 1)
  index.remove(1)
  index.file()
  const last = Array.from({ length: BATCH }, (_, n) => n + 2).toSorted((a, b) => (keyOf(a) < keyOf(b) ? 1 : -1))[0] ?? 0
  index.remove(last)
  while (index.isDue()) index.file()
  assert.ok(!filed().includes(1) && !filed().includes(last))
  assert.deepEqual([filed().length, position()], [BATCH - 1, BATCH + 1])
})

/** Entries are not added in the order of their numbers: a recently changed message is projected late. */
test('finds an entry whose number is below those of a batch, whenever it is added', (t) => {
  for (const filedSteps of [0, 1, BATCH / STEP]) {
    const { open, add, addOne, found } = openTables(t)
    const index = open()
    add(index, 2, BATCH + 1)
    for (let step = 0; step < filedSteps; step += 1) index.file()
    addOne(index, 1)
    while (index.isDue()) index.file()
    assert.equal(found(index), BATCH + 1)
    assert.equal(found(open()), BATCH + 1)
  }
})

test('finds entries in any order before, during and after filing, and after reopening', () => {
  const orders = fc.record({ seed: fc.integer(), spread: fc.constantFrom(10, 1_000, 20_000), reopen: fc.boolean() })
  const property = fc.property(orders, ({ seed, spread, reopen }) => {
    const { db, open, addOne, found } = openTables()
    let index = open()
    const delayed = Array.from({ length: 3 * BATCH }, (_, position) => position + 1)
      .map((n) => [n + Math.abs(Math.sin(n + seed)) * spread, n] as const)
      .toSorted(([one], [other]) => one - other)
    for (const [position, [, n]] of delayed.entries()) {
      addOne(index, n)
      if (position % 100 === 0 && index.isDue()) index.file()
      if (position % 3_000 === 0) assert.equal(found(index), position + 1)
      if (reopen && position % 2_000 === 0) index = open()
    }
    while (index.isDue()) index.file()
    assert.equal(found(index), delayed.length)
    assert.equal(found(open()), delayed.length)
    db.close()
  })
  fc.assert(property, { numRuns: 15 })
})

test('after any sequence of adding, removing, filing and reopening, exactly the remaining entries are found', () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), count: fc.integer({ min: 1, max: 3_000 }) }),
    fc.record({ kind: fc.constant('remove' as const), count: fc.nat({ max: 5 }) }),
    fc.record({ kind: fc.constantFrom('file', 'reopen'), count: fc.integer({ min: 1, max: 20 }) }),
  )
  const property = fc.property(fc.array(step, { minLength: 3, maxLength: 12 }), (steps) => {
    const { db, open, add, found } = openTables()
    let index = open()
    let last = 0
    let removed = 0
    for (const { kind, count } of steps) {
      if (kind === 'add') {
        add(index, last + 1, last + count)
        last += count
      } else if (kind === 'remove') {
        for (const [n] of [...index.entries()].slice(0, count)) {
          index.remove(n)
          removed += db.prepare('delete from things where n = ?').run(n).changes === 1 ? 1 : 0
          db.prepare('delete from filed where n = ?').run(n)
        }
      } else if (kind === 'reopen') index = open()
      else for (let n = 0; n < count && index.isDue(); n += 1) index.file()
      assert.equal(found(index), last - removed)
    }
    db.close()
  })
  fc.assert(property, { numRuns: 15 })
})
