import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { ProviderName } from '../../domain/ids.ts'
import { FREE } from '../../domain/routing/breaker.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openFixture, SMS } from '../server.fixture.ts'

/** Without routes of the operator. */
const openEngine: typeof openMemoryEngine = (options) => openMemoryEngine({ ...options, file: [] })
const world = { openEngine, ids: openIds() }
const FAKE = 'fake' as ProviderName

async function open(...routes: readonly object[]) {
  const api = await openFixture(world)
  const admin = await api.caller({ scope: 'admin' })
  for (const route of routes) {
    const made = await admin('POST', '/v1/routes', { channel: 'sms', providers: [FAKE], ...route })
    assert.equal(made.statusCode, 201, made.body)
  }
  const reader = await api.caller({ scope: 'messages:read' })
  const resolve = async (fields: object) => (await reader('POST', '/v1/routes/resolve', fields)).json()
  return { api, reader, resolve, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
}

test('explains the chosen route and provider, and why not the others', async () => {
  await using opened = await open(
    { id: 'all' },
    { id: 'brazil', prefix: '+55' },
    { id: 'acme', prefix: '+55', sender: 'Acme' },
    { id: 'flash', prefix: '+55', kind: 'flash_sms', sender: 'Acme' },
    { id: 'twin', prefix: '+55' },
  )
  const { route, ...rest } = await opened.resolve({ to: SMS.to })
  assert.equal(route.id, 'brazil')
  const rule = { wait_seconds: 5, give_up_seconds: 259_200 }
  assert.deepEqual(rest, {
    unknown: {
      otp: { ...rule, policy: 'failover' },
      transactional: { ...rule, policy: 'hold' },
      bulk: { ...rule, policy: 'hold' },
    },
    provider: 'fake',
    candidates: [{ provider: 'fake', chosen: true, reason: 'first available provider' }],
    excluded: [
      { id: 'acme', reason: 'for another sender' },
      { id: 'all', reason: 'shorter prefix than the chosen route' },
      { id: 'flash', reason: 'for another kind of message' },
      { id: 'twin', reason: 'matches as well as the chosen route, but is listed later' },
    ],
  })
  const flash = await opened.resolve({ to: SMS.to, type: 'flash_sms', sender_id: 'Acme' })
  assert.equal(flash.route.id, 'flash')
})

test('names when an open circuit breaker retries, and chooses no provider', async () => {
  await using opened = await open({ id: 'all', providers: [{ name: FAKE, weight: 2 }] })
  const { breakers } = opened.api.deps
  for (let time = 0; time < 5; time += 1) breakers.report(FAKE, FREE, 'failed', opened.api.clock())
  const { provider, candidates } = await opened.resolve({ to: SMS.to })
  const reason = 'circuit breaker open until 2030-01-31T12:00:30.000Z; drawn for 100% of messages'
  assert.deepEqual([provider, candidates], [null, [{ provider: 'fake', chosen: false, reason }]])
})

test('returns no route when none matches, and names invalid fields', async () => {
  await using opened = await open()
  assert.deepEqual(await opened.resolve({ to: SMS.to }), {
    route: null,
    unknown: null,
    provider: null,
    candidates: [],
    excluded: [],
  })
  for (const [fields, path] of [
    [{ to: '5511' }, '/to'],
    [{}, '/to'],
    [{ to: SMS.to, sender_id: '!' }, '/sender_id'],
    [{ to: SMS.to, channel: 'email' }, '/to'],
    [{ to: 'ana@example.com', channel: 'email', sender_id: 'Acme' }, '/sender_id'],
    [{ to: SMS.to, message_id: 'x' }, '/message_id'],
  ] as const) {
    const { status, details } = await opened.resolve(fields)
    assert.deepEqual([status, details.map((problem: { path: string }) => problem.path)], [400, [path]])
  }
})

test('resolves an email by domain', async () => {
  await using opened = await open({ id: 'gov', channel: 'email', prefix: 'gov.example' })
  const resolved = await opened.resolve({ to: 'ana@mail.gov.example', channel: 'email' })
  assert.deepEqual([resolved.route.id, resolved.provider], ['gov', 'fake'])
  assert.equal((await opened.resolve({ to: 'ana@example.com', channel: 'email' })).route, null)
})
