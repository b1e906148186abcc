import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import type { EventLog } from '../../ports/event-log.ts'
import type { Renderer } from '../../ports/renderer.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openFixture, SMS } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const BATCH = '/v1/messages/batch'
const item = (key: string, more: object = {}): object => ({ ...SMS, idempotency_key: key, ...more })
const MAIL = { channel: 'email', to: 'ana@example.com', subject: 'Hi', html: '<p>Hi</p>' }

test('accepts or refuses each item on its own, in order', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const items = [
    item('a'),
    item('b', { to: 'nobody', message: '' }),
    { channel: 'email', to: 'a@b.example', message: 'Hi', idempotency_key: 'c' },
    'nonsense',
    item('d', { channel: 'sms' }),
    { ...SMS },
    item('a', { message: 'Something else' }),
    { ...MAIL, idempotency_key: 'e' },
    item('f', { channel: 'fax' }),
  ]
  const answer = await call('POST', BATCH, { items })
  assert.equal(answer.statusCode, 200)
  const { results } = answer.json()
  assert.deepEqual(
    results.map(({ index, status, error }: Result) => [index, status ?? error?.error_code]),
    [
      [0, 'accepted'],
      [1, 'VALIDATION_ERROR'],
      [2, 'VALIDATION_ERROR'],
      [3, 'VALIDATION_ERROR'],
      [4, 'accepted'],
      [5, 'VALIDATION_ERROR'],
      [6, 'IDEMPOTENCY_MISMATCH'],
      [7, 'accepted'],
      [8, 'VALIDATION_ERROR'],
    ],
  )
  const pathsOf = (index: number): string[] => results[index].error.details.map(({ path }: { path: string }) => path)
  assert.deepEqual(pathsOf(1), ['/to', '/message'])
  assert.deepEqual(pathsOf(2).toSorted(), ['/html', '/message', '/subject'])
  assert.deepEqual(pathsOf(5), ['/idempotency_key'])
  assert.deepEqual(pathsOf(8), ['/channel'])
  assert.equal(await api.deps.log.tip(), 3)
})

test('a batch needs the scope of either channel, each item that of its own', async () => {
  await using api = await openFixture(world)
  const items = [item('sms'), { ...MAIL, idempotency_key: 'mail' }]
  for (const [scope, outcomes] of [
    ['admin', ['accepted', 'accepted']],
    ['sms:send', ['accepted', 'FORBIDDEN']],
    ['email:send', ['FORBIDDEN', 'accepted']],
  ] as const) {
    const answer = await (await api.caller({ scope }))('POST', BATCH, { items })
    assert.deepEqual(
      answer.json().results.map(({ status, error }: Result) => status ?? error?.error_code),
      outcomes,
    )
  }
  const neither = await (await api.caller({ scope: 'messages:read' }))('POST', BATCH, { items })
  assert.equal(neither.statusCode, 403)
  assert.match(neither.json().detail, /sms:send or email:send/)
  assert.equal(await api.deps.log.tip(), 2)
})

test('a repeated batch creates no new messages', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const items = Array.from({ length: 1000 }, (_, n) => item(`k${n}`))
  const first = await call('POST', BATCH, { items })
  assert.equal(first.json().results.length, 1000)
  assert.equal(await api.deps.log.tip(), 1000)
  assert.equal((await call('POST', BATCH, { items })).body, first.body)
  assert.equal(await api.deps.log.tip(), 1000)
})

test('batch items and single calls share idempotency keys', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const single = await call('POST', '/v1/sms/send', item('k'))
  const { results } = (await call('POST', BATCH, { items: [item('k'), item('k')] })).json()
  const id = single.json().request_id
  assert.deepEqual(
    results.map(({ request_id }: Result) => request_id),
    [id, id],
  )
})

test('the messages of a batch carry its id, and stay in their first batch', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const send = async (batch_id: string | undefined, ...keys: string[]): Promise<string> => {
    const answer = await call('POST', BATCH, {
      ...(batch_id === undefined ? {} : { batch_id }),
      items: keys.map((key) => item(key)),
    })
    assert.equal(answer.statusCode, 200, answer.body)
    return answer.json().batch_id
  }
  const batchesOf = async (query = ''): Promise<unknown[]> =>
    (await call('GET', `/v1/messages?${query}`)).json().items.map(({ batch_id }: { batch_id: unknown }) => batch_id)

  assert.equal(await send('upload-1', 'a', 'b'), 'upload-1')
  assert.equal(await send('upload-1', 'c'), 'upload-1')
  assert.equal(await send('upload-2', 'a', 'd'), 'upload-2')
  await call('POST', '/v1/sms/send', item('single'))
  const made = await send(undefined, 'e', 'f')
  assert.match(made, /^[0-9a-f]{8}-[0-9a-f]{4}-8/)
  assert.equal(await send(undefined, 'e', 'f'), made)
  assert.notEqual(await send(undefined, 'f', 'e'), made)
  await api.project()

  assert.deepEqual(
    (await batchesOf()).toSorted(),
    [made, made, null, ...Array(3).fill('upload-1'), 'upload-2'].toSorted(),
  )
  assert.deepEqual(await batchesOf('batch=upload-1'), Array(3).fill('upload-1'))
  assert.deepEqual(await batchesOf(`batch=${made}`), [made, made])
  assert.deepEqual(await batchesOf('batch=upload'), [])
})

