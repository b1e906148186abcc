import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import type { Inbox, Received, ReceivedMail } from '../../ports/simulator-inbox.ts'
import { openFixture, SMS } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const address = (text: string) => ({ address: text as EmailAddress })

const MAIL: ReceivedMail = {
  to: 'ada@example.com',
  from: { ...address('news@acme.example'), name: 'Acme, "Ltd"' },
  messageId: 'm1',
  receivedAt: 0,
  letter: {
    replyTo: [{ ...address('help@acme.example'), name: 'Help' }],
    cc: [address('copy@example.com')],
    bcc: [address('hidden@example.com')],
    subject: 'Olá',
    html: '<p>Olá</p><img src="cid:dove">',
    headers: { 'X-Order': '42' },
    attachments: [
      { filename: 'dove.png', contentType: 'image/png', content: 'iVBORw0KGgo=', contentId: 'dove' },
      { filename: '"pão";\r\nX: y.html', contentType: 'text/html\r\nX: y', content: 'PGI+' },
    ],
  },
  raw: Buffer.from('Subject: =?UTF-8?B?T2zDoQ==?=\r\n\r\nOl\xe1', 'latin1'),
}

/** An API whose tenant `acme` received one mail, by the attempt `a1`. */
async function openWithMail(received: readonly Received[] = []) {
  const asked: unknown[] = []
  const inbox: Inbox = {
    async list(query) {
      asked.push(query)
      return received
    },
    mail: async ({ tenantId, attemptId }) => (tenantId === 'acme' && attemptId === 'a1' ? MAIL : undefined),
  }
  const api = await openFixture(world, { inbox })
  return { ...api, asked, call: await api.caller({ scope: 'content:read' }) }
}

test("shows the tenant's own inbox; without a simulator it is 404", async () => {
  const common = { attemptId: 'a1', messageId: 'm1', receivedAt: 0 }
  await using api = await openWithMail([
    { channel: 'sms', to: SMS.to, body: 'Hi', ...common },
    { channel: 'email', to: 'ada@example.com', from: 'a@b.example', subject: 'Olá', body: 'Hi', ...common },
  ])
  const answer = await api.call('GET', `/v1/simulator/inbox?to=${encodeURIComponent(SMS.to)}&limit=7`)
  const shown = { body: 'Hi', attempt_id: 'a1', message_id: 'm1', received_at: '1970-01-01T00:00:00.000Z' }
  assert.deepEqual(answer.json().items, [
    { channel: 'sms', to: SMS.to, from: null, subject: null, ...shown },
    { channel: 'email', to: 'ada@example.com', from: 'a@b.example', subject: 'Olá', ...shown },
  ])
  for (const query of ['', '?to=user:101', '?to=bounce%2B1@SIM.pombo.test', '?to=bounce+1@sim.pombo.test']) {
    await api.call('GET', `/v1/simulator/inbox${query}`)
  }
  assert.deepEqual(api.asked, [
    { tenantId: 'acme', to: SMS.to, limit: 7 },
    { tenantId: 'acme', limit: 50 },
    { tenantId: 'acme', to: 'user:101', limit: 50 },
    { tenantId: 'acme', to: 'bounce+1@sim.pombo.test', limit: 50 },
    { tenantId: 'acme', to: 'bounce+1@sim.pombo.test', limit: 50 },
  ])
  assert.equal((await api.call('GET', '/v1/simulator/inbox?to=nobody')).statusCode, 400)
  await using without = await openFixture(world)
  const call = await without.caller({ scope: 'content:read' })
  for (const path of ['inbox', 'mails/a1']) assert.equal((await call('GET', `/v1/simulator/${path}`)).statusCode, 404)
})

test('shows an email with all its fields', async () => {
  await using api = await openWithMail()
  const answer = await api.call('GET', '/v1/simulator/mails/a1')
  assert.deepEqual(answer.json(), {
    to: 'ada@example.com',
    from: '"Acme, \\"Ltd\\"" <news@acme.example>',
    reply_to: ['Help <help@acme.example>'],
    cc: ['copy@example.com'],
    bcc: ['hidden@example.com'],
    subject: 'Olá',
    html: MAIL.letter.html,
    text: null,
    headers: { 'X-Order': '42' },
    attachments: [
      { filename: 'dove.png', content_type: 'image/png', size: 8 },
      { filename: '"pão";\r\nX: y.html', content_type: 'text/html\r\nX: y', size: 3 },
    ],
    message_id: 'm1',
    received_at: '1970-01-01T00:00:00.000Z',
  })
})

