import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { inProcessRenderer } from '../../engines/liquid/renderer.fixture.ts'
import { instant } from '../../lib/time.ts'
import { type Call, openFixture } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const ANA = { external_id: 'user-42', email: 'ana@example.com', phone: '+5511987654321', locale: 'pt-BR' }
const HI = {
  name: 'hi',
  channel: 'email',
  subject: 'Hi {{ name }}',
  html: '<p>Hi {{ name }}, order {{ order }}</p>',
  text: 'Hi {{ name }}, order {{ order }}',
}
/** As they could be saved once. */
const BARE = {
  tenantId: 'acme' as TenantId,
  name: 'bare',
  locale: 'en',
  channel: 'email',
  texts: { text: 'Hi', subject: 'Hi' },
  createdAt: instant(0),
} as const
const TEMPLATE = { name: 'hi', data: { name: 'Ana & Co', order: 7 } }

/** An API with Ana in its directory and a greeting among its templates. */
async function open() {
  const api = await openFixture(world, { renderer: inProcessRenderer() })
  const call = await api.caller()
  const { id } = (await call('POST', '/v1/recipients', ANA)).json()
  await call('POST', '/v1/templates', HI)
  return {
    api,
    call,
    id: String(id),
    send: (fields: object, key = 'k') => call('POST', '/v1/email/send', { idempotency_key: key, ...fields }),
    contentOf: async (requestId: string) => {
      const content = (await api.deps.log.load(requestId as MessageId))?.content
      return content?.channel === 'email' ? content : undefined
    },
    [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
  }
}

const pathsOf = (answer: Awaited<ReturnType<Call>>): string[] =>
  answer.json().details.map(({ path }: { path: string }) => path)

test('sends a template to a recipient of the directory', async () => {
  await using site = await open()
  for (const naming of [{ recipient_id: site.id }, { recipient_external_id: 'user-42' }]) {
    const answer = await site.send({ ...naming, template: TEMPLATE }, JSON.stringify(naming))
    assert.equal(answer.statusCode, 202, answer.body)
    const { to, subject, html, text, recipientId } = (await site.contentOf(answer.json().request_id)) ?? {}
    assert.deepEqual([to, recipientId], [ANA.email, site.id])
    assert.deepEqual([subject, html, text], ['Hi Ana & Co', '<p>Hi Ana &amp; Co, order 7</p>', 'Hi Ana & Co, order 7'])
  }
})

for (const [name, fields, paths] of [
  ['no address and no texts', {}, ['/html', '/subject', '/to']],
  ['an address and a recipient', { to: ANA.email, recipient_id: 'x', template: TEMPLATE }, ['/recipient_id']],
  ['html and a template', { to: ANA.email, html: 'Hi', template: TEMPLATE }, ['/template']],
  ['an unknown recipient', { recipient_external_id: 'nobody', template: TEMPLATE }, ['/recipient_external_id']],
  ['an unknown template', { to: ANA.email, template: { name: 'nothing' } }, ['/template/name']],
  ['a template of an SMS', { to: ANA.email, template: { name: 'sms' } }, ['/template/name']],
  ['a template without html', { to: ANA.email, template: { name: 'bare' } }, ['/template/name']],
  ['missing variables', { to: ANA.email, template: { name: 'hi' } }, ['/template/data/name', '/template/data/order']],
  [
    'a line break that a variable brings into the subject',
    { to: ANA.email, template: { name: 'hi', data: { name: 'a\r\nBcc: eve@evil.example', order: 7 } } },
    ['/template'],
  ],
  [
    'a copy to the one it is for',
    { recipient_external_id: 'user-42', template: TEMPLATE, cc: ['ANA@example.com'] },
    ['/cc/0'],
  ],
] as const) {
  test(`${name} is 400 at ${paths}`, async () => {
    await using site = await open()
    await site.call('POST', '/v1/templates', { name: 'sms', channel: 'sms', text: 'Hi' })
    await site.api.deps.templates.add(BARE)
    const answer = await site.send(fields)
    assert.equal(answer.statusCode, 400, answer.body)
    assert.deepEqual(pathsOf(answer).toSorted(), paths)
    assert.equal(await site.api.deps.log.tip(), 0)
  })
}

test('refuses a recipient without an email address', async () => {
  await using site = await open()
  await site.call('PATCH', `/v1/recipients/${site.id}`, { email: null })
  const answer = await site.send({ recipient_id: site.id, template: TEMPLATE })
  assert.deepEqual(answer.json().details, [{ path: '/recipient_id', message: 'has no email address' }])
})

test('reports a suppressed recipient on the field that names it', async () => {
  await using site = await open()
  await site.call('PUT', `/v1/suppressions/${ANA.email}`, {})
  for (const [path, value] of [
    ['recipient_id', site.id],
    ['recipient_external_id', ANA.external_id],
  ] as const) {
    const answer = await site.send({ [path]: value, template: TEMPLATE, cc: ['bob@example.com'] })
    assert.equal(answer.statusCode, 422, answer.body)
    assert.deepEqual(pathsOf(answer), [`/${path}`])
  }
})

const changes: Readonly<Record<string, (call: Call, id: string) => Promise<unknown>>> = {
  'new texts': (call) => call('PATCH', '/v1/templates/hi', { subject: 'Hello' }),
  'texts that need more': (call) => call('PATCH', '/v1/templates/hi', { html: '{{ more }}' }),
  'a subject that is too long': (call) => call('PATCH', '/v1/templates/hi', { subject: 'x'.repeat(151) }),
  'the template removed': (call) => call('DELETE', '/v1/templates/hi'),
  'another address': (call, id) => call('PATCH', `/v1/recipients/${id}`, { email: 'other@example.com' }),
  'the address of a copy': (call, id) => call('PATCH', `/v1/recipients/${id}`, { email: 'bob@example.com' }),
  'the recipient removed': (call, id) => call('DELETE', `/v1/recipients/${id}`),
}
for (const [name, change] of Object.entries(changes)) {
  test(`a repeated call gets the first response, with ${name} since`, async () => {
    await using site = await open()
    const fields = { recipient_external_id: 'user-42', template: TEMPLATE, cc: ['bob@example.com'] }
    const first = await site.send(fields)
    assert.equal(((await change(site.call, site.id)) as Awaited<ReturnType<Call>>).statusCode < 300, true)
    const again = await site.send(fields)
    assert.equal(again.body, first.body)
    assert.equal(again.headers['idempotent-replayed'], 'true')
    const other = await site.send({ ...fields, template: { name: 'hi', data: { name: 'Ben', order: 7 } } })
    assert.equal(other.statusCode, 422)
    assert.equal((await site.contentOf(first.json().request_id))?.to, ANA.email)
  })
}