for (const batch_id of ['', 'a b', 'x'.repeat(65), 7, null]) {
  test(`a batch cannot be called ${JSON.stringify(batch_id).slice(0, 9)}`, async () => {
    await using api = await openFixture(world)
    const answer = await (await api.caller())('POST', BATCH, { batch_id, items: [item('a')] })
    assert.equal(answer.statusCode, 400)
    assert.deepEqual(
      answer.json().details.map(({ path }: { path: string }) => path),
      ['/batch_id'],
    )
    assert.equal(await api.deps.log.tip(), 0)
  })
}

for (const [name, body] of [
  ['no items', { items: [] }],
  ['too many items', { items: Array(1001).fill(1) }],
  ['something else', { messages: [] }],
] as const) {
  test(`a batch with ${name} is refused as a whole`, async () => {
    await using api = await openFixture(world)
    const answer = await (await api.caller())('POST', BATCH, body)
    assert.equal(answer.statusCode, 400)
    assert.ok(answer.json().details.some(({ path }: { path: string }) => path === '/items'))
  })
}

test('reports an unreachable log per item, and logs unexpected errors without revealing them', async () => {
  const failures = [new Unavailable('full'), new TypeError('secret')]
  const log: EventLog = {
    ...openMemoryEngine({ clock: () => 0 as never }).log,
    append: () => Promise.reject(failures.shift()),
  }
  await using api = await openFixture(world, { log })
  const answer = await (await api.caller())('POST', BATCH, { items: [item('a'), item('b')] })
  const { results } = answer.json()
  assert.deepEqual(
    results.map(({ error }: Result) => error?.error_code),
    ['UNAVAILABLE', 'INTERNAL_ERROR'],
  )
  assert.equal(results[0].error.retry_after, 1)
  assert.ok(!answer.body.includes('secret'))
  assert.ok(api.lines.some(({ msg }) => msg === 'batch item failed'))
})

for (const [what, html, expected] of [
  ['large', '<p>x</p>'.repeat(20_000), 8],
  ['small', '<p>x</p>', 40],
] as const) {
  test(`stores emails of a ${what} template ${expected} at a time, with results in order`, async () => {
    const { log, most } = watched()
    await using api = await openFixture(world, { log })
    const call = await api.caller({ scope: 'admin' })
    const template = { name: 'news', locale: 'en', channel: 'email', subject: 'News', text: 'x', html }
    assert.equal((await call('POST', '/v1/templates', template)).statusCode, 201)
    const mail = { channel: 'email', to: 'ana@example.com', template: { name: 'news' } }
    const items = Array.from({ length: 40 }, (_, n) => ({ ...mail, idempotency_key: `k${n}` }))
    const { results } = (await call('POST', BATCH, { items })).json()
    assert.deepEqual(
      results.map(({ index, status }: Result) => [index, status]),
      items.map((_, index) => [index, 'accepted']),
    )
    assert.equal(most(), expected)
  })
}

test('renders the templates of SMS a few at a time', async () => {
  let [atOnce, most] = [0, 0]
  const render: Renderer['render'] = async ({ texts }) => {
    atOnce += 1
    most = Math.max(most, atOnce)
    await new Promise((resolve) => setImmediate(resolve))
    atOnce -= 1
    return { kind: 'ok', texts }
  }
  await using api = await openFixture(world, { renderer: { render, check: async () => ({ kind: 'ok' }) } })
  const call = await api.caller({ scope: 'admin' })
  const template = { name: 'hi', locale: 'en', channel: 'sms', text: 'Hi' }
  assert.equal((await call('POST', '/v1/templates', template)).statusCode, 201)
  const named = { to: SMS.to, template: { name: 'hi' } }
  const items = Array.from({ length: 40 }, (_, n) => ({ ...named, idempotency_key: `k${n}` }))
  const { results } = (await call('POST', BATCH, { items })).json()
  assert.ok(results.every(({ status }: Result) => status === 'accepted'))
  assert.equal(most, 8)
})

test('leaves the event loop to others between its items', async () => {
  const { log } = openMemoryEngine({ clock: () => 0 as never })
  let [turn, isDone] = [0, false]
  const appendedIn: number[] = []
  const append: EventLog['append'] = (entry) => {
    appendedIn.push(turn)
    const until = performance.now() + 1
    while (performance.now() < until);
    return log.append(entry)
  }
  await using api = await openFixture(world, { log: { ...log, append } })
  const call = await api.caller()
  const count = (): void => {
    turn += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  const { results } = (await call('POST', BATCH, { items: Array.from({ length: 60 }, (_, n) => item(`k${n}`)) })).json()
  isDone = true
  assert.equal(results.length, 60)
  const perTurn = [...Map.groupBy(appendedIn, Number).values()].map(({ length }) => length)
  assert.ok(Math.max(...perTurn) <= 10, `${Math.max(...perTurn)} ms in one turn`)
})

test('stores inline messages all at once, emails too', async () => {
  const { log, most } = watched()
  await using api = await openFixture(world, { log })
  const items = Array.from({ length: 40 }, (_, n) =>
    n % 2 === 0 ? item(`k${n}`) : { ...MAIL, idempotency_key: `k${n}` },
  )
  assert.equal((await (await api.caller())('POST', BATCH, { items })).statusCode, 200)
  assert.equal(most(), 40)
})

/** A log that takes its time, and how much of it was used at once. */
function watched() {
  const { log } = openMemoryEngine({ clock: () => 0 as never })
  let [atOnce, most] = [0, 0]
  const append: EventLog['append'] = async (entry) => {
    atOnce += 1
    most = Math.max(most, atOnce)
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    atOnce -= 1
    return log.append(entry)
  }
  return { log: { ...log, append }, most: () => most }
}

type Result = { index: number; request_id?: string; status?: string; error?: { error_code: string } }
