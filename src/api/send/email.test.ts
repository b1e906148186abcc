import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openFixture, SMS } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const SEND = '/v1/email/send'
const EMAIL = { to: 'ana@example.com', subject: 'Your parcel', html: '<p>It is on its way.</p>' }
const FILE = { filename: 'a.txt', content_type: 'text/plain', content: 'aGk=' }
const FULL = {
  ...EMAIL,
  text: 'It is on its way.',
  from: 'Acme <hello@acme.example>',
  reply_to: ['help@acme.example'],
  cc: ['Bob <bob@example.com>'],
  bcc: ['carol@example.com'],
  headers: { 'X-Order': '7' },
  attachments: [{ ...FILE, content_id: 'logo' }],
  unsubscribe: { url: 'https://acme.example/stop', mailto: 'stop@acme.example' },
  lane: 'bulk',
  metadata: { order: '7' },
  tags: ['parcel'],
  expires_at: '2030-02-01T00:00:00Z',
  callback_url: 'https://acme.example/hook',
}

const pathOf = ({ path }: { path: string }): string => path

test('accepts an email; the response has its fields in a fixed order', async () => {
  await using api = await openFixture(world)
  const call = await api.caller({ scope: 'email:send' })
  const answer = await call('POST', SEND, { ...EMAIL, idempotency_key: 'k' })
  assert.equal(answer.statusCode, 202, answer.body)
  assert.match(
    answer.body,
    /^\{"id":"([0-9a-f-]{36})","request_id":"\1","status":"accepted","created_at":"2030-01-31T12:00:00.000Z","accepted_at":"2030-01-31T12:00:00.000Z"\}$/,
  )
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(answer.headers['idempotent-replayed'], undefined)
})

test('keeps every field of an email', async () => {
  await using api = await openFixture(world)
  const { request_id: id } = (await (await api.caller())('POST', SEND, { ...FULL, idempotency_key: 'k' })).json()
  const loaded = await api.deps.log.load(id as MessageId)
  const { channel, lane, segments, encoding, callback } = loaded?.event.state ?? {}
  assert.deepEqual([channel, lane, segments, encoding, callback], ['email', 'bulk', 1, 'mime', true])
  const { attachments, unsubscribe, bcc, from } = loaded?.content?.channel === 'email' ? loaded.content : {}
  assert.deepEqual(from, { address: 'hello@acme.example', name: 'Acme' })
  assert.deepEqual(bcc, [{ address: 'carol@example.com' }])
  assert.deepEqual(attachments, [{ filename: 'a.txt', contentType: 'text/plain', content: 'aGk=', contentId: 'logo' }])
  assert.deepEqual(unsubscribe, FULL.unsubscribe)
})

test('S1-P1 the same key and payload get the same bytes and create one email; another payload is 422', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const parts = fc.subarray(Object.keys(FULL).filter((name) => !(name in EMAIL)) as (keyof typeof FULL)[])
  let run = 0
  await fc.assert(
    fc.asyncProperty(parts, fc.integer({ min: 1, max: 4 }), async (names, times) => {
      const mail = { ...EMAIL, ...Object.fromEntries(names.map((name) => [name, FULL[name]])) }
      const key = { 'idempotency-key': `run ${run++}` }
      const before = await api.deps.log.tip()
      const answers = await Promise.all(Array.from({ length: times }, () => call('POST', SEND, mail, key)))
      assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([202]))
      assert.equal(new Set(answers.map(({ body }) => body)).size, 1)
      assert.equal(answers.filter(({ headers }) => headers['idempotent-replayed'] !== 'true').length, 1)
      assert.equal((await api.deps.log.tip()) - before, 1)
      const other = await call('POST', SEND, { ...mail, html: '<p>Other</p>' }, key)
      assert.equal(other.json().error_code, 'IDEMPOTENCY_MISMATCH')
    }),
  )
})

test('SMS and email share idempotency keys: the second is another payload', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'k' })
  assert.equal((await call('POST', SEND, { ...EMAIL, idempotency_key: 'k' })).statusCode, 422)
})

