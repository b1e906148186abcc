import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ProviderName, TenantId } from '../ids.ts'
import { mayUse } from './reserved-provider.ts'
import { tenantIn } from './test-mode.ts'

const [ONE, TWO] = ['one', 'two'] as readonly string[] as readonly [ProviderName, ProviderName]
const [ACME, OTHER] = ['acme', 'other'] as readonly string[] as readonly [TenantId, TenantId]

test('a provider is for every tenant whose list allows it, or for those that it is reserved for', () => {
  const [shared, reserved] = [{ name: ONE }, { name: ONE, tenants: [ACME] }]
  assert.deepEqual([mayUse(shared, ACME), mayUse(shared, OTHER)], [true, true])
  assert.deepEqual([mayUse(shared, ACME, [ONE]), mayUse(shared, ACME, [TWO])], [true, false])
  assert.deepEqual([mayUse(reserved, ACME), mayUse(reserved, OTHER)], [true, false])
  assert.deepEqual([mayUse(reserved, ACME, [TWO]), mayUse(reserved, OTHER, [ONE])], [false, false])
})

test('a reservation includes the test mode of its tenants, and no tenant with a similar id', () => {
  const reserved = { name: ONE, tenants: [ACME] }
  assert.equal(mayUse(reserved, tenantIn('test', ACME)), true)
  for (const id of [tenantIn('test', OTHER), 'Acme', 'acme2'] as TenantId[]) assert.equal(mayUse(reserved, id), false)
})
