import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { TenantId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { seconds } from '../../lib/time.ts'
import { append, createdEntry, NOON, nextEntry, someMessage } from '../../ports/samples.contract.ts'
import type { Timeline } from '../../ports/timeline.ts'
import { type Call, openFixture, SMS } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

async function send(call: Call, key: string, more: object = {}): Promise<string> {
  const answer = await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: key, ...more })
  assert.equal(answer.statusCode, 202, answer.body)
  return answer.json().request_id
}

const ATTEMPTED = { kind: 'HandoffAttempted', provider: 'fake' as never, routeId: 'r' as never, owner: 'o' } as const
const ACCEPTED = { kind: 'HandoffAccepted', providerMessageId: 'p1', by: 'answer' } as const
const UNKNOWN = { kind: 'HandoffUnknown', code: 'TIMEOUT', detail: 'no answer', reconcileAt: 0 as never } as const
const FAILED = { kind: 'HandoffFailed', code: 'INVALID_NUMBER', detail: 'no such number' } as const

/** The keys of the messages a search finds, newest first. */
async function found(call: Call, query: string): Promise<string[]> {
  const answer = await call('GET', `/v1/messages?${query}`)
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json().items.map(({ tags }: { tags: string[] }) => tags[0])
}

test('finds messages by every filter', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  await send(call, 'a', { tags: ['a'], metadata: { order: 'Blue Bicycle' } })
  api.pass(seconds(60))
  const b = await send(call, 'b', { tags: ['b'], to: '+15005550101', lane: 'bulk' })
  api.pass(seconds(60))
  const c = await send(call, 'c', { tags: ['c'] })
  await api.happen(b, ATTEMPTED, ACCEPTED)
  await api.happen(c, ATTEMPTED, UNKNOWN)
  await api.project()

  for (const [query, keys] of [
    ['', ['c', 'b', 'a']],
    ['channel=sms', ['c', 'b', 'a']],
    ['channel=email', []],
    ['status=sent', ['b']],
    ['handoff_state=queued', ['a']],
    ['provider_state=unknown&handoff_state=handed_off', ['b']],
    ['provider=fake', ['c', 'b']],
    ['to=%2B15005550101', ['b']],
    ['to=+15005550101', ['b']],
    ['tag=a', ['a']],
    ['metadata=order:Blue+Bicycle', ['a']],
    ['metadata=order:Bicycle', []],
    ['lane=bulk', ['b']],
    ['created_from=2030-01-31T12:01:00Z', ['c', 'b']],
    ['created_to=2030-01-31T12:01:00Z', ['a']],
    ['created_from=2030-01-31T13:01:00%2B01:00', ['c', 'b']],
    ['q=blue+bicy', ['a']],
    ['unknown=true', ['c']],
    ['unknown=false', ['b', 'a']],
  ] as const) {
    assert.deepEqual(await found(call, query), keys, query)
  }
})

test('counts all messages that match, on this page and all others, when asked', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  for (const key of ['a', 'b', 'c'])
    await send(call, key, { tags: [key], lane: key === 'c' ? 'bulk' : 'transactional' })
  await api.project()
  const total = async (query: string) => (await call('GET', `/v1/messages?limit=1&${query}`)).json().total
  assert.deepEqual(await total('total=true'), { value: 3, relation: 'eq' })
  assert.deepEqual(await total('total=true&lane=bulk'), { value: 1, relation: 'eq' })
  assert.deepEqual(await total('total=true&lane=bulk&tag=a'), { value: 0, relation: 'eq' })
  assert.deepEqual([await total('lane=bulk'), await total('total=false')], [null, null])
  const odd = await call('GET', '/v1/messages?total=maybe')
  assert.deepEqual([odd.statusCode, odd.json().details[0].path], [400, '/total'])
})

test('pages by cursor until next_cursor is null', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  for (const key of ['a', 'b', 'c', 'd', 'e']) {
    await send(call, key, { tags: [key] })
    api.pass(seconds(1))
  }
  await api.project()
  const seen: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const from: string = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const answer = await call('GET', `/v1/messages?limit=2${from}`)
    const page: { items: { tags: string[] }[]; next_cursor: string | null } = answer.json()
    seen.push(...page.items.flatMap(({ tags }) => tags))
    cursor = page.next_cursor
  }
  assert.deepEqual(seen, ['e', 'd', 'c', 'b', 'a'])
})

