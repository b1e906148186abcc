import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { MessageId } from '../ids.ts'
import { parseReference, toReference } from './attempt-reference.ts'

test('an attempt survives encoding and parsing', () => {
  const count = fc.integer({ min: 1, max: 999_999_999 })
  fc.assert(
    fc.property(fc.uuid(), count, count, (uuid, cycle, attempt) => {
      const ref = { messageId: uuid as MessageId, cycle, attempt }
      assert.deepEqual(parseReference(toReference(ref)), ref)
    }),
  )
})

test('refuses a reference that is not ours', () => {
  const id = '0190a0b0-0000-7000-8000-000000000000'
  for (const text of ['', 'FOO', id, `${id}.1`, `${id}.0.1`, `${id}.1.x`, `${id}.1.1.1`, `${id}.1.1 `, `x${id}.1.1`]) {
    assert.equal(parseReference(text), undefined, text)
  }
  assert.equal(parseReference(`${'-'.repeat(36)}.1.1`), undefined)
})
