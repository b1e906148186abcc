import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toPage } from './page.ts'

const pageOf = (...rows: readonly number[]) => toPage(rows, 2, (last) => `after ${last}`)

test('a page has a cursor exactly if there is a row after it', () => {
  assert.deepEqual(pageOf(), { page: [] })
  assert.deepEqual(pageOf(1), { page: [1] })
  assert.deepEqual(pageOf(1, 2), { page: [1, 2] })
  assert.deepEqual(pageOf(1, 2, 3), { page: [1, 2], nextCursor: 'after 2' })
})
