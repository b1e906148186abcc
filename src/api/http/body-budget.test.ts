import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '../../domain/ids.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { BodyBudget } from './body-budget.ts'

const [ANA, EVA, IVO] = ['ana', 'eva', 'ivo'] as TenantId[] as [TenantId, TenantId, TenantId]
const KB = 1024

test('one tenant has half of the room at most, and all together have all of it', () => {
  const room = new BodyBudget(10)
  const leaves = [room.take(ANA, 3 * KB), room.take(ANA, 2 * KB), room.take(EVA, 4 * KB)]
  assert.throws(() => room.take(ANA, 1), Unavailable)
  assert.throws(() => room.take(IVO, 2 * KB), Unavailable)
  leaves.push(room.take(IVO, KB))
  assert.throws(() => room.take(EVA, 1), Unavailable)

  for (const leave of leaves) leave()
  for (const tenantId of [ANA, EVA]) room.take(tenantId, 5 * KB)
  assert.throws(() => room.take(IVO, 1), Unavailable)
})

test('who is refused has taken nothing', () => {
  const room = new BodyBudget(10)
  const leave = [room.take(EVA, 5 * KB), room.take(IVO, 3 * KB)]
  for (let n = 0; n < 10; n += 1) assert.throws(() => room.take(ANA, 3 * KB), Unavailable)
  room.take(ANA, 2 * KB)
  leave[0]?.()
  room.take(ANA, 3 * KB)
})
