import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { AccountId, TenantId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { refuse } from '../../flows/errors.ts'
import { openFixture } from '../server.fixture.ts'
import { openAuthenticator } from './authenticator.ts'
import { type OpenCallersDeps, openCallers } from './open-callers.ts'

const CLIENTS = '198.51.100.0/24'
const CLIENT = '198.51.100.7'
const STRANGER = '203.0.113.9'
const PROXY = '10.1.1.1'
const CONFIG = { userId: 101, rateLimit: 1, timeWindow: 1 }

/** An API that is open to this machine and to some clients, and the status of a call without credentials. */
async function openUsersApi(more: Partial<OpenCallersDeps> = {}) {
  const deps = {
    tenantId: 'acme' as TenantId,
    accountId: 'shop' as AccountId,
    networks: [CLIENTS],
    trustedProxies: [],
    ...more,
  }
  const verifyToken = () => {
    throw refuse('UNAUTHENTICATED', 'The token is not valid')
  }
  const usersAuth = openAuthenticator({ verifyToken, verifyOpen: openCallers(deps) })
  const { trustedProxies } = deps
  const api = await openFixture({ openEngine: openMemoryEngine, ids: openIds() }, { usersAuth, trustedProxies })
  const call = async (remoteAddress: string, headers: Readonly<Record<string, string>> = {}, url = '/api/config') => {
    const answer = await api.app.inject({ method: 'POST', url, payload: CONFIG, remoteAddress, headers })
    return answer.statusCode
  }
  return { api, call, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
}

test('needs no credentials from loopback and from the allowed networks, and from nowhere else', async () => {
  await using opened = await openUsersApi()
  const { call } = opened
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1', CLIENT])
    assert.equal(await call(address), 200, address)
  for (const address of [STRANGER, PROXY, '2001:db8::1', '::ffff:203.0.113.9'])
    assert.equal(await call(address), 401, address)
})

test('only the users API is open, and credentials that are sent must be right', async () => {
  await using opened = await openUsersApi()
  const { call } = opened
  for (const url of ['/v1/sms/send', '/v1/messages/batch']) assert.equal(await call('127.0.0.1', {}, url), 401)
  assert.equal(await call('127.0.0.1', { authorization: 'Bearer nonsense' }), 401)
})

test('a call from a browser or through an unknown proxy needs credentials', async () => {
  await using opened = await openUsersApi()
  const { call } = opened
  assert.equal(await call('127.0.0.1', { origin: 'http://127.0.0.1:8080' }), 401)
  for (const name of ['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'forwarded', 'via']) {
    assert.equal(await call('127.0.0.1', { [name]: '127.0.0.1' }), 401, name)
  }
})

test('through a trusted proxy the client counts, and neither the proxy nor loopback', async () => {
  await using opened = await openUsersApi({ trustedProxies: ['10.0.0.0/8', '127.0.0.1/32'] })
  const { call } = opened
  const through = (chain: string) => ({ 'x-forwarded-for': chain })
  assert.equal(await call(PROXY, through(CLIENT)), 200)
  assert.equal(await call(PROXY, through(`127.0.0.1, ${CLIENT}`)), 200)
  assert.equal(await call(PROXY, through(STRANGER)), 401)
  assert.equal(await call(PROXY, through(`${CLIENT}, ${STRANGER}`)), 401)
  assert.equal(await call(PROXY, through('127.0.0.1, 10.2.2.2')), 401)
  for (const proxy of [PROXY, '127.0.0.1']) assert.equal(await call(proxy), 401, proxy)
  assert.equal(await call(CLIENT), 200)
})

test('acts for the tenant and the account of the settings, as nobody in particular', async () => {
  await using opened = await openUsersApi()
  const { api, call } = opened
  await call('127.0.0.1')
  const admin = await api.caller({ scope: 'admin', tenant_id: 'acme' })
  assert.equal((await admin('GET', '/v1/limits/user/101')).json().set_by, 'tenant')
  assert.deepEqual((await admin('GET', '/v1/audit')).json().items[0]?.actor?.kind, 'anonymous')
  const sent = await api.app.inject({ method: 'POST', url: '/api/send', payload: { userId: 101, message: 'Hello' } })
  assert.deepEqual([sent.statusCode, sent.body], [200, 'Message Sent Successfully'])
})
