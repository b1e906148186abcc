import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { suppress } from '../../flows/receive/suppress.ts'
import { seconds } from '../../lib/time.ts'
import { type Call, openFixture } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const URL = '/v1/suppressions'
const ANA = `${URL}/ana%40example.com`
const AT = '2030-01-31T12:00:00.000Z'
const MESSAGE = '00000000-0000-4000-8000-000000000000' as MessageId

const pathsOf = (answer: Awaited<ReturnType<Call>>): string[] =>
  answer.json().details.map(({ path }: { path: string }) => path)

const addressesOf = (answer: Awaited<ReturnType<Call>>): string[] =>
  answer.json().items.map(({ address }: { address: string }) => address)

test('creates, shows, replaces and deletes a suppression', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  assert.equal((await call('GET', ANA)).statusCode, 404)
  const put = await call('PUT', `${URL}/Ana@Example.COM`, {})
  assert.equal(put.statusCode, 200, put.body)
  const shown = { address: 'ana@example.com', reason: 'manual', note: null, message_id: null, created_at: AT }
  assert.deepEqual(put.json(), { ...shown, expires_at: null })
  assert.deepEqual((await call('GET', ANA)).json(), put.json())

  const fields = { reason: 'unsubscribe', note: 'by phone', expires_at: '2030-02-01T00:00:00+01:00' }
  const changed = await call('PUT', ANA, fields)
  assert.deepEqual(changed.json(), { ...shown, ...fields, expires_at: '2030-01-31T23:00:00.000Z' })
  assert.deepEqual((await call('GET', URL)).json(), { items: [changed.json()], next_cursor: null })

  const removed = await call('DELETE', ANA)
  assert.deepEqual([removed.statusCode, removed.body], [204, ''])
  for (const method of ['GET', 'DELETE'] as const) assert.equal((await call(method, ANA)).statusCode, 404)
})

test('shows the message that caused a suppression, and allows replacing it', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const address = 'ana@example.com' as EmailAddress
  const whose = { tenantId: 'acme' as TenantId, address, messageId: MESSAGE }
  await suppress(api.deps, { ...whose, reason: 'hard_bounce' })
  const { reason, message_id, expires_at } = (await call('GET', ANA)).json()
  assert.deepEqual([reason, message_id, expires_at], ['hard_bounce', MESSAGE, '2030-05-01T12:00:00.000Z'])
  await call('PUT', ANA, { expires_at: '2030-02-01T00:00:00Z' })
  assert.equal((await call('GET', ANA)).json().reason, 'manual')
})

test('an expired suppression is not found', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  await call('PUT', ANA, { expires_at: '2030-01-31T12:01:00Z' })
  assert.equal((await call('GET', ANA)).statusCode, 200)
  api.pass(seconds(60))
  assert.equal((await call('GET', ANA)).statusCode, 404)
  assert.equal((await call('DELETE', ANA)).statusCode, 404)
  assert.deepEqual(addressesOf(await call('GET', URL)), [])
})

test('imports many addresses; the last entry of an address wins', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const items = Array.from({ length: 999 }, (_, nth) => ({ address: `A${nth}@example.com`, note: 'first' }))
  const answer = await call('POST', URL, { items: [...items, { address: 'a7@EXAMPLE.com', reason: 'unsubscribe' }] })
  assert.deepEqual([answer.statusCode, answer.json()], [200, { added: 999 }])
  const { reason, note } = (await call('GET', `${URL}/a7@example.com`)).json()
  assert.deepEqual([reason, note], ['unsubscribe', null])
  assert.equal((await call('GET', `${URL}/a998@example.com`)).json().note, 'first')
})

test('lists page by page, by reason and by prefix of address or domain', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  for (const address of ['ana@example.com', 'eva@example.com', 'rui@test.org']) {
    await call('PUT', `${URL}/${address}`, address.startsWith('eva') ? { reason: 'unsubscribe' } : {})
    api.pass(seconds(1))
  }
  const first = await call('GET', `${URL}?limit=2`)
  const second = await call('GET', `${URL}?limit=2&cursor=${encodeURIComponent(first.json().next_cursor)}`)
  assert.deepEqual(
    [...addressesOf(first), ...addressesOf(second)],
    ['rui@test.org', 'eva@example.com', 'ana@example.com'],
  )
  assert.equal(second.json().next_cursor, null)
  for (const [query, expected] of [
    ['q=EXAM', ['eva@example.com', 'ana@example.com']],
    ['q=%40test', ['rui@test.org']],
    ['q=eva', ['eva@example.com']],
    ['reason=unsubscribe', ['eva@example.com']],
    ['reason=manual&q=e', ['ana@example.com']],
    ['reason=complaint', []],
  ] as const) {
    assert.deepEqual(addressesOf(await call('GET', `${URL}?${query}`)), expected, query)
  }
})

