import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tenantIn } from '../../domain/access/test-mode.ts'
import type { TenantId } from '../../domain/ids.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { TenantMemoryBudget } from './tenant-memory-budget.ts'

const [ANA, EVA, IVO] = ['ana', 'eva', 'ivo'] as TenantId[] as [TenantId, TenantId, TenantId]
const KB = 1024
const TOO_MANY = { code: 'TOO_MANY_REQUESTS' }

test('one tenant gets at most half of the budget, all tenants together all of it', () => {
  const memory = new TenantMemoryBudget(10)
  const releases = [memory.reserve(ANA, 3 * KB), memory.reserve(ANA, 2 * KB), memory.reserve(EVA, 4 * KB)]
  assert.throws(() => memory.reserve(ANA, 1), TOO_MANY)
  assert.throws(() => memory.reserve(IVO, 2 * KB), Unavailable)
  releases.push(memory.reserve(IVO, KB))
  assert.throws(() => memory.reserve(EVA, 1), Unavailable)

  for (const release of releases) release()
  for (const tenantId of [ANA, EVA]) memory.reserve(tenantId, 5 * KB)
  assert.throws(() => memory.reserve(IVO, KB), Unavailable)
})

test('a tenant gets a little even if two others have used everything up', () => {
  const memory = new TenantMemoryBudget(32)
  for (const tenantId of [ANA, EVA]) memory.reserve(tenantId, 16 * KB)
  memory.reserve(IVO, 2 * KB)
  assert.throws(() => memory.reserve(IVO, 1), Unavailable)
  const others = Array.from({ length: 7 }, (_, nth) => `other-${nth}` as TenantId)
  for (const other of others) memory.reserve(other, 2 * KB)
  assert.throws(() => memory.reserve('last' as TenantId, 1), Unavailable)
})

test('a refused reservation takes nothing', () => {
  const memory = new TenantMemoryBudget(10)
  const release = [memory.reserve(EVA, 5 * KB), memory.reserve(IVO, 3 * KB)]
  for (let n = 0; n < 10; n += 1) assert.throws(() => memory.reserve(ANA, 3 * KB), Unavailable)
  memory.reserve(ANA, 2 * KB)
  release[0]?.()
  memory.reserve(ANA, 3 * KB)
})

test('test mode uses the share of its tenant', () => {
  const memory = new TenantMemoryBudget(10)
  memory.reserve(ANA, 5 * KB)
  assert.throws(() => memory.reserve(tenantIn('test', ANA), KB), TOO_MANY)
})

test('content larger than its share is admitted alone', () => {
  const memory = new TenantMemoryBudget(10)
  const release = memory.reserve(ANA, 20 * KB)
  assert.throws(() => memory.reserve(ANA, 1), TOO_MANY)
  assert.throws(() => memory.reserve(EVA, 1), Unavailable)
  release()
  memory.reserve(EVA, KB)
})

test('a reservation can be corrected, also beyond the budget, and is released once', () => {
  const memory = new TenantMemoryBudget(10)
  const held = memory.hold(ANA, KB)
  held.resize(12 * KB)
  assert.throws(() => memory.reserve(EVA, KB), Unavailable)
  held.resize(2 * KB)
  memory.reserve(EVA, 5 * KB)
  held.release()
  held.release()
  memory.reserve(IVO, 5 * KB)
  assert.throws(() => memory.reserve(ANA, KB), Unavailable)
})