test('shows the latest state although the index lags', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const id = await send(call, 'a')
  await api.project()
  await api.happen(id, ATTEMPTED, ACCEPTED)
  const [row] = (await call('GET', '/v1/messages')).json().items
  assert.equal(row.status, 'sent')
  assert.equal(row.to, '+*******4321')
  assert.equal(row.events, undefined)

  await api.happen(id, { kind: 'MessageErased' })
  const [erased] = (await call('GET', '/v1/messages')).json().items
  assert.deepEqual([erased.erased, erased.to], [true, null])
})

test('hides messages of other tenants', async () => {
  await using api = await openFixture(world)
  const id = await send(await api.caller(), 'a')
  await api.project()
  const stranger = await api.caller({ tenant_id: 'other', scope: 'admin' })
  assert.deepEqual((await stranger('GET', '/v1/messages')).json().items, [])
  for (const [method, url] of [
    ['GET', `/v1/messages/${id}`],
    ['POST', `/v1/messages/${id}/resend`],
    ['POST', `/v1/messages/${id}/erase`],
    ['POST', `/v1/dead-letters/${id}/replay`],
  ] as const) {
    assert.equal((await stranger(method, url)).statusCode, 404, url)
  }
})

test('details show the request without text and phone number', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const given = {
    sender_id: 'Acme',
    metadata: { order: '7' },
    tags: ['t'],
    callback_url: 'https://acme.example/x',
    expires_at: '2030-02-01T00:00:00.000Z',
  }
  const id = await send(call, 'a', given)
  const answer = await call('GET', `/v1/messages/${id}`)
  const { sender_id, metadata, tags, callback_url, expires_at, account_id, events } = answer.json()
  assert.deepEqual({ sender_id, metadata, tags, callback_url, expires_at }, given)
  assert.equal(account_id, 'main')
  assert.equal(events.length, 1)
  assert.ok(!answer.body.includes(SMS.message) && !answer.body.includes(SMS.to))
})

test('shows a message that the log has dropped while its timeline is kept', async () => {
  const kept = openMemoryEngine({ clock: () => NOON })
  const message = someMessage({ tenantId: 'north' as TenantId })
  const created = await append(kept.log, createdEntry(message))
  await append(kept.log, nextEntry(created, { kind: 'HandoffFailed', code: 'BLOCKED', detail: 'no' }))
  const timeline: Timeline = {
    keep: async () => undefined,
    read: async () => [],
    page: async (tenantId, id, query) => (tenantId === message.tenantId ? kept.log.page(id, query) : undefined),
  }
  await using api = await openFixture(world, { timeline })
  const answer = await (await api.caller({ tenant_id: 'north', scope: 'admin' }))('GET', `/v1/messages/${message.id}`)
  assert.equal(answer.statusCode, 200, answer.body)
  assert.deepEqual(
    answer.json().events.map(({ event_type: type }: { event_type: string }) => type),
    ['MessageCreated', 'HandoffFailed'],
  )
  assert.equal(answer.json().to, null)
  const other = await (await api.caller({ tenant_id: 'south', scope: 'admin' }))('GET', `/v1/messages/${message.id}`)
  assert.equal(other.statusCode, 404)
})

test('a resend starts a new cycle; in flight it is a conflict', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const id = await send(call, 'a')
  const early = await call('POST', `/v1/messages/${id}/resend`)
  assert.equal(early.statusCode, 409)
  assert.equal(early.json().error_code, 'CONFLICT')

  await api.happen(id, ATTEMPTED, FAILED)
  const answer = await call('POST', `/v1/messages/${id}/resend`, '', { 'content-type': 'application/json' })
  assert.equal(answer.statusCode, 202)
  assert.deepEqual(answer.json(), {
    id,
    status: 'queued',
    cycle: 2,
    updated_at: '2030-01-31T12:00:00.000Z',
  })
})

test('an erased message shows no personal data and cannot be resent', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const id = await send(call, 'a', { tags: ['t'], metadata: { a: 'b' } })
  await api.happen(id, ATTEMPTED, FAILED)
  await api.project()
  for (const _ of ['first', 'again']) {
    const answer = await call('POST', `/v1/messages/${id}/erase`)
    assert.deepEqual([answer.statusCode, answer.json()], [200, { id, erased: true }])
  }
  const details = (await call('GET', `/v1/messages/${id}`)).json()
  assert.deepEqual([details.to, details.tags, details.metadata, details.erased], [null, [], {}, true])
  assert.equal((await call('GET', `/v1/sms/${id}`)).json().to, null)
  assert.equal((await call('GET', '/v1/messages')).json().items[0].to, null)
  assert.equal((await call('POST', `/v1/messages/${id}/resend`)).statusCode, 409)
})

