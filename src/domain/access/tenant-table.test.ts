import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant } from '../../lib/time.ts'
import type { TenantId } from '../ids.ts'
import { TenantTable } from './tenant-table.ts'
import { tenantIn } from './test-mode.ts'

const at = instant(7)
const stored = (id: string, version: number, name = `version ${version}`) =>
  ({ id: id as TenantId, state: 'active', name, own: { version, createdAt: at, updatedAt: at } }) as const

test('the newest version of a tenant counts, in whatever order they arrive', () => {
  const table = new TenantTable([])
  for (const version of [2, 3, 1]) table.apply(stored('acme', version))
  assert.equal(table.of('acme' as TenantId)?.name, 'version 3')
  assert.deepEqual(table.list(), [stored('acme', 3)])
})

test('a tenant of the file stays as it is there', () => {
  const filed = { id: 'acme' as TenantId, state: 'suspended' } as const
  const table = new TenantTable([filed])
  table.apply(stored('acme', 9))
  assert.deepEqual(table.list(), [filed])
})

test('a test tenant is described by its live tenant', () => {
  const table = new TenantTable([])
  assert.equal(table.of(tenantIn('test', 'acme' as TenantId)), undefined)
  table.apply(stored('acme', 1))
  assert.equal(table.of(tenantIn('test', 'acme' as TenantId)), table.of('acme' as TenantId))
})
