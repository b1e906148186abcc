import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Tenant } from '../../domain/access/tenant.ts'
import { tenantIn } from '../../domain/access/test-mode.ts'
import type { ProviderName, TenantId } from '../../domain/ids.ts'
import type { Provider } from '../../ports/provider.ts'
import { fakeProvider, TENANT } from '../gateway.fixture.ts'
import { unsendable } from './unsendable.ts'
import { usableProviders } from './usable-providers.ts'

const TEST_TENANT = tenantIn('test', TENANT)

const toDeps = (described: Partial<Tenant> | undefined, ...capabilities: readonly Provider['capabilities'][]) => {
  const providers = capabilities.map((one, nth) => fakeProvider([], { name: `p${nth}`, capabilities: one }))
  return {
    tenants: { of: (id: TenantId) => described && { id, state: 'active' as const, ...described } },
    providers: new Map(providers.map((provider) => [provider.name, provider])),
  }
}

const SMS: Provider['capabilities'] = { channels: ['sms'], reports: 'callback' }
const SIMULATED_MAIL: Provider['capabilities'] = { channels: ['email'], reports: 'callback', simulated: true }

test('live messages of an active or undescribed tenant are sendable, whatever the providers', () => {
  for (const described of [undefined, {}]) assert.equal(unsendable(toDeps(described), TENANT, 'sms'), undefined)
})

test('no message of a suspended tenant is sendable, live or test', () => {
  const deps = toDeps({ state: 'suspended' }, SMS, SIMULATED_MAIL)
  for (const tenantId of [TENANT, TEST_TENANT]) {
    assert.equal(unsendable(deps, tenantId, 'email')?.code, 'TENANT_SUSPENDED')
  }
})

test('a test message needs a simulator of its channel', () => {
  const deps = toDeps(undefined, SMS, SIMULATED_MAIL)
  assert.equal(unsendable(deps, TEST_TENANT, 'email'), undefined)
  const refused = unsendable(deps, TEST_TENANT, 'sms')
  assert.equal(refused?.code, 'TEST_MODE_UNAVAILABLE')
  assert.match(refused?.message ?? '', /none is configured for sms/)
})

test('a tenant may use the providers that an operator allows it, and in test mode only simulators', () => {
  const names = (deps: ReturnType<typeof toDeps>, tenantId = TENANT) =>
    usableProviders(deps, tenantId).map(({ name }) => name)
  assert.deepEqual(names(toDeps(undefined, SMS, SIMULATED_MAIL)), ['p0', 'p1'])
  const limited = toDeps({ providers: ['p0', 'gone'] as readonly string[] as ProviderName[] }, SMS, SIMULATED_MAIL)
  assert.deepEqual([names(limited), names(limited, TEST_TENANT)], [['p0'], ['p1']])
})

test('only its tenants may use a provider that is reserved, also in test mode', () => {
  const [name, SIMULATED] = ['own' as ProviderName, { ...SMS, simulated: true } as const]
  const other = 'other' as TenantId
  const reserved = (capabilities: Provider['capabilities']) => {
    const provider = fakeProvider([], { name, capabilities, tenants: [other] })
    return { tenants: { of: () => undefined }, providers: new Map([[name, provider]]) }
  }
  const names = (deps: ReturnType<typeof reserved>, tenantId: TenantId) =>
    usableProviders(deps, tenantId).map((provider) => provider.name)
  const live = reserved(SMS)
  assert.deepEqual([names(live, other), names(live, TENANT)], [[name], []])
  const simulated = reserved(SIMULATED)
  assert.deepEqual([names(simulated, tenantIn('test', other)), names(simulated, TEST_TENANT)], [[name], []])
  assert.equal(unsendable(simulated, tenantIn('test', other), 'sms'), undefined)
  assert.equal(unsendable(simulated, TEST_TENANT, 'sms')?.code, 'TEST_MODE_UNAVAILABLE')
})
