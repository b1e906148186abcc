import assert from 'node:assert/strict'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { until } from '../../../test/support/until.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { CODE, openFixture, SMS } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

const MAIL = {
  to: 'ana@example.com',
  from: 'Acme <no-reply@acme.example>',
  reply_to: ['help@acme.example'],
  cc: ['"Silva, Eva" <eva@example.com>'],
  bcc: ['hidden@example.com'],
  subject: 'Your invoice',
  html: '<p>Hi</p>',
  headers: { 'X-Order': '17' },
  attachments: [{ filename: 'a.txt', content_type: 'text/plain', content: Buffer.from('hello').toString('base64') }],
}

/** A caller with all scopes, and the content it gets of a message. */
async function open() {
  const api = await openFixture(world)
  const call = await api.caller({ scope: 'admin' })
  return {
    ...api,
    call,
    send: async (path: string, body: object): Promise<string> =>
      (await call('POST', path, { ...body, idempotency_key: 'k' })).json().request_id,
    show: (id: string) => call('GET', `/v1/messages/${id}/content`),
  }
}

test('shows an SMS with its segments', async () => {
  await using api = await open()
  const message = `${'a'.repeat(152)}€b`
  const answer = await api.show(await api.send('/v1/sms/send', { ...SMS, message: `${message}${'c'.repeat(10)}` }))
  assert.deepEqual(answer.json(), {
    channel: 'sms',
    from: null,
    to: SMS.to,
    metadata: {},
    tags: [],
    template: null,
    body: `${message}${'c'.repeat(10)}`,
    encoding: 'gsm7',
    parts: [
      { text: 'a'.repeat(152), units: 152 },
      { text: `€b${'c'.repeat(10)}`, units: 13 },
    ],
  })
})

test('shows an email without bcc and with attachment sizes', async () => {
  await using api = await open()
  const { bcc: _, attachments: __, ...visible } = MAIL
  assert.deepEqual((await api.show(await api.send('/v1/email/send', MAIL))).json(), {
    channel: 'email',
    ...visible,
    metadata: {},
    tags: [],
    template: null,
    text: null,
    attachments: [{ filename: 'a.txt', content_type: 'text/plain', size: 5 }],
  })
})

test('logs who read which content, and forbids caching', async () => {
  await using api = await open()
  const id = await api.send('/v1/sms/send', SMS)
  const answer = await api.show(id)
  assert.equal(answer.headers['cache-control'], 'no-store')
  const line = api.lines.find(({ msg }) => msg === 'message content read')
  assert.deepEqual([line?.['message_id'], line?.['account_id'], line?.['tenant_id']], [id, 'main', 'acme'])
  assert.ok(!JSON.stringify(api.lines).includes(SMS.message))
})

test('shows large content within the memory budget, half of it per tenant', async () => {
  await using api = await open()
  const id = await api.send('/v1/email/send', { ...MAIL, html: `<p>${'x'.repeat(500 * 1024)}</p>` })
  assert.equal((await api.show(id)).statusCode, 200)

  await api.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = api.app.server.address() as AddressInfo
  const head = ['host: x', `authorization: Bearer ${await api.token()}`, `content-length: ${8 * 1024 * 1024}`]
  const uploads = [1, 2].map(() => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`POST /v1/email/send HTTP/1.1\r\n${head.join('\r\n')}\r\ncontent-type: application/json\r\n\r\n{`)
    return socket
  })
  const answer = await until('the memory budget to be used up', async () => {
    const shown = await api.show(id)
    return shown.statusCode !== 200 && shown
  })
  assert.deepEqual([answer.statusCode, answer.json().error_code], [429, 'TOO_MANY_REQUESTS'])
  const stranger = await api.caller({ tenant_id: 'other' })
  const large = { ...MAIL, html: `<p>${'x'.repeat(500 * 1024)}</p>`, idempotency_key: 'k' }
  assert.equal((await stranger('POST', '/v1/email/send', large)).statusCode, 202)
  for (const socket of uploads) socket.destroy()
  await until('the memory to be free', async () => (await api.show(id)).statusCode === 200)
})

test('needs the scope content:read, which admin includes', async () => {
  await using api = await open()
  const id = await api.send('/v1/sms/send', SMS)
  const answer = await (await api.caller())('GET', `/v1/messages/${id}/content`)
  assert.deepEqual([answer.statusCode, answer.json().error_code], [403, 'FORBIDDEN'])
  assert.match(answer.json().detail, /content:read/)
  const reader = await api.caller({ scope: 'content:read' })
  assert.equal((await reader('GET', `/v1/messages/${id}/content`)).statusCode, 200)
  assert.equal((await reader('GET', `/v1/messages/${id}`)).statusCode, 403)
})

for (const to of [SMS.to, MAIL.to]) {
  test(`never shows a code to ${to.includes('@') ? 'a mailbox' : 'a phone'}, before or after erasure`, async () => {
    await using api = await open()
    const channel = to.includes('@') ? 'email' : 'sms'
    const id = await api.send('/v1/otp/generate', { to, channel })
    for (let round = 0; round < 2; round += 1) {
      const answer = await api.show(id)
      assert.deepEqual([answer.statusCode, answer.json().error_code], [403, 'FORBIDDEN'])
      assert.ok(!answer.body.includes(CODE))
      assert.equal((await api.call('POST', `/v1/messages/${id}/erase`)).statusCode, 200)
    }
    assert.ok(!api.lines.some(({ msg }) => msg === 'message content read'))
  })
}

test('does not find erased content or messages of another tenant', async () => {
  await using api = await open()
  const id = await api.send('/v1/sms/send', SMS)
  const stranger = await api.caller({ scope: 'admin', tenant_id: 'other' })
  assert.equal((await stranger('GET', `/v1/messages/${id}/content`)).json().detail, `No message with id ${id}`)
  await api.call('POST', `/v1/messages/${id}/erase`)
  const answer = await api.show(id)
  assert.deepEqual([answer.statusCode, answer.json().detail], [404, 'The content of this message was erased'])
})
