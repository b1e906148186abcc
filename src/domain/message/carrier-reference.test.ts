import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant } from '../../lib/time.ts'
import type { AttemptRef, MessageId } from '../ids.ts'
import { afterRegistration, afterReport, BLANK, isOnlyPart } from './carrier-reference.ts'
import type { PartReport } from './part-reports.ts'

const REF: AttemptRef = { messageId: '018f4f5e-7c1a-7abc-9def-0123456789ab' as MessageId, cycle: 1, attempt: 2 }
const OWNER = { ref: REF, names: ['a', 'b'] }
const ACCEPTED: PartReport = { state: 'accepted', at: instant(1_000) }
const DELIVERED: PartReport = { state: 'delivered', at: instant(2_000) }

test('a name and a report make the same entry in either order', () => {
  const whole = { owner: OWNER, report: DELIVERED }
  assert.deepEqual(afterReport(afterRegistration(BLANK, OWNER), DELIVERED), whole)
  assert.deepEqual(afterRegistration(afterReport(BLANK, DELIVERED), OWNER), whole)
})

test('returns the same entry when nothing changes', () => {
  const entry = afterReport(afterRegistration(BLANK, OWNER), DELIVERED)
  assert.equal(afterRegistration(entry, { ref: { ...REF }, names: [...OWNER.names] }), entry)
  assert.equal(afterReport(entry, ACCEPTED), entry)
})

test('an attempt can register its names again and keeps the report', () => {
  const entry = afterRegistration(afterReport(BLANK, DELIVERED), { ref: REF, names: ['a'] })
  assert.deepEqual(afterRegistration(entry, OWNER), { owner: OWNER, report: DELIVERED })
  assert.deepEqual(afterRegistration(entry, { ref: REF, names: ['b'] }).owner?.names, ['b'])
})

test('a name that is reused by another attempt starts without a report', () => {
  const entry = afterReport(afterRegistration(BLANK, OWNER), DELIVERED)
  for (const change of [{ attempt: 3 }, { cycle: 2 }, { messageId: '018f4f5e-7c1a-7abc-9def-000000000000' }]) {
    const next = { ref: { ...REF, ...change } as AttemptRef, names: ['a'] }
    assert.deepEqual(afterRegistration(entry, next), { owner: next })
  }
})

test('distinguishes the only part from one of several', () => {
  assert.equal(isOnlyPart({ ref: REF, names: ['a'] }), true)
  assert.equal(isOnlyPart(OWNER), false)
})
