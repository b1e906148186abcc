/** One search for everything: what a pasted text finds, and that it finds nothing of others. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import { type Call, CODE, openFixture, SMS } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

const TO = '+15005550101'
const MAIL = { to: 'ana@example.com', subject: 'Your blue bicycle', html: '<p>Here it is.</p>' }
const ATTEMPTED = { kind: 'HandoffAttempted', provider: 'fake' as never, routeId: 'r' as never, owner: 'o' } as const
const ACCEPTED = { kind: 'HandoffAccepted', providerMessageId: 'SM-77', by: 'answer' } as const
const DEAD = { kind: 'DeadLettered', code: 'INVALID_NUMBER', detail: 'no such number' } as const

type Found = Readonly<{
  items: readonly Readonly<Record<string, unknown>>[]
  next_cursor: string | null
  search: Readonly<{ found_by: string | null; tried: readonly string[] }> | null
}>

async function find(call: Call, q: string, more: Readonly<Record<string, string>> = {}): Promise<Found> {
  const answer = await call('GET', `/v1/messages?${new URLSearchParams({ q, ...more })}`)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json()
}

const idsOf = ({ items }: Found): readonly unknown[] => items.map(({ id }) => id)

/** Three messages: one of each kind. */
async function openSearched() {
  const api = await openFixture(world)
  const call = await api.caller()
  const send = async (path: string, body: object): Promise<string> => {
    api.pass(seconds(1))
    const answer = await call('POST', path, body)
    assert.equal(answer.statusCode, path.includes('batch') ? 200 : 202, answer.body)
    const { request_id: id, results } = answer.json()
    return id ?? results[0].request_id
  }
  const template = await call('POST', '/v1/templates', { name: 'welcome', channel: 'sms', text: 'Welcome' })
  assert.equal(template.statusCode, 201, template.body)
  const metadata = { order: 'A-17', city: 'Lisboa' }
  const item = { to: TO, template: { name: 'welcome' }, idempotency_key: 'key-1', tags: ['vip'], metadata }
  const sms = await send('/v1/messages/batch', { batch_id: 'upload-1', items: [item] })
  const mail = await send('/v1/email/send', { ...MAIL, cc: ['rui@example.com'], idempotency_key: 'key-2' })
  const code = await send('/v1/otp/generate', { to: SMS.to, idempotency_key: 'key-3' })
  await api.happen(sms, ATTEMPTED, ACCEPTED)
  await api.happen(code, ATTEMPTED, DEAD)
  await api.project()
  return { api, call, sms, mail, code }
}

test('finds a message by whatever of it is pasted, and says what it was', async () => {
  const { api, call, sms, mail, code } = await openSearched()
  await using _ = api
  for (const [q, id, by] of [
    [sms, sms, 'message_id'],
    [` ${sms.toUpperCase()} `, sms, 'message_id'],
    [sms.replaceAll('-', ''), sms, 'message_id'],
    [sms.slice(0, 8), sms, 'message_id'],
    [sms.slice(0, 20), sms, 'message_id'],
    [code, code, 'message_id'],
    [TO, sms, 'recipient'],
    ['+1 (500) 555-0101', sms, 'recipient'],
    ['001 500 555 0101', sms, 'recipient'],
    [' 15005550101', sms, 'recipient'],
    [SMS.to, code, 'recipient'],
    ['Ana@example.com'.replace('A', 'a'), mail, 'recipient'],
    ['rui@EXAMPLE.com', mail, 'recipient'],
    ['SM-77', sms, 'provider_message_id'],
    ['key-1', sms, 'idempotency_key'],
    ['key-2', mail, 'idempotency_key'],
    ['key-3', code, 'idempotency_key'],
    ['upload-1', sms, 'batch'],
    ['welcome', sms, 'template'],
    ['INVALID_NUMBER', code, 'error_code'],
    ['vip', sms, 'tag'],
    ['order:A-17', sms, 'metadata'],
    ['order:A-17 city:Lisboa', sms, 'metadata'],
    ['blue bicy', mail, 'words'],
    ['lisb', sms, 'words'],
    [`to:${TO}`, sms, 'filters'],
    ['to: 15005550101', sms, 'filters'],
    [`id:${mail.slice(0, 9)} bicycle`, mail, 'filters'],
    ['status:failed', code, 'filters'],
    ['error:INVALID_NUMBER such', code, 'filters'],
    ['tag:vip order:A-17 provider:fake channel:sms template:welcome batch:upload-1 lisb', sms, 'filters'],
    ['provider_message_id:SM-77', sms, 'filters'],
    ['idempotency_key:"key-2"', mail, 'filters'],
  ] as const) {
    const found = await find(call, q)
    assert.deepEqual([idsOf(found), found.search?.found_by], [[id], by], q)
    assert.equal(found.search?.tried.at(-1), by, q)
  }
})

