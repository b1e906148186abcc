/** The API for tests of API keys, with an admin who creates them. */
import assert from 'node:assert/strict'
import type { AccountId, TenantId } from '../../domain/ids.ts'
import { type Call, openFixture, type World } from '../server.fixture.ts'
import type { ApiDeps } from '../server.ts'
import { toAccountSid } from '../twilio/account-sid.ts'

export const KEYS = '/v1/api-keys'
export const NOON = '2030-01-31T12:00:00.000Z'

/** An API key as the response to its creation shows it. */
export type Created = Readonly<{ id: string; key: string; prefix: string; expires_at: string | null }>

/** Of an account of a tenant. The name of a test tenant ends with `~test`. */
export const sidOf = (account: string, tenant: string): string =>
  toAccountSid({ tenantId: tenant as TenantId, accountId: account as AccountId })

/** How the key that `create` makes is shown. */
export const shownOf = ({ id, prefix }: Created) => ({
  id,
  prefix,
  name: 'Shop',
  scopes: ['sms:send'],
  mode: 'live',
  account_id: 'main',
  twilio_account_sid: sidOf('main', 'acme'),
  networks: null,
  status: 'active',
  created_at: NOON,
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
})

export async function createKey(call: Call, fields: object = {}): Promise<Created> {
  const made = await call('POST', KEYS, { name: 'Shop', scopes: ['sms:send'], ...fields })
  assert.equal(made.statusCode, 201, made.body)
  return made.json()
}

export async function openKeys(world: World, overrides: Partial<ApiDeps> = {}) {
  const api = await openFixture(world, overrides)
  // A new token for every call, because tests let more time pass than one is valid.
  const admin: Call = async (...args) => (await api.caller({ scope: 'admin' }))(...args)
  return {
    api,
    admin,
    create: (fields: object = {}) => createKey(admin, fields),
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}
