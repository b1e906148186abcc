import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import type { DnsLookup, TxtAnswer } from '../../ports/dns-lookup.ts'
import { type Call, openFixture, SMS } from '../server.fixture.ts'

const ADMIN = { scope: 'admin' }
const NOON = '2030-01-31T12:00:00.000Z'
const RECORDS = { ownership: '_pombo.acme.example', dkim: 'pombo1._domainkey.acme.example' }

/** The API with a DNS whose records the test sets. */
async function open() {
  const records = new Map<string, TxtAnswer>()
  const dns: DnsLookup = { txt: async (name) => records.get(name) ?? { kind: 'absent' } }
  const api = await openFixture({ openEngine: openMemoryEngine, ids: openIds() }, { dns })
  const admin = await api.caller(ADMIN)
  const publish = (name: string, value: string): void => void records.set(name, { kind: 'found', values: [value] })
  const publishAll = async (call: Call): Promise<void> => {
    const { ownership, dkim } = (await call('GET', '/v1/domains/acme.example')).json()
    for (const record of [ownership, dkim]) publish(record.name, record.value)
  }
  return { api, admin, records, publish, publishAll, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
}

const SHOWN = {
  domain: 'acme.example',
  state: 'pending',
  ownership: {
    type: 'TXT',
    name: RECORDS.ownership,
    value: 'pombo-domain-verification=a-token',
    status: null,
  },
  dkim: { type: 'TXT', name: RECORDS.dkim, value: 'v=DKIM1; k=rsa; p=a-key', status: null },
  created_at: NOON,
  verified_at: null,
  last_checked_at: null,
}

test('adds, shows, lists and deletes a domain', async () => {
  await using opened = await open()
  const { admin, api } = opened
  const added = await admin('POST', '/v1/domains', { domain: 'Acme.Example.' })
  assert.deepEqual([added.statusCode, added.json()], [201, SHOWN])
  assert.deepEqual((await admin('GET', '/v1/domains/ACME.example')).json(), SHOWN)
  await admin('POST', '/v1/domains', { domain: 'a.example' })
  const { items } = (await admin('GET', '/v1/domains')).json()
  assert.deepEqual(
    items.map(({ domain }: { domain: string }) => domain),
    ['a.example', 'acme.example'],
  )
  assert.equal((await admin('DELETE', '/v1/domains/acme.example')).statusCode, 204)
  for (const [method, path] of [
    ['GET', '/v1/domains/acme.example'],
    ['DELETE', '/v1/domains/acme.example'],
    ['POST', '/v1/domains/acme.example/verify'],
    ['GET', '/v1/domains/no domain'],
  ] as const) {
    assert.equal((await admin(method, path.replace(' ', '%20'))).statusCode, 404, path)
  }
  const entries = await api.deps.auditLog.list({ limit: 10 })
  assert.deepEqual(
    entries.map(({ action, target }) => `${action} ${target.id}`),
    ['domain.removed acme.example', 'domain.created a.example', 'domain.created acme.example'],
  )
})

test('verifies a domain, and only then lets nobody else use it', async () => {
  await using opened = await open()
  const { admin, api, publishAll } = opened
  await admin('POST', '/v1/domains', { domain: 'acme.example' })
  const other = await api.caller({ tenant_id: 'other' })
  const mail = (key: string) => ({
    to: 'ana@example.org',
    from: 'Acme <a@mail.acme.example>',
    subject: 'hi',
    html: '<p>hi</p>',
    idempotency_key: key,
  })
  assert.equal((await other('POST', '/v1/email/send', mail('1'))).statusCode, 202)

  await publishAll(admin)
  const verified = await admin('POST', '/v1/domains/acme.example/verify')
  assert.equal(verified.statusCode, 200)
  const { state, ownership, dkim, verified_at: verifiedAt, last_checked_at: checkedAt } = verified.json()
  assert.deepEqual([state, ownership.status, dkim.status], ['verified', 'valid', 'valid'])
  assert.deepEqual([verifiedAt, checkedAt], [NOON, NOON])

  const refused = await other('POST', '/v1/email/send', mail('2'))
  assert.deepEqual([refused.statusCode, refused.json().error_code], [422, 'SENDER_NOT_ALLOWED'])
  assert.deepEqual(refused.json().details, [{ path: '/from', message: 'belongs to another tenant' }])
  assert.ok(!refused.body.includes('"acme"'))
  assert.equal((await (await api.caller())('POST', '/v1/email/send', mail('3'))).statusCode, 202)
})

test('an item of a batch is refused by itself, with the field of its sender', async () => {
  await using opened = await open()
  const { admin, api, publishAll } = opened
  await admin('POST', '/v1/domains', { domain: 'acme.example' })
  await publishAll(admin)
  await admin('POST', '/v1/domains/acme.example/verify')
  const other = await api.caller({ tenant_id: 'other' })
  const mail = { channel: 'email', to: 'ana@example.org', subject: 'hi', html: '<p>hi</p>' }
  const items = [
    { ...SMS, sender_id: 'acme.example', idempotency_key: 'a' },
    { ...mail, from: 'a@acme.example', idempotency_key: 'b' },
    { ...mail, idempotency_key: 'c' },
  ]
  const { results } = (await other('POST', '/v1/messages/batch', { items })).json()
  const [sms, email, plain] = results
  assert.deepEqual([sms.error.error_code, sms.error.details[0].path], ['SENDER_NOT_ALLOWED', '/sender_id'])
  assert.deepEqual([email.error.error_code, email.error.details[0].path], ['SENDER_NOT_ALLOWED', '/from'])
  assert.equal(plain.status, 'accepted')
})

test('reports what the DNS has, and 503 while it has no answer', async () => {
  await using opened = await open()
  const { admin, records, publish } = opened
  await admin('POST', '/v1/domains', { domain: 'acme.example' })
  const verify = async () => {
    const { state, ownership, dkim } = (await admin('POST', '/v1/domains/acme.example/verify')).json()
    return [state, ownership.status, dkim.status]
  }
  assert.deepEqual(await verify(), ['pending', 'missing', 'missing'])
  publish(RECORDS.ownership, 'another')
  publish(RECORDS.dkim, SHOWN.dkim.value)
  assert.deepEqual(await verify(), ['pending', 'mismatch', 'valid'])
  records.set(RECORDS.dkim, { kind: 'unavailable', reason: 'ESERVFAIL' })
  const answer = await admin('POST', '/v1/domains/acme.example/verify')
  assert.deepEqual([answer.statusCode, answer.json().error_code], [503, 'UNAVAILABLE'])
  assert.match(answer.json().detail, /ESERVFAIL/)
  const { dkim } = (await admin('GET', '/v1/domains/acme.example')).json()
  assert.equal(dkim.status, 'valid', 'as before')
})

test('two tenants may add a domain, and only one can verify it', async () => {
  await using opened = await open()
  const { admin, api, publishAll } = opened
  const other = await api.caller({ ...ADMIN, tenant_id: 'other' })
  for (const call of [admin, other]) {
    assert.equal((await call('POST', '/v1/domains', { domain: 'acme.example' })).statusCode, 201)
  }
  await publishAll(admin)
  assert.equal((await admin('POST', '/v1/domains/acme.example/verify')).statusCode, 200)
  const refused = await other('POST', '/v1/domains/acme.example/verify')
  assert.deepEqual([refused.statusCode, refused.json().error_code], [409, 'CONFLICT'])
  assert.equal((await admin('DELETE', '/v1/domains/acme.example')).statusCode, 204)
  assert.equal((await other('POST', '/v1/domains/acme.example/verify')).statusCode, 200)
})

test('refuses what is no domain, one that was added before, and more than 100', async () => {
  await using opened = await open()
  const { admin } = opened
  for (const domain of ['acme', '*.acme.example', 'a@acme.example', `${'a'.repeat(300)}.example`]) {
    const answer = await admin('POST', '/v1/domains', { domain })
    assert.deepEqual([answer.statusCode, answer.json().details[0].path], [400, '/domain'])
  }
  for (let nth = 0; nth < 100; nth += 1) {
    assert.equal((await admin('POST', '/v1/domains', { domain: `d${nth}.example` })).statusCode, 201)
  }
  const again = await admin('POST', '/v1/domains', { domain: 'd7.example' })
  assert.deepEqual([again.statusCode, again.json().detail], [409, 'The domain d7.example has been added already'])
  const more = await admin('POST', '/v1/domains', { domain: 'more.example' })
  assert.equal(more.statusCode, 409)
  assert.match(more.json().detail, /maximum of 100 domains/)
})

test('needs the scope admin, and keeps tenants apart', async () => {
  await using opened = await open()
  const { admin, api } = opened
  await admin('POST', '/v1/domains', { domain: 'acme.example' })
  const sender = await api.caller()
  for (const [method, path] of [
    ['GET', '/v1/domains'],
    ['GET', '/v1/domains/acme.example'],
    ['POST', '/v1/domains/acme.example/verify'],
    ['DELETE', '/v1/domains/acme.example'],
  ] as const) {
    assert.equal((await sender(method, path)).statusCode, 403, path)
    const other = await (await api.caller({ ...ADMIN, tenant_id: 'other' }))(method, path)
    if (path === '/v1/domains') assert.deepEqual(other.json(), { items: [] })
    else assert.equal(other.statusCode, 404, path)
  }
  assert.equal((await sender('POST', '/v1/domains', { domain: 'b.example' })).statusCode, 403)
})

test('test mode sees the domains of live mode and cannot change them', async () => {
  await using opened = await open()
  const { admin, api, publishAll } = opened
  await admin('POST', '/v1/domains', { domain: 'acme.example' })
  await publishAll(admin)
  const inTest = await api.caller({ ...ADMIN, test: true })
  assert.deepEqual((await inTest('GET', '/v1/domains')).json().items, [SHOWN])
  assert.deepEqual((await inTest('GET', '/v1/domains/acme.example')).json(), SHOWN)
  for (const [method, path] of [
    ['POST', '/v1/domains/acme.example/verify'],
    ['DELETE', '/v1/domains/acme.example'],
  ] as const) {
    assert.equal((await inTest(method, path)).statusCode, 403, path)
  }
  assert.equal((await inTest('POST', '/v1/domains', { domain: 'b.example' })).statusCode, 403)
})

test('neither the API nor the log shows a private key', async () => {
  await using opened = await open()
  const { admin, api, publishAll } = opened
  const bodies = [(await admin('POST', '/v1/domains', { domain: 'acme.example' })).body]
  await publishAll(admin)
  bodies.push((await admin('POST', '/v1/domains/acme.example/verify')).body)
  bodies.push((await admin('GET', '/v1/domains')).body)
  const entries = JSON.stringify(await api.deps.auditLog.list({ limit: 10 }))
  for (const text of [...bodies, entries, JSON.stringify(api.lines)]) assert.ok(!text.includes('sealed'), text)
})