test('pages past the longest address', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const longest = `${'a'.repeat(64)}@${'b.'.repeat(93)}ccc`
  assert.equal(longest.length, 254)
  for (const address of ['a@example.com', longest]) await call('PUT', `${URL}/${encodeURIComponent(address)}`, {})
  const first = await call('GET', `${URL}?limit=1`)
  assert.deepEqual(addressesOf(first), [longest])
  const second = await call('GET', `${URL}?cursor=${encodeURIComponent(first.json().next_cursor)}`)
  assert.deepEqual([second.statusCode, addressesOf(second)], [200, ['a@example.com']])
  assert.equal((await call('DELETE', `${URL}/${longest}`)).statusCode, 204)
})

test('names every invalid field of an import and adds nothing', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const answer = await call('POST', URL, {
    items: [
      { address: 'ana@example.com' },
      { address: 'nobody', note: 'a\nb' },
      { address: 'eva@example.com', expires_at: '2030-01-31T12:00:00Z' },
    ],
  })
  assert.equal(answer.statusCode, 400)
  assert.deepEqual(pathsOf(answer), ['/items/1/address', '/items/1/note', '/items/2/expires_at'])
  assert.deepEqual(addressesOf(await call('GET', URL)), [])
})

const MANY = Array.from({ length: 1001 }, (_, nth) => ({ address: `a${nth}@example.com` }))

for (const [name, method, path, payload, bad] of [
  ['an invalid address', 'PUT', `${URL}/nobody`, {}, '/address'],
  ['a reason that only sending gives', 'PUT', ANA, { reason: 'hard_bounce' }, '/reason'],
  ['an unknown field', 'PUT', ANA, { address: 'x' }, '/address'],
  ['a note that is too long', 'PUT', ANA, { note: 'x'.repeat(201) }, '/note'],
  ['an empty note', 'PUT', ANA, { note: '' }, '/note'],
  ['a note with half a character', 'PUT', ANA, '{"note":"\\ud800"}', '/note'],
  ['an end that is no time', 'PUT', ANA, { expires_at: 'soon' }, '/expires_at'],
  ['an end that is over', 'PUT', ANA, { expires_at: '2030-01-31T12:00:00Z' }, '/expires_at'],
  ['an import of nobody', 'POST', URL, { items: [] }, '/items'],
  ['an import of too many', 'POST', URL, { items: MANY }, '/items'],
  ['an import without an address', 'POST', URL, { items: [{ note: 'x' }] }, '/items/0/address'],
  ['an unknown reason', 'GET', `${URL}?reason=spam`, undefined, '/reason'],
  ['a limit beyond 200', 'GET', `${URL}?limit=201`, undefined, '/limit'],
  ['a search for NUL', 'GET', `${URL}?q=%00`, undefined, '/q'],
] as const) {
  test(`${name} is 400 at ${bad}`, async () => {
    await using api = await openFixture(world)
    const json = { 'content-type': 'application/json' }
    const answer = await (await api.caller())(method, path, payload as object, payload === undefined ? {} : json)
    assert.equal(answer.statusCode, 400, answer.body)
    assert.ok(pathsOf(answer).includes(bad), answer.body)
  })
}

test('hides suppressions of other tenants, and does not find a malformed address', async () => {
  await using api = await openFixture(world)
  await (await api.caller())('PUT', ANA, {})
  const stranger = await api.caller({ tenant_id: 'other', scope: 'admin' })
  assert.deepEqual(addressesOf(await stranger('GET', URL)), [])
  for (const unknown of [ANA, `${URL}/nobody`, `${URL}/%00`]) {
    assert.equal((await stranger('GET', unknown)).statusCode, 404)
    assert.equal((await stranger('DELETE', unknown)).statusCode, 404)
  }
  assert.equal((await (await api.caller())('GET', ANA)).statusCode, 200)
})

test('needs messages:read to read and messages:write to change', async () => {
  await using api = await openFixture(world)
  const reader = await api.caller({ scope: 'messages:read' })
  const writer = await api.caller({ scope: 'messages:write' })
  assert.equal((await writer('PUT', ANA, {})).statusCode, 200)
  assert.equal((await reader('GET', ANA)).statusCode, 200)
  assert.equal((await reader('PUT', ANA, {})).statusCode, 403)
  assert.equal((await reader('DELETE', ANA)).statusCode, 403)
  assert.equal((await reader('POST', URL, { items: [{ address: 'a@example.com' }] })).statusCode, 403)
  assert.equal((await writer('GET', URL)).statusCode, 403)
  assert.equal((await writer('GET', ANA)).statusCode, 403)
})

test('no log line and no error contains an address', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const answers = [
    await call('PUT', ANA, { note: 'Souza' }),
    await call('PUT', ANA, { expires_at: 'soon' }),
    await call('POST', URL, { items: [{ address: 'ana@example.com', note: 'a\nb' }] }),
    await call('GET', `${URL}?q=ana@example.com&limit=0`),
    await call('GET', ANA),
    await call('DELETE', ANA),
    await call('DELETE', ANA),
  ]
  const refusals = answers.filter(({ statusCode }) => statusCode >= 400).map(({ body }) => body)
  assert.equal(refusals.length, 4)
  assert.ok(api.lines.length > 0)
  for (const personal of ['Souza', 'ana@', 'ana%40']) {
    assert.ok(!JSON.stringify([api.lines, refusals]).includes(personal), personal)
  }
})
