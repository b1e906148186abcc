import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '../../domain/ids.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { TenantMemoryBudget } from './tenant-memory-budget.ts'

const [ANA, EVA, IVO] = ['ana', 'eva', 'ivo'] as TenantId[] as [TenantId, TenantId, TenantId]
const KB = 1024

test('one tenant gets at most half of the budget, all tenants together all of it', () => {
  const memory = new TenantMemoryBudget(10)
  const releases = [memory.reserve(ANA, 3 * KB), memory.reserve(ANA, 2 * KB), memory.reserve(EVA, 4 * KB)]
  assert.throws(() => memory.reserve(ANA, 1), Unavailable)
  assert.throws(() => memory.reserve(IVO, 2 * KB), Unavailable)
  releases.push(memory.reserve(IVO, KB))
  assert.throws(() => memory.reserve(EVA, 1), Unavailable)

  for (const release of releases) release()
  for (const tenantId of [ANA, EVA]) memory.reserve(tenantId, 5 * KB)
  assert.throws(() => memory.reserve(IVO, 1), Unavailable)
})

test('a refused reservation takes nothing', () => {
  const memory = new TenantMemoryBudget(10)
  const release = [memory.reserve(EVA, 5 * KB), memory.reserve(IVO, 3 * KB)]
  for (let n = 0; n < 10; n += 1) assert.throws(() => memory.reserve(ANA, 3 * KB), Unavailable)
  memory.reserve(ANA, 2 * KB)
  release[0]?.()
  memory.reserve(ANA, 3 * KB)
})
