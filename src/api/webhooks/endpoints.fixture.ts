/** The API for tests of endpoints, with an admin caller. */
import assert from 'node:assert/strict'
import { openFixture, type World } from '../server.fixture.ts'

export const ADMIN = { scope: 'admin' }
export const NOON = '2030-01-31T12:00:00.000Z'
export const HOOK = { id: 'orders', url: 'https://acme.example/hooks' }

export async function openEndpoints(world: World) {
  const api = await openFixture(world)
  const admin = await api.caller(ADMIN)
  return {
    api,
    admin,
    make: async (fields: object = {}) => {
      const made = await admin('POST', '/v1/endpoints', { ...HOOK, ...fields })
      assert.equal(made.statusCode, 201, made.body)
      return made.json()
    },
    /** Admins of another account of the tenant, and of the same account name in another tenant. */
    strangers: async () => [
      await api.caller({ ...ADMIN, account_id: 'other' }),
      await api.caller({ ...ADMIN, tenant_id: 'other' }),
    ],
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}