test('reports every invalid field at once, by type or by meaning', async () => {
  await using api = await openFixture(world)
  const answer = await (await api.caller())('POST', SEND, {
    to: 'ana',
    subject: 7,
    html: ' ',
    from: 'nobody',
    reply_to: 7,
    cc: ['b@example.com', 'b'],
    bcc: 'c@example.com',
    headers: { Bcc: 'x', 'X-A': 1 },
    attachments: [{ ...FILE, filename: 'a/b' }],
    unsubscribe: { url: 'http://example.com' },
    tags: [''],
    expires_at: 'soon',
    callback_url: 'ftp://x',
    message: 'Hi',
  })
  assert.equal(answer.statusCode, 400)
  assert.deepEqual(answer.json().details.map(pathOf).toSorted(), [
    '/attachments/0/filename',
    '/bcc',
    '/callback_url',
    '/cc/1',
    '/expires_at',
    '/from',
    '/headers/X-A',
    '/html',
    '/idempotency_key',
    '/message',
    '/reply_to',
    '/subject',
    '/tags/0',
    '/to',
    '/unsubscribe/url',
  ])
})

for (const [name, fields, path] of [
  ['NUL in html', { html: 'a\0b' }, '/html'],
  ['half a character in a text', { text: '\ud800' }, '/text'],
  ['a line break in a subject', { subject: 'a\r\nBcc: eve@evil.example' }, '/subject'],
  ['a line break in a name', { from: 'A\nB <a@b.example>' }, '/from'],
  ['a line break in a header', { headers: { 'X-A': 'a\r\nBcc: eve@evil.example' } }, '/headers/X-A'],
  ['a header of ours', { headers: { 'List-Unsubscribe': 'x' } }, '/headers/List-Unsubscribe'],
  ['a header twice', { headers: { 'X-A': '1', 'X-a': '2' } }, '/headers/X-a'],
  ['a recipient twice', { cc: ['Ana@example.com'] }, '/cc/0'],
  ['an attachment that is no base64', { attachments: [{ ...FILE, content: 'äöü' }] }, '/attachments/0/content'],
  ['an attachment without a name', { attachments: [{ ...FILE, filename: undefined }] }, '/attachments/0/filename'],
  ['too many attachments', { attachments: Array(21).fill(FILE) }, '/attachments'],
  ['attachments that are too large', { attachments: [{ ...FILE, content: 'A'.repeat(7_000_000) }] }, '/attachments'],
  ['no way to unsubscribe', { unsubscribe: {} }, '/unsubscribe'],
  ['too many headers', { headers: Object.fromEntries([...Array(51).keys()].map((n) => [`X-${n}`, ''])) }, '/headers'],
  ['an otp lane', { lane: 'otp' }, '/lane'],
] as const) {
  test(`${name} is 400 at ${path}`, async () => {
    await using api = await openFixture(world)
    const answer = await (await api.caller())('POST', SEND, { ...EMAIL, idempotency_key: 'k', ...fields })
    assert.equal(answer.statusCode, 400, answer.body)
    assert.deepEqual(answer.json().details.map(pathOf), [path])
    assert.equal(await api.deps.log.tip(), 0)
  })
}

test('reports the error code of a failing content check', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const fields = { to: EMAIL.to, subject: ' ', html: 'x'.repeat(512 * 1024 + 1), idempotency_key: 'k' }
  assert.deepEqual((await call('POST', SEND, fields)).json().details, [
    { path: '/subject', message: 'is empty', code: 'INVALID_TEMPLATE' },
    { path: '/html', message: 'is larger than 512 KB', code: 'INVALID_TEMPLATE' },
  ])
})

test('accepts the largest email, and answers 413 to a body of ten megabytes', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const attachments = [{ ...FILE, content: Buffer.alloc(5 * 1024 * 1024).toString('base64') }]
  const large = { ...EMAIL, html: 'x'.repeat(512 * 1024), attachments, idempotency_key: 'k' }
  assert.equal((await call('POST', SEND, large)).statusCode, 202)
  const larger = await call('POST', SEND, { ...large, html: 'x'.repeat(10_000_000) })
  assert.equal(larger.statusCode, 413)
  assert.equal(larger.json().error_code, 'PAYLOAD_TOO_LARGE')
})

test('refuses a suppressed address, also as a copy; a repeated call gets its first response', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const mail = { ...EMAIL, cc: ['bob@example.com'] }
  const first = await call('POST', SEND, { ...mail, idempotency_key: 'k' })
  await api.deps.suppressions.add({
    tenantId: 'acme' as TenantId,
    address: 'bob@example.com' as EmailAddress,
    reason: 'manual',
    createdAt: api.clock(),
  })
  assert.equal((await call('POST', SEND, { ...mail, idempotency_key: 'k' })).body, first.body)
  const copies = { cc: ['carol@example.com', 'BOB@example.com'], idempotency_key: 'other' }
  const refused = await call('POST', SEND, { ...EMAIL, ...copies })
  assert.equal(refused.statusCode, 422)
  assert.equal(refused.json().error_code, 'RECIPIENT_SUPPRESSED')
  assert.deepEqual(refused.json().details.map(pathOf), ['/cc/1'])
  const batch = await call('POST', '/v1/messages/batch', { items: [{ channel: 'email', ...EMAIL, ...copies }] })
  assert.deepEqual(batch.json().results[0].error.details.map(pathOf), ['/cc/1'])
  for (const { body } of [refused, batch]) assert.doesNotMatch(body, /bob/i)
})

