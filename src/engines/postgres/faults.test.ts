import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DatabaseError } from 'pg'
import { Unavailable } from '../../ports/unavailable.ts'
import { toFault, UnfitPostgres } from './faults.ts'

function answer(code: string): DatabaseError {
  return Object.assign(new DatabaseError('no', 2, 'error'), { code })
}

test('what passes by itself is unavailable: lost races and connections, a lack of means, an operator at work', () => {
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

test('what the operator must correct is a sentence with an exit code, and what we did wrong stays as it is', () => {
  for (const code of ['28P01', '28000', '3D000']) assert.ok(toFault(answer(code)) instanceof UnfitPostgres, code)
  for (const bug of [answer('42601'), answer('42501'), answer('23505'), new TypeError('not ours')]) {
    assert.equal(toFault(bug), bug)
  }
  const known = new Unavailable('gone')
  assert.equal(toFault(known), known)
})
