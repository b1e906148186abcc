import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openFixture, SMS } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
type Fixture = Awaited<ReturnType<typeof openFixture>>

async function bury(api: Fixture, key: string, more: object = {}): Promise<string> {
  const answer = await (await api.caller())('POST', '/v1/sms/send', { ...SMS, idempotency_key: key, ...more })
  const id = answer.json().request_id
  await api.happen(
    id,
    { kind: 'HandoffAttempted', provider: 'fake' as never, routeId: 'r' as never, owner: 'o' },
    { kind: 'DeadLettered', code: 'TIMEOUT', detail: 'no answer' },
  )
  return id
}

test('lists dead letters until they are delivered', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const id = await bury(api, 'a')
  const redeemed = await bury(api, 'b')
  await call('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'c' })
  await api.happen(redeemed, { kind: 'ProviderDelivered', reportId: 'late' })
  await api.project()
  const { items } = (await call('GET', '/v1/dead-letters?provider=fake')).json()
  assert.deepEqual(
    items.map((row: { id: string }) => row.id),
    [id],
  )
  assert.deepEqual([items[0].error_code, items[0].dead_letter, items[0].status], ['TIMEOUT', true, 'failed'])
})

test('replays a dead letter once', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const id = await bury(api, 'a')
  const answer = await call('POST', `/v1/dead-letters/${id}/replay`)
  assert.deepEqual([answer.statusCode, answer.json().cycle], [202, 2])
  assert.equal((await call('POST', `/v1/dead-letters/${id}/replay`)).statusCode, 409)
  assert.equal((await call('POST', '/v1/dead-letters/nonsense/replay')).statusCode, 404)
})

test('replays all matching dead letters page by page, and counts the skipped', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  for (let n = 0; n < 450; n += 1) await bury(api, `k${n}`, { tags: ['mine'] })
  const erased = await bury(api, 'erased', { tags: ['mine'] })
  const other = await bury(api, 'other', { tags: ['other'] })
  await api.project()
  await api.happen(erased, { kind: 'MessageErased' })

  const replay = async () => (await call('POST', '/v1/dead-letters/replay', { filter: { tag: 'mine' } })).json()
  assert.deepEqual(await replay(), { replayed: 450, skipped: 1, rate_limited: 0, next_cursor: null })
  // The index has not noticed yet: nothing may be replayed a second time.
  assert.deepEqual(await replay(), { replayed: 0, skipped: 451, rate_limited: 0, next_cursor: null })
  assert.equal((await call('GET', `/v1/messages/${other}`)).json().cycle, 1)

  await api.project()
  const rest = await call('POST', '/v1/dead-letters/replay', {})
  assert.equal(rest.statusCode, 202)
  assert.equal(rest.json().replayed, 1)
})

test('one call processes a maximum and returns a cursor', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const id = await bury(api, 'a')
  await api.project()
  const { rows } = await api.deps.index.search({ tenantId: 'acme' as never, filter: {}, limit: 1 })
  const row = rows[0]
  assert.ok(row)
  const pages: (string | undefined)[] = []
  const index = {
    ...api.deps.index,
    search: async ({ cursor, limit }: { cursor?: string; limit: number }) => {
      pages.push(cursor)
      return { rows: Array(limit).fill(row), nextCursor: `page ${pages.length}` }
    },
  }
  await using endless = await openFixture(world, { log: api.deps.log, index })
  const answer = await (await endless.caller())('POST', '/v1/dead-letters/replay', { cursor: 'here' })
  assert.deepEqual(answer.json(), { replayed: 1, skipped: 9999, rate_limited: 0, next_cursor: 'page 50' })
  assert.deepEqual(pages.slice(0, 2), ['here', 'page 1'])
  assert.equal((await call('GET', `/v1/messages/${id}`)).json().cycle, 2)
})

const ADMIN = { scope: 'admin' }

async function limitRecipient(api: Fixture, to: string, limit: number): Promise<void> {
  const path = `/v1/limits/recipient/${encodeURIComponent(to)}`
  const answer = await (await api.caller(ADMIN))('PUT', path, { limit, window_seconds: 60, algorithm: 'fixed' })
  assert.equal(answer.statusCode, 200, answer.body)
}

test('refuses a replay at a limit unless an admin overrides it', async () => {
  await using api = await openFixture(world)
  const [call, admin] = [await api.caller(), await api.caller(ADMIN)]
  const [first, second] = [await bury(api, 'a'), await bury(api, 'b')]
  await limitRecipient(api, SMS.to, 1)
  const admitted = await call('POST', `/v1/dead-letters/${first}/replay`)
  assert.deepEqual([admitted.statusCode, admitted.headers['ratelimit']], [202, '"recipient";r=0;t=60'])
  const path = `/v1/dead-letters/${second}/replay`
  const limited = await call('POST', path)
  assert.deepEqual(
    [limited.statusCode, limited.json().error_code, limited.headers['retry-after']],
    [429, 'RATE_LIMITED', '60'],
  )
  assert.equal((await call('POST', `${path}?override_limits=true`)).statusCode, 403)
  assert.equal((await admin('POST', `${path}?override_limits=true`)).statusCode, 202)
})

test('counts rate-limited replays, keeps them as dead letters and replays the others', async () => {
  await using api = await openFixture(world)
  const [call, admin] = [await api.caller(), await api.caller(ADMIN)]
  const other = '+15005550101'
  for (const key of ['a', 'b', 'c']) await bury(api, key)
  for (const key of ['d', 'e']) await bury(api, key, { to: other })
  await api.project()
  await limitRecipient(api, SMS.to, 1)
  assert.deepEqual((await call('POST', '/v1/dead-letters/replay', {})).json(), {
    replayed: 3,
    skipped: 0,
    rate_limited: 2,
    next_cursor: null,
  })
  await api.project()
  const left = (await call('GET', '/v1/dead-letters')).json().items
  assert.equal(left.length, 2)

  const override = '/v1/dead-letters/replay?override_limits=true'
  assert.equal((await call('POST', override, {})).statusCode, 403)
  assert.deepEqual((await admin('POST', override, {})).json(), {
    replayed: 2,
    skipped: 0,
    rate_limited: 0,
    next_cursor: null,
  })
})

test('names an unknown filter field', async () => {
  await using api = await openFixture(world)
  const answer = await (await api.caller())('POST', '/v1/dead-letters/replay', { filter: { colour: 'red' } })
  assert.equal(answer.statusCode, 400)
  assert.deepEqual(
    answer.json().details.map(({ path }: { path: string }) => path),
    ['/filter/colour'],
  )
})
