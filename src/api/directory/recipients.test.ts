import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { millis } from '../../lib/time.ts'
import { type Call, openFixture } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const URL = '/v1/recipients'
const ANA = {
  external_id: 'user-42',
  name: 'Ana Souza',
  phone: '+5511987654321',
  email: 'ana@example.com',
  locale: 'pt-br',
}

async function add(call: Call, fields: object = ANA): Promise<string> {
  const answer = await call('POST', URL, fields)
  assert.equal(answer.statusCode, 201, answer.body)
  return answer.json().id
}

const pathsOf = (answer: Awaited<ReturnType<Call>>): string[] =>
  answer.json().details.map(({ path }: { path: string }) => path)

test('creates, shows, updates and deletes a recipient', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const added = await call('POST', URL, ANA)
  assert.equal(added.statusCode, 201)
  const { id, ...shown } = added.json()
  const at = '2030-01-31T12:00:00.000Z'
  assert.deepEqual(shown, { ...ANA, locale: 'pt-BR', created_at: at, updated_at: at })
  assert.deepEqual((await call('GET', `${URL}/${id.toUpperCase()}`)).json(), added.json())

  api.pass(millis(5000))
  const changed = await call('PATCH', `${URL}/${id}`, { name: null, phone: '+4915112345678' })
  assert.equal(changed.statusCode, 200)
  const expected = { ...added.json(), name: null, phone: '+4915112345678', updated_at: '2030-01-31T12:00:05.000Z' }
  assert.deepEqual(changed.json(), expected)
  assert.deepEqual((await call('GET', `${URL}/${id}`)).json(), expected)

  const removed = await call('DELETE', `${URL}/${id}`)
  assert.equal(removed.statusCode, 204)
  assert.equal(removed.body, '')
  for (const method of ['GET', 'DELETE'] as const) {
    assert.equal((await call(method, `${URL}/${id}`)).statusCode, 404)
  }
  assert.equal((await call('PATCH', `${URL}/${id}`, { name: 'x' })).statusCode, 404)
})

test('a recipient may be empty', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const id = await add(call, {})
  const { external_id, name, phone, email, locale } = (await call('GET', `${URL}/${id}`)).json()
  assert.deepEqual([external_id, name, phone, email, locale], [null, null, null, null, null])
})

test('a taken external id is a conflict until its recipient is deleted', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const [ana, ben] = [await add(call), await add(call, { external_id: 'ben' })]
  for (const answer of [
    await call('POST', URL, { external_id: 'user-42' }),
    await call('PATCH', `${URL}/${ben}`, { external_id: 'user-42' }),
  ]) {
    assert.equal(answer.statusCode, 409)
    assert.equal(answer.json().error_code, 'CONFLICT')
  }
  await call('DELETE', `${URL}/${ana}`)
  assert.equal((await call('PATCH', `${URL}/${ben}`, { external_id: 'user-42' })).statusCode, 200)
})

test('lists recipients page by page and by word prefixes', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const ids: string[] = []
  for (let nth = 0; nth < 5; nth += 1) {
    ids.unshift(await add(call, { name: `Ana ${nth}`, external_id: `user-${nth}` }))
    api.pass(millis(1))
  }
  await add(call, { name: 'Ben' })
  const first = (await call('GET', `${URL}?q=an&limit=3`)).json()
  const second = (await call('GET', `${URL}?q=an&limit=3&cursor=${encodeURIComponent(first.next_cursor)}`)).json()
  assert.deepEqual(
    [...first.items, ...second.items].map(({ id }) => id),
    ids,
  )
  assert.equal(second.next_cursor, null)
  assert.equal((await call('GET', `${URL}?q=ANA%203`)).json().items.length, 1)
  assert.equal((await call('GET', URL)).json().items.length, 6)
})

test('names every invalid field and changes nothing', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const bad = { external_id: 'a\nb', name: ' ', phone: '5511987654321', email: 'ana@', locale: 'p!' }
  const paths = ['/external_id', '/name', '/phone', '/email', '/locale']
  const answer = await call('POST', URL, bad)
  assert.equal(answer.statusCode, 400)
  assert.deepEqual(pathsOf(answer), paths)
  const id = await add(call)
  assert.deepEqual(pathsOf(await call('PATCH', `${URL}/${id}`, bad)), paths)
  assert.equal((await call('GET', `${URL}/${id}`)).json().name, ANA.name)
})

