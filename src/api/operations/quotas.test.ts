import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { Quotas, Tenant } from '../../domain/access/tenant.ts'
import type { TenantId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import type { UsedUp } from '../../flows/access/quotas.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type Call, openFixture, SMS } from '../server.fixture.ts'
import type { ApiDeps } from '../server.ts'

const ACME = 'acme' as TenantId

async function open(quotas: Quotas = {}, overrides: Partial<ApiDeps> = {}) {
  const acme: Tenant = { id: ACME, state: 'active', quotas }
  const api = await openFixture(
    { openEngine: (options) => openMemoryEngine({ ...options, filedTenants: [acme] }), ids: openIds() },
    overrides,
  )
  const admin = await api.caller({ scope: 'admin' })
  return { api, admin, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
}

const keyed = (body: object, key: string) => ({ ...body, idempotency_key: key })

/** The items of an answer, by quota. */
const itemsOf = (answer: Awaited<ReturnType<Call>>): Record<string, object> =>
  Object.fromEntries(answer.json().items.map(({ quota, ...item }: { quota: string }) => [quota, item]))

test('a tenant sees every quota, and how much of it is used', async () => {
  await using opened = await open({ templates: 4, waitingMessages: 10, storedBytes: 100_000, recipients: 0 })
  const { api, admin } = opened
  assert.equal((await admin('POST', '/v1/sms/send', keyed(SMS, 'k'))).statusCode, 202)
  const template = { name: 'welcome', channel: 'sms', text: 'Hi' }
  for (const locale of ['en', 'pt']) await admin('POST', '/v1/templates', { ...template, locale })
  await admin('PUT', '/v1/limits/account/main', { limit: 1, window_seconds: 60 })
  await admin('POST', '/v1/api-keys', { name: 'x', scopes: ['otp'] })
  const reader = await api.caller({ scope: 'messages:read' })
  const answer = await reader('GET', '/v1/usage/quotas')
  assert.deepEqual([answer.statusCode, answer.json().tenant_id], [200, 'acme'])
  const { stored_bytes: stored, ...others } = itemsOf(answer) as Record<string, { used: number; ratio: number }>
  assert.deepEqual(others, {
    limits: { limit: 1_000, used: 1, ratio: 0.001 },
    templates: { limit: 4, used: 1, ratio: 0.25 },
    routes: { limit: 1_000, used: 0, ratio: 0 },
    endpoints: { limit: 1_000, used: 0, ratio: 0 },
    recipients: { limit: 0, used: 0, ratio: 0 },
    api_keys: { limit: 100, used: 1, ratio: 0.01 },
    waiting_messages: { limit: 10, used: 1, ratio: 0.1 },
  })
  assert.ok(stored !== undefined && stored.used > 100)
  assert.equal(stored.ratio, stored.used / 100_000)
})

test('an operator sees those of any tenant, and nobody else does', async () => {
  await using opened = await open({ routes: 7 })
  const { api, admin } = opened
  const operator = await api.caller({ tenant_id: 'ops', scope: 'operator' })
  const answer = await operator('GET', '/v1/tenants/acme/usage')
  assert.deepEqual(itemsOf(answer)['routes'], { limit: 7, used: 0, ratio: 0 })
  assert.deepEqual(itemsOf(await operator('GET', '/v1/tenants/other/usage'))['routes'], {
    limit: 1_000,
    used: 0,
    ratio: 0,
  })
  assert.equal((await operator('GET', '/v1/tenants/a b/usage')).statusCode, 404)
  assert.equal((await admin('GET', '/v1/tenants/acme/usage')).statusCode, 403)
  const sender = await api.caller({ scope: 'sms:send' })
  assert.equal((await sender('GET', '/v1/usage/quotas')).statusCode, 403)
})

test('a quota without a bound has no ratio, and a number that cannot be read is null', async () => {
  const broken = {
    measure: async () => new Map([[ACME, { storedBytes: 5 }]]),
    setup: async () => ({ limits: 0, templates: 0, routes: 0, endpoints: 0, recipients: 0 }),
  }
  await using opened = await open({}, { usage: broken })
  const items = itemsOf(await opened.admin('GET', '/v1/usage/quotas'))
  assert.deepEqual(items['stored_bytes'], { limit: null, used: 5, ratio: null })
  assert.deepEqual(items['waiting_messages'], { limit: 1_000_000, used: null, ratio: null })
})

test('while the store of the set-up is unreachable, the answer is 503', async () => {
  const setup = () => Promise.reject(new Unavailable('PostgreSQL is unreachable'))
  await using opened = await open({}, { usage: { measure: async () => new Map(), setup } })
  assert.equal((await opened.admin('GET', '/v1/usage/quotas')).statusCode, 503)
})

const NAMES = ['a', 'b', 'c'] as const
const ADDITIONS: Readonly<Record<string, (admin: Call, name: string) => ReturnType<Call>>> = {
  limits: (admin, name) => admin('PUT', `/v1/limits/account/${name}`, { limit: 1, window_seconds: 60 }),
  templates: (admin, name) => admin('POST', '/v1/templates', { name, channel: 'sms', text: 'Hi' }),
  routes: (admin, name) => admin('POST', '/v1/routes', { id: name, channel: 'sms', providers: ['fake'] }),
  endpoints: (admin, name) => admin('POST', '/v1/endpoints', { id: name, url: 'https://acme.example/hook' }),
  recipients: (admin, name) => admin('POST', '/v1/recipients', { external_id: name, phone: '+5511987654321' }),
}

for (const [quota, add] of Object.entries(ADDITIONS)) {
  test(`${quota} beyond the quota of the tenant are refused with the bound and the number, and nothing is stored`, async () => {
    await using opened = await open({ [quota]: 2 })
    const { api, admin } = opened
    const [first, second, refused] = [await add(admin, 'a'), await add(admin, 'b'), await add(admin, 'c')]
    for (const { statusCode } of [first, second]) assert.ok(statusCode === 200 || statusCode === 201)
    const { error_code: code, title, detail } = refused.json()
    assert.deepEqual([refused.statusCode, code, title], [409, 'QUOTA_EXCEEDED', 'Quota exceeded'])
    assert.match(detail, new RegExp(`^The quota of 2 ${quota} is reached, with 2 in use; delete one first$`))
    assert.deepEqual(itemsOf(await admin('GET', '/v1/usage/quotas'))[quota], { limit: 2, used: 2, ratio: 1 })
    const other = await api.caller({ tenant_id: 'other', scope: 'admin' })
    assert.notEqual((await add(other, 'a')).statusCode, 409)
  })

  test(`of ${quota} that are added at once, no more than the quota are`, async () => {
    await using opened = await open({ [quota]: 2 })
    const answers = await Promise.all(NAMES.map((name) => add(opened.admin, name)))
    assert.equal(answers.filter(({ statusCode }) => statusCode === 409).length, 1)
  })
}

test('what exists already keeps its own error, and can still be changed', async () => {
  await using opened = await open({ routes: 1, endpoints: 1, recipients: 1, limits: 1, templates: 1 })
  const { admin } = opened
  for (const add of Object.values(ADDITIONS)) await add(admin, 'a')
  for (const kind of ['routes', 'endpoints', 'recipients']) {
    assert.equal((await ADDITIONS[kind]?.(admin, 'a'))?.json().error_code, 'CONFLICT', kind)
  }
  for (const kind of ['limits', 'templates'])
    assert.ok(((await ADDITIONS[kind]?.(admin, 'a'))?.statusCode ?? 500) < 300)
  assert.equal((await admin('PATCH', '/v1/templates/a', { text: 'Hello' })).statusCode, 200)
})

test('limits of single users do not count, neither those of the compatibility API nor others; their default does', async () => {
  await using opened = await open({ limits: 1 })
  const configure = (userId: number) => opened.admin('POST', '/api/config', { userId, rateLimit: 1, timeWindow: 1 })
  const limit = (key: string) => opened.admin('PUT', `/v1/limits/user/${key}`, { limit: 1, window_seconds: 60 })
  for (const userId of [101, 102, 103]) assert.equal((await configure(userId)).statusCode, 200)
  for (const key of ['ana', 'ben', '*']) assert.equal((await limit(key)).statusCode, 200)
  const refused = await opened.admin('PUT', '/v1/limits/account/a', { limit: 1, window_seconds: 60 })
  assert.deepEqual([refused.statusCode, refused.json().error_code], [409, 'QUOTA_EXCEEDED'])
})

test('what an operator sets for a tenant does not use its quota', async () => {
  await using opened = await open({ limits: 1 })
  const { api, admin } = opened
  const operator = await api.caller({ scope: 'operator' })
  const limit = { limit: 1, window_seconds: 60 }
  for (const name of NAMES) assert.equal((await operator('PUT', `/v1/limits/account/${name}`, limit)).statusCode, 200)
  assert.equal((await admin('PUT', '/v1/limits/account/d', limit)).statusCode, 200)
})

test('an account may have 100 endpoints', async () => {
  await using opened = await open()
  const { api, admin } = opened
  const add = (call: Call, id: string) => call('POST', '/v1/endpoints', { id, url: 'https://acme.example/hook' })
  for (let nth = 0; nth < 100; nth += 1) assert.equal((await add(admin, `e${nth}`)).statusCode, 201)
  const refused = await add(admin, 'more')
  assert.deepEqual([refused.statusCode, refused.json().error_code], [409, 'QUOTA_EXCEEDED'])
  assert.match(refused.json().detail, /^The quota of 100 endpoints of an account is reached, with 100 in use/)
  assert.equal((await add(await api.caller({ scope: 'admin', account_id: 'second' }), 'more')).statusCode, 201)
})

test('a template has at most 200 locales and 1,000 versions in each', async () => {
  await using opened = await open()
  const { api, admin } = opened
  const { templates } = api.deps
  const stored = { tenantId: ACME, name: 'a', channel: 'sms', texts: { text: 'Hi' }, createdAt: api.clock() } as const
  for (let nth = 0; nth < 1_000; nth += 1) await templates.add({ ...stored, locale: 'en' })
  const versions = await admin('PATCH', '/v1/templates/a', { text: 'Hello' })
  assert.deepEqual([versions.statusCode, versions.json().error_code], [409, 'QUOTA_EXCEEDED'])
  assert.match(versions.json().detail, /^The quota of 1000 versions of a template in one locale is reached, with 1000/)
  for (let nth = 1; nth < 200; nth += 1)
    await templates.add({ ...stored, locale: `en-${String(nth).padStart(3, '0')}` })
  const locales = await admin('POST', '/v1/templates', { name: 'a', channel: 'sms', text: 'Oi', locale: 'pt' })
  assert.match(locales.json().detail, /^The quota of 200 locales of a template is reached/)
})

const WAITING: UsedUp = { quota: 'waitingMessages', limit: 5, used: 6 }
const EMAIL = { to: 'ana@example.com', subject: 'Hi', html: '<p>Hi</p>' }
const SENDS: Readonly<Record<string, (call: Call) => ReturnType<Call>>> = {
  '/v1/sms/send': (call) => call('POST', '/v1/sms/send', keyed(SMS, 'sms')),
  '/v1/email/send': (call) => call('POST', '/v1/email/send', keyed(EMAIL, 'email')),
  '/v1/otp/generate': (call) => call('POST', '/v1/otp/generate', { to: SMS.to }, { 'idempotency-key': 'otp' }),
}

test('sends of a tenant at its quota are refused with 507 and when to retry, and those of another are not', async () => {
  const usedUp = new Set<TenantId>()
  const sendQuotas = { usedUp: (tenantId: TenantId) => (usedUp.has(tenantId) ? WAITING : undefined) }
  await using opened = await open({}, { sendQuotas })
  const { api, admin } = opened
  const other = await api.caller({ tenant_id: 'other', scope: 'admin' })
  const first = await admin('POST', '/v1/sms/send', keyed(SMS, 'first'))
  usedUp.add(ACME)
  for (const [path, send] of Object.entries(SENDS)) {
    const refused = await send(admin)
    const { error_code: code, title, detail, retry_after: retryAfter, type } = refused.json()
    assert.deepEqual([refused.statusCode, code, title, retryAfter], [507, 'QUOTA_EXCEEDED', 'Quota exceeded', 10], path)
    assert.equal(refused.headers['retry-after'], '10')
    assert.equal(type, 'urn:pombo:problem:quota-exceeded')
    assert.equal(detail, 'The quota of 5 waiting messages is reached, with 6 waiting to be sent')
    assert.equal((await send(other)).statusCode, 202, path)
  }
  const again = await admin('POST', '/v1/sms/send', keyed(SMS, 'first'))
  assert.deepEqual([again.statusCode, again.body], [202, first.body])
  assert.equal(again.headers['idempotent-replayed'], 'true')
  assert.ok(api.lines.some((line) => line['error_code'] === 'QUOTA_EXCEEDED'))
})

test('the items of a batch are refused one by one, and the SMS to a user with them', async () => {
  let isUsedUp = false
  await using opened = await open({}, { sendQuotas: { usedUp: () => (isUsedUp ? WAITING : undefined) } })
  const { admin } = opened
  const batch = () => admin('POST', '/v1/messages/batch', { items: [keyed(SMS, 'a'), keyed(SMS, 'b')] })
  const first = (await batch()).json().results
  isUsedUp = true
  assert.deepEqual((await batch()).json().results, first)
  const { results } = (await admin('POST', '/v1/messages/batch', { items: [keyed(SMS, 'a'), keyed(SMS, 'c')] })).json()
  assert.equal(results[0].id, first[0].id)
  assert.deepEqual([results[1].error.status, results[1].error.error_code], [507, 'QUOTA_EXCEEDED'])
  await admin('POST', '/api/config', { userId: 7, rateLimit: 9, timeWindow: 1 })
  assert.equal((await admin('POST', '/api/send', { userId: 7, message: 'Hi' })).statusCode, 507)
})

test('resends and replays are refused too, and a replay of many counts them', async () => {
  let isUsedUp = false
  await using opened = await open({}, { sendQuotas: { usedUp: () => (isUsedUp ? WAITING : undefined) } })
  const { api, admin } = opened
  const ids: string[] = []
  for (const key of ['a', 'b']) {
    const { id } = (await admin('POST', '/v1/sms/send', keyed(SMS, key))).json()
    await api.happen(id, { kind: 'DeadLettered', code: 'X', detail: 'x' })
    ids.push(id)
  }
  await api.project()
  isUsedUp = true
  assert.equal((await admin('POST', `/v1/messages/${ids[0]}/resend`)).statusCode, 507)
  assert.equal((await admin('POST', `/v1/dead-letters/${ids[0]}/replay`)).statusCode, 507)
  const many = (await admin('POST', '/v1/dead-letters/replay', {})).json()
  assert.deepEqual(many, { replayed: 0, skipped: 0, rate_limited: 2, next_cursor: null })
  isUsedUp = false
  assert.equal((await admin('POST', `/v1/messages/${ids[0]}/resend`)).statusCode, 202)
})
