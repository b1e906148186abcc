import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseError } from 'pg'
import { Unavailable } from '../../ports/unavailable.ts'
import { toFault, UnsupportedPostgres } from './faults.ts'

function answer(code: string): DatabaseError {
  return Object.assign(new DatabaseError('no', 2, 'error'), { code })
}

test('transient errors are Unavailable: lost races and connections, exhausted resources, operator intervention', () => {
  for (const code of [
    '08006',
    '40001',
    '40P01',
    '53100',
    '53300',
    '55P03',
    '57014',
    '57P01',
    '57P03',
    '58030',
    '25006',
  ]) {
    assert.ok(toFault(answer(code)) instanceof Unavailable, code)
  }
  const lost = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
  assert.ok(toFault(lost) instanceof Unavailable)
  assert.equal(toFault(lost).cause, lost)
})

test('configuration errors have an exit code and a message, and bugs stay as they are', () => {
  for (const code of ['28P01', '28000', '3D000']) assert.ok(toFault(answer(code)) instanceof UnsupportedPostgres, code)
  for (const bug of [answer('42601'), answer('42501'), answer('23505'), new TypeError('not ours')]) {
    assert.equal(toFault(bug), bug)
  }
  const known = new Unavailable('gone')
  assert.equal(toFault(known), known)
})