test('says what it has tried when nothing is found, without the text', async () => {
  const { api, call } = await openSearched()
  await using _ = api
  for (const [q, tried] of [
    ['+15005550199', ['recipient', 'words']],
    ['eva@example.com', ['recipient', 'provider_message_id', 'words']],
    ['order:A-18', ['metadata', 'provider_message_id', 'idempotency_key', 'error_code', 'tag', 'words']],
    ['status:expired', ['filters', 'metadata', 'provider_message_id', 'idempotency_key', 'error_code', 'tag', 'words']],
  ] as const) {
    const found = await find(call, q)
    assert.deepEqual(found, { items: [], next_cursor: null, search: { found_by: null, tried }, total: null })
  }
  assert.equal((await call('GET', '/v1/messages')).json().search, null)
})

test('other filters apply beside the text', async () => {
  const { api, call, sms } = await openSearched()
  await using _ = api
  assert.deepEqual(idsOf(await find(call, TO, { channel: 'sms', tag: 'vip', metadata: 'order:A-17' })), [sms])
  for (const more of [{ channel: 'email' }, { tag: 'other' }, { status: 'failed' }, { template: 'bye' }]) {
    assert.deepEqual(idsOf(await find(call, TO, more as Readonly<Record<string, string>>)), [], JSON.stringify(more))
  }
  assert.deepEqual(idsOf(await find(call, 'channel:sms vip', { channel: 'email' })), [])
  assert.deepEqual(idsOf(await find(call, 'order:A-17', { metadata: 'city:Lisboa', tag: 'vip' })), [sms])
  assert.deepEqual(idsOf(await find(call, 'order:A-17', { metadata: 'city:Porto' })), [])
})

for (const [query, refused] of [
  ['batch=a+b', '/batch'],
  [`batch=${'x'.repeat(65)}`, '/batch'],
  ['template=', '/template'],
  ['error_code=', '/error_code'],
  ['q=', '/q'],
  ['q=welcome&cursor=x', '/cursor'],
  ['q=welcome&cursor=recipient~x', '/cursor'],
] as const) {
  test(`refuses ${query.slice(0, 30)}`, async () => {
    await using api = await openFixture(world)
    const answer = await (await api.caller())('GET', `/v1/messages?${query}`)
    assert.equal(answer.statusCode, 400, answer.body)
    assert.deepEqual(
      answer.json().details.map(({ path }: { path: string }) => path),
      [refused],
    )
  })
}

test('pages through the interpretation of the first page, also once another would find messages', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const send = async (key: string, more: object): Promise<string> => {
    api.pass(seconds(1))
    const answer = await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: key, ...more })
    await api.project()
    return answer.json().request_id
  }
  const ids: string[] = []
  for (const key of ['a', 'b', 'c', 'd', 'e']) ids.unshift(await send(key, { tags: ['vip'] }))
  const pages: Found[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Found = await find(call, 'vip', { limit: '2', ...(cursor === '' ? {} : { cursor }) })
    pages.push(page)
    cursor = page.next_cursor
    // The key of this one is found before tags are.
    await send('vip', {})
  }
  assert.deepEqual(pages.flatMap(idsOf), ids)
  assert.deepEqual(new Set(pages.map(({ search }) => search?.found_by)), new Set(['tag']))
  assert.equal((await find(call, 'vip')).search?.found_by, 'idempotency_key')
})