test('a resend counts against the limits like a send unless an admin overrides them', async () => {
  await using api = await openFixture(world)
  const [call, admin] = [await api.caller(), await api.caller({ scope: 'admin' })]
  const id = await send(call, 'a')
  await api.happen(id, ATTEMPTED, FAILED)
  const limit = { limit: 2, window_seconds: 60, algorithm: 'fixed' }
  const rule = `/v1/limits/recipient/${encodeURIComponent(SMS.to)}`
  assert.equal((await admin('PUT', rule, limit)).statusCode, 200)
  await send(call, 'b')

  const path = `/v1/messages/${id}/resend`
  const again = await call('POST', path)
  assert.deepEqual(
    [again.statusCode, again.headers['ratelimit-policy'], again.headers['ratelimit']],
    [202, '"recipient";q=2;w=60', '"recipient";r=0;t=60'],
  )
  await api.happen(id, ATTEMPTED, FAILED)
  const limited = await call('POST', path)
  assert.deepEqual(
    [limited.statusCode, limited.json().error_code, limited.json().retry_after, limited.headers['retry-after']],
    [429, 'RATE_LIMITED', 60, '60'],
  )
  assert.equal(limited.json().detail, 'The limit of 2 messages per recipient in 60 seconds is reached')
  assert.equal((await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'c' })).statusCode, 429)
  assert.equal((await call('GET', `/v1/messages/${id}`)).json().cycle, 2)

  const forbidden = await call('POST', `${path}?override_limits=true`)
  assert.deepEqual([forbidden.statusCode, forbidden.json().detail], [403, 'This needs the scope admin'])
  assert.equal((await admin('POST', path)).statusCode, 429)
  assert.equal((await call('POST', `${path}?override_limits=false`)).statusCode, 429)
  assert.equal((await admin('POST', `${path}?override_limits=yes`)).statusCode, 400)
  const overridden = await admin('POST', `${path}?override_limits=true`)
  assert.deepEqual([overridden.statusCode, overridden.json().cycle], [202, 3])
  assert.equal((await admin('GET', rule)).json().used, 2)
})

test("resending a code counts against the recipient's limit, not as a generated code", async () => {
  await using api = await openFixture(world)
  const [call, admin] = [await api.caller(), await api.caller({ scope: 'admin' })]
  const generate = (key: string) => call('POST', '/v1/otp/generate', { to: SMS.to, idempotency_key: key })
  const id = (await generate('first')).json().request_id
  for (const key of ['second', 'third', 'fourth']) assert.equal((await generate(key)).statusCode, 202)

  const rule = `/v1/limits/recipient/${encodeURIComponent(SMS.to)}`
  await admin('PUT', rule, { limit: 2, window_seconds: 600, algorithm: 'fixed' })
  for (const status of [202, 202, 429]) {
    await api.happen(id, ATTEMPTED, FAILED)
    assert.equal((await call('POST', `/v1/messages/${id}/resend`)).statusCode, status)
  }
  await admin('DELETE', rule)
  assert.deepEqual([(await generate('fifth')).statusCode, (await generate('sixth')).statusCode], [202, 429])
})

test('a message says the country and the calling code of its number, where there is one', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const ids = [
    await send(call, 'kingston', { to: '+18765550123' }),
    await send(call, 'at sea', { to: '+881612345678' }),
    (
      await call('POST', '/v1/email/send', {
        to: 'ana@mail.example',
        subject: 'Hi',
        html: '<p>Hi</p>',
        idempotency_key: 'mail',
      })
    ).json().request_id,
  ]
  await api.project()
  const rows = await Promise.all(ids.map(async (id) => (await call('GET', `/v1/messages/${id}`)).json()))
  const placesOf = (some: readonly { id: string; country: string; calling_code: string }[]) =>
    some.map(({ id, country, calling_code }) => [ids.indexOf(id), country, calling_code])
  const expected = [
    [0, 'JM', '1'],
    [1, null, null],
    [2, null, null],
  ]
  assert.deepEqual(placesOf(rows), expected)
  const listed = (await call('GET', '/v1/messages')).json().items
  assert.deepEqual(placesOf(listed).toSorted(), expected)
})