const PARTS = ['', '/html', '/raw', '/attachments/0'] as const

test('hides emails of other tenants', async () => {
  await using api = await openWithMail()
  const stranger = await api.caller({ tenant_id: 'other', scope: 'content:read' })
  for (const part of PARTS) {
    assert.equal((await api.call('GET', `/v1/simulator/mails/a1${part}`)).statusCode, 200, part)
    assert.equal((await stranger('GET', `/v1/simulator/mails/a1${part}`)).statusCode, 404, part)
    assert.equal((await api.call('GET', `/v1/simulator/mails/a2${part}`)).statusCode, 404, part)
    assert.equal((await api.app.inject(`/v1/simulator/mails/a1${part}`)).statusCode, 401, part)
  }
})

test('in live mode the scope for content is needed; in test mode messages:read suffices', async () => {
  await using api = await openWithMail()
  const mayRead = async (claims: object, scope: string): Promise<boolean> => {
    const call = await api.caller({ ...claims, scope })
    const answers = ['inbox', ...PARTS.map((part) => `mails/a1${part}`)].map(
      async (path) => (await call('GET', `/v1/simulator/${path}`)).statusCode !== 403,
    )
    const [first, ...others] = await Promise.all(answers)
    assert.ok(first !== undefined && others.every((other) => other === first))
    return first
  }
  const [live, test] = [{}, { test: true }]
  for (const scope of ['content:read', 'admin', 'operator']) {
    assert.ok(await mayRead(live, scope), scope)
    assert.ok(await mayRead(test, scope), scope)
  }
  assert.equal(await mayRead(live, 'sms:send email:send otp messages:read messages:write'), false)
  assert.equal(await mayRead(test, 'messages:read'), true)
  assert.equal(await mayRead(test, 'sms:send email:send otp messages:write'), false)
})

test('serves every part of an email with sandbox headers', async () => {
  await using api = await openWithMail()
  for (const part of PARTS.slice(1)) {
    const { headers } = await api.call('GET', `/v1/simulator/mails/a1${part}`)
    assert.match(String(headers['content-security-policy']), /^sandbox; default-src 'none'; img-src data:; /, part)
    assert.doesNotMatch(String(headers['content-security-policy']), /allow-|https?:|\*|script-src|connect-src/)
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.equal(headers['referrer-policy'], 'no-referrer')
    assert.match(String(headers['content-disposition'] ?? ''), part === '/html' ? /^$/ : /^attachment; /)
  }
})

test('serves the source byte for byte', async () => {
  await using api = await openWithMail()
  const { headers, rawPayload } = await api.call('GET', '/v1/simulator/mails/a1/raw')
  assert.equal(headers['content-type'], 'message/rfc822')
  assert.ok(rawPayload.equals(MAIL.raw))
})

test('serves an attachment byte for byte, with safe headers', async () => {
  await using api = await openWithMail()
  const picture = await api.call('GET', '/v1/simulator/mails/a1/attachments/0')
  assert.equal(picture.headers['content-type'], 'image/png')
  assert.equal(picture.headers['content-disposition'], `attachment; filename="dove.png"; filename*=UTF-8''dove.png`)
  assert.ok(picture.rawPayload.equals(Buffer.from('iVBORw0KGgo=', 'base64')))

  const odd = await api.call('GET', '/v1/simulator/mails/a1/attachments/1')
  assert.equal(odd.headers['content-type'], 'application/octet-stream')
  const full = '%22p%C3%A3o%22%3B%0D%0AX%3A%20y.html'
  const disposition = `attachment; filename="_p_o____X__y.html"; filename*=UTF-8''${full}`
  assert.equal(odd.headers['content-disposition'], disposition)
  assert.equal(odd.body, '<b>')

  for (const [n, status] of [
    ['2', 404],
    ['-1', 400],
    ['x', 400],
    ['1.5', 400],
  ] as const) {
    const answer = await api.call('GET', `/v1/simulator/mails/a1/attachments/${n}`)
    assert.equal(answer.statusCode, status, n)
  }
})