for (const [name, method, path, payload, bad] of [
  ['a wrong type', 'POST', URL, { name: 7 }, '/name'],
  ['null in an addition', 'POST', URL, { name: null }, '/name'],
  ['an unknown field', 'POST', URL, { nickname: 'x' }, '/nickname'],
  ['an external id that is too long', 'POST', URL, { external_id: 'x'.repeat(129) }, '/external_id'],
  ['an empty external id', 'POST', URL, { external_id: '' }, '/external_id'],
  ['a name that is too long', 'POST', URL, { name: 'x'.repeat(201) }, '/name'],
  ['half a character', 'POST', URL, '{"name":"\\ud800"}', '/name'],
  ['a NUL', 'POST', URL, { external_id: 'a\0b' }, '/external_id'],
  ['a list', 'POST', URL, [], ''],
  ['a limit of none', 'GET', `${URL}?limit=0`, undefined, '/limit'],
  ['a limit beyond 200', 'GET', `${URL}?limit=201`, undefined, '/limit'],
  ['an empty search', 'GET', `${URL}?q=`, undefined, '/q'],
  ['a search for NUL', 'GET', `${URL}?q=%00`, undefined, '/q'],
  ['an unknown filter', 'GET', `${URL}?name=x`, undefined, '/name'],
] as const) {
  test(`${name} is 400 at ${bad}`, async () => {
    await using api = await openFixture(world)
    const json = { 'content-type': 'application/json' }
    const answer = await (await api.caller())(method, path, payload as object, payload === undefined ? {} : json)
    assert.equal(answer.statusCode, 400, answer.body)
    assert.ok(pathsOf(answer).includes(bad), answer.body)
  })
}

test('refuses an empty update and a missing body', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const id = await add(call)
  assert.equal((await call('PATCH', `${URL}/${id}`, {})).statusCode, 400)
  assert.equal((await call('PATCH', `${URL}/${id}`)).statusCode, 400)
  assert.equal((await call('POST', URL, '{', { 'content-type': 'application/json' })).statusCode, 400)
})

test('hides recipients of other tenants, and does not find a malformed id', async () => {
  await using api = await openFixture(world)
  const id = await add(await api.caller())
  const stranger = await api.caller({ tenant_id: 'other', scope: 'admin' })
  assert.deepEqual((await stranger('GET', URL)).json().items, [])
  for (const unknown of [id, '00000000-0000-4000-8000-000000000000', 'nonsense', '%00']) {
    assert.equal((await stranger('GET', `${URL}/${unknown}`)).statusCode, 404)
    assert.equal((await stranger('PATCH', `${URL}/${unknown}`, { name: 'x' })).statusCode, 404)
    assert.equal((await stranger('DELETE', `${URL}/${unknown}`)).statusCode, 404)
  }
  assert.equal((await (await api.caller())('GET', `${URL}/${id}`)).statusCode, 200)
})

test('needs messages:read to read and messages:write to change', async () => {
  await using api = await openFixture(world)
  const id = await add(await api.caller())
  const reader = await api.caller({ scope: 'messages:read' })
  const writer = await api.caller({ scope: 'messages:write' })
  assert.equal((await reader('GET', `${URL}/${id}`)).statusCode, 200)
  assert.equal((await reader('POST', URL, {})).statusCode, 403)
  assert.equal((await reader('PATCH', `${URL}/${id}`, { name: 'x' })).statusCode, 403)
  assert.equal((await reader('DELETE', `${URL}/${id}`)).statusCode, 403)
  assert.equal((await writer('GET', URL)).statusCode, 403)
})

test('no log line contains personal data', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const id = await add(call)
  await call('POST', URL, ANA)
  await call('PATCH', `${URL}/${id}`, { email: 'nobody', name: 'Petrova' })
  await call('GET', `${URL}?q=Souza`)
  const lines = JSON.stringify(api.lines)
  for (const personal of ['Souza', 'Petrova', '5511987654321', 'ana@example.com', 'user-42']) {
    assert.ok(!lines.includes(personal), personal)
  }
})