test('an idempotency key finds all messages that it has named', async () => {
  await using api = await openFixture(world)
  const ids: string[] = []
  for (let generation = 0; generation < 3; generation += 1) {
    const call = await api.caller()
    ids.unshift((await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'daily' })).json().request_id)
    api.pass(seconds(50 * 60 * 60))
  }
  await api.project()
  assert.deepEqual(idsOf(await find(await api.caller(), 'daily')), ids)
  assert.equal(new Set(ids).size, 3)
})

test('finds nothing of another tenant, and no keys of another account', async () => {
  const { api, sms, mail } = await openSearched()
  await using _ = api
  const stranger = await api.caller({ tenant_id: 'other' })
  const pasted = [sms, sms.slice(0, 8), TO, MAIL.to, 'SM-77', 'key-1', 'upload-1', 'welcome', 'INVALID_NUMBER', 'vip']
  for (const q of [...pasted, 'order:A-17', 'bicycle', 'status:failed', 'batch:upload-1', `id:${mail}`]) {
    const found = await find(stranger, q)
    assert.deepEqual([idsOf(found), found.search?.found_by], [[], null], q)
  }
  const colleague = await api.caller({ account_id: 'side' })
  assert.deepEqual(idsOf(await find(colleague, 'key-1')), [])
  assert.deepEqual(idsOf(await find(colleague, 'idempotency_key:key-1')), [])
  assert.deepEqual(idsOf(await find(colleague, TO)), [sms])
})

test('an erased message is found by nothing personal, but by its id, key, batch, template and error', async () => {
  const { api, call, sms, mail } = await openSearched()
  await using _ = api
  for (const id of [sms, mail]) assert.equal((await call('POST', `/v1/messages/${id}/erase`)).statusCode, 200)
  await api.project()
  for (const q of [TO, MAIL.to, 'rui@example.com', 'vip', 'order:A-17', 'lisb', 'bicycle', `to:${TO}`, 'tag:vip']) {
    assert.deepEqual(idsOf(await find(call, q)), [], q)
  }
  for (const q of [sms, sms.slice(0, 8), 'key-1', 'upload-1', 'welcome', 'SM-77']) {
    assert.deepEqual(idsOf(await find(call, q)), [sms], q)
  }
})

test('rows show the subject, the template and the batch; a one-time code has no subject', async () => {
  const { api, call, sms, mail } = await openSearched()
  await using _ = api
  const shown = ({ subject, template, batch_id }: Readonly<Record<string, unknown>>) => [subject, template, batch_id]
  const ofId = async (id: string) => [
    (await find(call, id)).items.flatMap(shown),
    shown((await call('GET', `/v1/messages/${id}`)).json()),
  ]
  assert.deepEqual(await ofId(sms), [
    [null, 'welcome', 'upload-1'],
    [null, 'welcome', 'upload-1'],
  ])
  assert.deepEqual(await ofId(mail), [
    [MAIL.subject, null, null],
    [MAIL.subject, null, null],
  ])
  const otp = { to: 'eva@example.com', channel: 'email', idempotency_key: 'key-4' }
  const code = (await call('POST', '/v1/otp/generate', otp)).json().request_id
  await api.project()
  assert.deepEqual(await ofId(code), [
    [null, null, null],
    [null, null, null],
  ])
  assert.deepEqual(idsOf(await find(call, CODE)), [])
  await call('POST', `/v1/messages/${mail}/erase`)
  assert.deepEqual(await ofId(mail), [
    [null, null, null],
    [null, null, null],
  ])
})

test('dead letters are searched and replayed by the same text', async () => {
  const { api, call, code } = await openSearched()
  await using _ = api
  const dead = async (q: string): Promise<Found> =>
    (await call('GET', `/v1/dead-letters?${new URLSearchParams({ q })}`)).json()
  assert.deepEqual(idsOf(await dead(TO)), [])
  const found = await dead('key-3')
  assert.deepEqual([idsOf(found), found.search?.found_by], [[code], 'idempotency_key'])
  const replay = async (q: string) => (await call('POST', '/v1/dead-letters/replay', { filter: { q } })).json()
  assert.deepEqual(await replay('no such thing'), { replayed: 0, skipped: 0, rate_limited: 0, next_cursor: null })
  assert.deepEqual(await replay(SMS.to), { replayed: 1, skipped: 0, rate_limited: 0, next_cursor: null })
})