test('needs the scope email:send', async () => {
  await using api = await openFixture(world)
  const call = await api.caller({ scope: 'sms:send otp messages:read messages:write' })
  const answer = await call('POST', SEND, { ...EMAIL, idempotency_key: 'k' })
  assert.equal(answer.statusCode, 403)
  assert.match(answer.json().detail, /email:send/)
})

test('shows the state and timeline of an email with the recipient masked', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const id = (await call('POST', SEND, { ...FULL, idempotency_key: 'k' })).json().request_id
  await api.happen(
    id,
    { kind: 'HandoffAttempted', provider: 'fake' as never, routeId: 'r' as never, owner: 'process 7' },
    { kind: 'HandoffAccepted', providerMessageId: 'p1', by: 'answer' },
  )
  const answer = await call('GET', `/v1/email/${id.toUpperCase()}`)
  assert.equal(answer.statusCode, 200)
  const { events, status, channel, type, to, provider_message_id } = answer.json()
  assert.deepEqual([status, channel, type, to], ['sent', 'email', 'email', 'a***@example.com'])
  assert.equal(provider_message_id, 'p1')
  assert.deepEqual(
    events.map(({ event_type }: { event_type: string }) => event_type),
    ['MessageCreated', 'HandoffAttempted', 'HandoffAccepted'],
  )
  const personal = [EMAIL.to, EMAIL.html, 'bob@example.com', 'carol@example.com', 'a.txt', FULL.text]
  for (const text of [answer.body, JSON.stringify(api.lines)]) {
    for (const secret of personal) assert.ok(!text.includes(secret), secret)
  }
  assert.ok(!JSON.stringify(api.lines).includes(EMAIL.subject))

  const details = (await call('GET', `/v1/messages/${id}`)).json()
  assert.deepEqual([details.sender_id, details.subject], ['hello@acme.example', EMAIL.subject])
  await call('POST', `/v1/messages/${id}/erase`)
  const erased = (await call('GET', `/v1/messages/${id}`)).json()
  assert.deepEqual([erased.sender_id, erased.subject, erased.to], [null, null, null])
})

test('does not find an SMS as email, an email as SMS, or a message of another tenant', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const mail = (await call('POST', SEND, { ...EMAIL, idempotency_key: 'mail' })).json().request_id
  const sms = (await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'sms' })).json().request_id
  const stranger = await api.caller({ tenant_id: 'other', scope: 'admin' })
  assert.equal((await call('GET', `/v1/sms/${sms}`)).statusCode, 200)
  assert.equal((await call('GET', `/v1/email/${mail}`)).statusCode, 200)
  for (const answer of [
    await call('GET', `/v1/sms/${mail}`),
    await call('GET', `/v1/email/${sms}`),
    await stranger('GET', `/v1/email/${mail}`),
    await call('GET', '/v1/email/nonsense'),
  ]) {
    assert.equal(answer.statusCode, 404)
    assert.equal(answer.json().error_code, 'NOT_FOUND')
  }
})

test('finds emails and their copies by full address, also with an unescaped plus', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const to = 'ana+shop@example.com'
  const id = (await call('POST', SEND, { ...EMAIL, to, idempotency_key: 'k' })).json().request_id
  await call('POST', SEND, { ...EMAIL, idempotency_key: 'other' })
  await api.project()
  for (const given of [to, encodeURIComponent(to), 'ana+shop@EXAMPLE.com']) {
    const { items } = (await call('GET', `/v1/messages?to=${given}`)).json()
    assert.deepEqual(
      items.map(({ id }: { id: string }) => id),
      [id],
    )
  }
  assert.equal((await call('GET', '/v1/messages?to=ana@')).statusCode, 400)
  for (const field of ['cc', 'bcc']) {
    await call('POST', SEND, { ...EMAIL, [field]: [`Ana <${to}>`], idempotency_key: field })
  }
  await api.project()
  const found = (await call('GET', `/v1/messages?to=${encodeURIComponent(to)}`)).json().items
  assert.equal(found.length, 3)
  assert.ok(!JSON.stringify(found).includes('ana+shop'))
})
