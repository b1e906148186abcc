import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { inProcessRenderer } from '../../engines/liquid/renderer.fixture.ts'
import { seconds } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type Call, openFixture } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const SEND = '/v1/sms/send'
const ANA = { external_id: 'user-42', phone: '+5511987654321', locale: 'pt-BR' }
const HI = { name: 'hi', channel: 'sms', text: 'Hi {{ name }}, order {{ order.id }}' }
const DATA = { name: 'Ana', order: { id: 7, at: 'noon' } }

/** An API with Ana in its directory and a greeting among its templates. */
async function open() {
  const api = await openFixture(world, { renderer: inProcessRenderer() })
  const call = await api.caller()
  const { id } = (await call('POST', '/v1/recipients', ANA)).json()
  await call('POST', '/v1/templates', HI)
  const send = (fields: object, key = 'k') => call('POST', SEND, { idempotency_key: key, ...fields })
  const contentOf = async (requestId: string) => {
    const content = (await api.deps.log.load(requestId as MessageId))?.content
    return content?.channel === 'sms' ? content : undefined
  }
  return { api, call, id: String(id), send, contentOf, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
}

const pathsOf = (answer: Awaited<ReturnType<Call>>): string[] =>
  answer.json().details.map(({ path }: { path: string }) => path)

test('sends a template to a recipient of the directory', async () => {
  await using site = await open()
  for (const [key, naming] of [
    ['id', { recipient_id: site.id.toUpperCase() }],
    ['external', { recipient_external_id: 'user-42' }],
  ] as const) {
    const answer = await site.send({ ...naming, template: { name: 'hi', data: DATA } }, key)
    assert.equal(answer.statusCode, 202, answer.body)
    const content = await site.contentOf(answer.json().request_id)
    assert.equal(content?.to, ANA.phone)
    assert.equal(content?.body, 'Hi Ana, order 7')
    assert.equal(content?.recipientId, site.id)
    assert.deepEqual(content?.template, { name: 'hi', data: DATA })
  }
})

test('prefers the locale of the recipient unless the call gives one', async () => {
  await using site = await open()
  await site.call('POST', '/v1/templates', { ...HI, locale: 'pt', text: 'Oi {{ name }}' })
  const template = { name: 'hi', data: DATA }
  const toAna = await site.send({ recipient_id: site.id, template }, '1')
  assert.equal((await site.contentOf(toAna.json().request_id))?.body, 'Oi Ana')
  const english = await site.send({ recipient_id: site.id, template: { ...template, locale: 'en-GB' } }, '2')
  assert.equal((await site.contentOf(english.json().request_id))?.body, 'Hi Ana, order 7')
  const byNumber = await site.send({ to: ANA.phone, template }, '3')
  assert.equal((await site.contentOf(byNumber.json().request_id))?.body, 'Hi Ana, order 7')
})

test('each item of a batch has its own recipient and template', async () => {
  await using site = await open()
  const template = { name: 'hi', data: DATA }
  const items = [
    { recipient_id: site.id, template, idempotency_key: '1' },
    { recipient_external_id: 'nobody', message: 'Hi', idempotency_key: '2' },
    { to: ANA.phone, message: 'Hi', idempotency_key: '3' },
  ]
  const { results } = (await site.call('POST', '/v1/messages/batch', { items })).json()
  assert.deepEqual(
    results.map((result: { status?: string; error?: { details: { path: string }[] } }) =>
      result.error === undefined ? result.status : result.error.details[0]?.path,
    ),
    ['accepted', '/recipient_external_id', 'accepted'],
  )
})

test('reports all problems together', async () => {
  await using site = await open()
  const answer = await site.send({
    recipient_external_id: 'nobody',
    template: { name: 'hi', data: { name: 'Ana' } },
    sender_id: '+',
    tags: [''],
  })
  assert.equal(answer.statusCode, 400)
  const paths = ['/recipient_external_id', '/sender_id', '/tags/0', '/template/data/order']
  assert.deepEqual(pathsOf(answer).toSorted(), paths)
})

const DEEP = JSON.parse(`${'{"a":'.repeat(500)}1${'}'.repeat(500)}`)
for (const [name, fields, paths] of [
  ['no address and no text', {}, ['/message', '/to']],
  ['no address', { message: 'Hi' }, ['/to']],
  ['an address and a recipient', { to: '+10', recipient_id: 'x', message: 'Hi' }, ['/recipient_id']],
  [
    'two names of a recipient',
    { recipient_id: 'x', recipient_external_id: 'user-42', message: 'Hi' },
    ['/recipient_external_id', '/recipient_id'],
  ],
  ['a text and a template', { to: '+10', message: 'Hi', template: { name: 'hi', data: DATA } }, ['/template']],
  ['an unknown id', { recipient_id: '00000000-0000-4000-8000-000000000000', message: 'Hi' }, ['/recipient_id']],
  ['a malformed id', { recipient_id: 'nonsense', message: 'Hi' }, ['/recipient_id']],
  ['an id of a wrong type', { recipient_id: 7, message: 'Hi' }, ['/recipient_id']],
  [
    'an external id that is too long',
    { recipient_external_id: 'x'.repeat(129), message: 'Hi' },
    ['/recipient_external_id'],
  ],
  ['an unknown template', { to: '+10', template: { name: 'nothing' } }, ['/template/name']],
  ['no name of a template', { to: '+10', template: {} }, ['/template/name']],
  ['a template that is a text', { to: '+10', template: 'hi' }, ['/template']],
  ['an invalid locale', { to: '+10', template: { name: 'hi', data: DATA, locale: 'x!' } }, ['/template/locale']],
  ['missing variables', { to: '+10', template: { name: 'hi' } }, ['/template/data/name', '/template/data/order']],
  ['data that is a list', { to: '+10', template: { name: 'hi', data: [] } }, ['/template/data']],
  ['data nested too deep', { to: '+10', template: { name: 'hi', data: { ...DATA, x: DEEP } } }, ['/template/data']],
  ['an unknown field of a template', { to: '+10', template: { name: 'hi', data: DATA, x: 1 } }, ['/template/x']],
  [
    'a text that is too long',
    { to: '+10', template: { name: 'hi', data: { ...DATA, name: 'x'.repeat(1600) } } },
    ['/template'],
  ],
  ['a text with NUL', { to: '+10', template: { name: 'hi', data: { ...DATA, name: '\0' } } }, ['/template']],
] as const) {
  test(`${name} is 400 at ${paths}`, async () => {
    await using site = await open()
    const before = await site.api.deps.log.tip()
    const answer = await site.send(fields)
    assert.equal(answer.statusCode, 400, answer.body)
    assert.deepEqual(pathsOf(answer).toSorted(), paths)
    assert.equal(await site.api.deps.log.tip(), before)
  })
}

test('data nested as deep as a body allows is a clean 400', async () => {
  await using site = await open()
  const nested = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
  const body = `{"to":"+10","idempotency_key":"k","template":{"name":"hi","data":{"a":${nested}}}}`
  const answer = await site.call('POST', SEND, body, { 'content-type': 'application/json' })
  assert.equal(answer.statusCode, 400)
  assert.deepEqual(pathsOf(answer), ['/template/data'])
})

test('refuses a recipient without a phone number', async () => {
  await using site = await open()
  await site.call('PATCH', `/v1/recipients/${site.id}`, { phone: null })
  const answer = await site.send({ recipient_id: site.id, message: 'Hi' })
  assert.deepEqual(answer.json().details, [{ path: '/recipient_id', message: 'has no phone number' }])
})

test('does not find recipients and templates of another tenant', async () => {
  await using site = await open()
  const stranger = await site.api.caller({ tenant_id: 'other', scope: 'admin' })
  const fields = { recipient_id: site.id, template: { name: 'hi', data: DATA }, idempotency_key: 'k' }
  assert.deepEqual(pathsOf(await stranger('POST', SEND, fields)), ['/recipient_id', '/template/name'])
})

const changes: Readonly<Record<string, (call: Call, id: string) => Promise<unknown>>> = {
  'a new text': (call) => call('PATCH', '/v1/templates/hi', { text: 'Hello {{ name }}' }),
  'a text that needs more': (call) => call('PATCH', '/v1/templates/hi', { text: '{{ more }}' }),
  'the template removed': (call) => call('DELETE', '/v1/templates/hi'),
  'another phone number': (call, id) => call('PATCH', `/v1/recipients/${id}`, { phone: '+4915112345678' }),
  'the phone number gone': (call, id) => call('PATCH', `/v1/recipients/${id}`, { phone: null }),
  'the recipient removed': (call, id) => call('DELETE', `/v1/recipients/${id}`),
  'the external id with another recipient': async (call, id) => {
    await call('DELETE', `/v1/recipients/${id}`)
    await call('POST', '/v1/recipients', { ...ANA, phone: '+4915112345678' })
  },
}
for (const [name, change] of Object.entries(changes)) {
  test(`a repeated call gets the first response, with ${name} since`, async () => {
    for (const by of ['recipient_id', 'recipient_external_id']) {
      await using site = await open()
      const fields = { [by]: by === 'recipient_id' ? site.id : 'user-42', template: { name: 'hi', data: DATA } }
      if (by === 'recipient_id' && name.startsWith('the external id')) continue
      const first = await site.send(fields)
      await change(site.call, site.id)
      const reordered = { ...fields, template: { data: { order: { at: 'noon', id: 7 }, name: 'Ana' }, name: 'hi' } }
      const again = await site.send(reordered)
      assert.equal(again.statusCode, 202, again.body)
      assert.equal(again.body, first.body)
      assert.equal(again.headers['idempotent-replayed'], 'true')
      const other = await site.send({ ...fields, template: { name: 'hi', data: { ...DATA, name: 'Ben' } } })
      assert.equal(other.statusCode, 422)
      assert.equal((await site.contentOf(first.json().request_id))?.to, ANA.phone)
    }
  })
}

test('refuses deleted names after 48 hours and under another key', async () => {
  await using site = await open()
  const fields = { recipient_id: site.id, message: 'Hi' }
  await site.send(fields)
  await site.call('DELETE', `/v1/recipients/${site.id}`)
  assert.equal((await site.send(fields, 'other')).statusCode, 400)
  site.api.pass(seconds(48 * 60 * 60))
  const late = await site.api.caller()
  assert.equal((await late('POST', SEND, { ...fields, idempotency_key: 'k' })).statusCode, 400)
})

test('a given text and the same text from a template are different payloads', async () => {
  await using site = await open()
  await site.send({ to: ANA.phone, template: { name: 'hi', data: DATA } })
  assert.equal((await site.send({ to: ANA.phone, message: 'Hi Ana, order 7' })).statusCode, 422)
  assert.equal((await site.send({ recipient_id: site.id, template: { name: 'hi', data: DATA } })).statusCode, 422)
})

test('while the directory is unreachable, calls that need it are 503 and others are accepted', async () => {
  await using site = await open()
  const unreachable = () => Promise.reject(new Unavailable('unreachable'))
  const recipients = { ...site.api.deps.recipients, find: unreachable }
  await using api = await openFixture(world, { recipients })
  const call = await api.caller()
  const fields = { message: 'Hi', idempotency_key: 'k' }
  assert.equal((await call('POST', SEND, { ...fields, recipient_id: site.id })).statusCode, 503)
  assert.equal((await call('POST', SEND, { ...fields, to: ANA.phone })).statusCode, 202)
})

test('template data is in no log line and no response', async () => {
  await using site = await open()
  const secret = { name: 'Xanthippe', order: { id: 'K-4711' } }
  const { request_id: id } = (await site.send({ recipient_id: site.id, template: { name: 'hi', data: secret } })).json()
  await site.send({ recipient_id: site.id, template: { name: 'nothing', data: secret } }, 'bad')
  const shown = await site.call('GET', `/v1/messages/${id}`)
  assert.equal(shown.statusCode, 200)
  for (const text of [JSON.stringify(site.api.lines), shown.body]) {
    for (const personal of ['Xanthippe', 'K-4711', ANA.phone]) assert.ok(!text.includes(personal), personal)
  }
})
