import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { refreshViews, type View } from './views.ts'

const changesOf = (db: DatabaseSync): unknown => db.prepare('pragma schema_version').get()?.['schema_version']

test('replaces views of another release, and only those', () => {
  using db = new DatabaseSync(':memory:')
  const views: readonly View[] = [
    { name: 'numbers', select: ' select 1 as n ' },
    { name: 'doubles', select: 'select 2 * n as n from numbers' },
  ]
  refreshViews(db, views)
  assert.equal(db.prepare('select n from doubles').get()?.['n'], 2)

  const before = changesOf(db)
  refreshViews(db, views)
  assert.equal(changesOf(db), before)

  refreshViews(
    db,
    views.map((view) => (view.name === 'numbers' ? { ...view, select: 'select 3 as n' } : view)),
  )
  assert.equal(db.prepare('select n from doubles').get()?.['n'], 6)
})
