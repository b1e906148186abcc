import assert from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { later, millis } from '../../lib/time.ts'
import {
  assertDurable,
  carrierReferencesContract,
  DELIVERED,
  someRef,
  someReferences,
} from '../../ports/carrier-references.contract.ts'
import { REFERENCES_KEPT_FOR } from '../../ports/carrier-references.ts'
import { ACME, NOON, stopped } from '../../ports/samples.contract.ts'
import { carrierReferenceTable, sqliteCarrierReferences } from './carrier-references.ts'
import { newFile, openDriver } from './limits.fixture.ts'
import { newTables } from './store.fixture.ts'

carrierReferencesContract('sqlite', async () => {
  await using opened = new AsyncDisposableStack()
  const driver = opened.use(openDriver(opened.use(newFile()).path, stopped))
  const closing = opened.move()
  return {
    one: sqliteCarrierReferences(driver),
    other: sqliteCarrierReferences(driver),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
})

test('references and reports survive a restart', async () => {
  using file = newFile()
  await using opened = new AsyncDisposableStack()
  const first = openDriver(file.path, stopped)
  await assertDurable(sqliteCarrierReferences(first), async () => {
    await first[Symbol.asyncDispose]()
    return sqliteCarrierReferences(opened.use(openDriver(file.path, stopped)))
  })
})

test('does not store the reports of a single-part message', async () => {
  using file = newFile()
  await using driver = openDriver(file.path, stopped)
  const book = sqliteCarrierReferences(driver)
  const [names, ref] = [someReferences(), someRef()]
  const [name = ''] = names
  await book.register(ACME, names, ref)
  assert.deepEqual((await book.report(ACME, name, DELIVERED))?.reports, [DELIVERED])
  assert.deepEqual(await driver.call('carrierReferences.find', [ACME, name]), { owner: { ref, names } })
})

test('deletes expired entries as others are written, and more than are written', (t) => {
  let now = NOON
  const db = newTables(t)
  const { writes } = carrierReferenceTable(db, () => now)
  const write = (count: number): void => {
    for (const name of someReferences(count)) {
      writes.register(ACME, [name], someRef())
      writes.report(ACME, name, DELIVERED)
    }
  }
  write(20)
  now = later(NOON, REFERENCES_KEPT_FOR)
  write(1)
  assert.deepEqual(countsOf(db), [21, 21])
  now = later(now, millis(1))
  write(2)
  assert.deepEqual(countsOf(db), [15, 15])
  write(10)
  assert.deepEqual(countsOf(db), [13, 13])
})

const countsOf = (db: DatabaseSync): readonly number[] =>
  ['receipt_names', 'receipt_reports'].map((table) =>
    Number(db.prepare(`select count(*) as count from ${table}`).get()?.['count']),
  )
