import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { parsePhoneNumber } from '../../domain/message/phone-number.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { millis, seconds } from '../../lib/time.ts'
import { openFixture, SMS } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const SEND = '/v1/sms/send'

const text = fc.stringMatching(/^[a-zA-Zé€ ]{0,20}[a-z]$/)
const payload = fc.record(
  {
    to: fc.stringMatching(/^\+[1-9]\d{6,14}$/),
    message: text,
    type: fc.constantFrom('sms', 'flash_sms'),
    sender_id: fc.constantFrom('Acme', '+15005550100'),
    lane: fc.constantFrom('transactional', 'bulk'),
    metadata: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), text, { maxKeys: 3 }),
    tags: fc.array(text, { maxLength: 3 }),
  },
  { requiredKeys: ['to', 'message'] },
)

test('accepts an SMS; the response has its fields in a fixed order', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const answer = await call('POST', SEND, { ...SMS, idempotency_key: 'k' })
  assert.equal(answer.statusCode, 202)
  assert.match(
    answer.body,
    /^\{"id":"([0-9a-f-]{36})","request_id":"\1","status":"accepted","created_at":"2030-01-31T12:00:00.000Z","accepted_at":"2030-01-31T12:00:00.000Z","segments":1,"encoding":"gsm7"\}$/,
  )
  assert.equal(answer.headers['content-type'], 'application/json; charset=utf-8')
  assert.equal(answer.headers['idempotent-replayed'], undefined)
})

test('S1-P1 the same key and payload get the same bytes and create one message, in sequence or in parallel', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  let run = 0
  await fc.assert(
    fc.asyncProperty(payload, fc.integer({ min: 1, max: 6 }), fc.boolean(), async (sms, times, atOnce) => {
      run += 1
      const send = () => call('POST', SEND, { ...sms, idempotency_key: `run ${run}` })
      const before = await api.deps.log.tip()
      const first = atOnce ? undefined : await send()
      const answers = [...(first ? [first] : []), ...(await Promise.all(Array.from({ length: times }, send)))]
      assert.deepEqual(new Set(answers.map(({ statusCode }) => statusCode)), new Set([202]))
      assert.equal(new Set(answers.map(({ body }) => body)).size, 1)
      assert.equal(answers.filter(({ headers }) => headers['idempotent-replayed'] !== 'true').length, 1)
      assert.equal((await api.deps.log.tip()) - before, 1)
    }),
  )
})

test('S1-P1 the same key with another payload is 422 and creates nothing', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  let run = 0
  await fc.assert(
    fc.asyncProperty(payload, payload, async (one, other) => {
      const key = { 'idempotency-key': `run ${run++}` }
      fc.pre(one.to !== other.to || one.message !== other.message)
      assert.equal((await call('POST', SEND, one, key)).statusCode, 202)
      const before = await api.deps.log.tip()
      const answer = await call('POST', SEND, other, key)
      assert.equal(answer.statusCode, 422)
      assert.equal(answer.json().error_code, 'IDEMPOTENCY_MISMATCH')
      assert.equal(await api.deps.log.tip(), before)
    }),
  )
})

test('keys are per account: another account or tenant may use the same key', async () => {
  await using api = await openFixture(world)
  const ids = await Promise.all(
    [{}, { account_id: 'other' }, { tenant_id: 'other' }].map(async (claims) => {
      const call = await api.caller(claims)
      return (await call('POST', SEND, { ...SMS, idempotency_key: 'k' })).json().request_id
    }),
  )
  assert.equal(new Set(ids).size, 3)
})

test('S1-P2 an invalid E.164 number is 400 and names the field', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const almost = fc.oneof(fc.string(), fc.stringMatching(/^\+?0?\d{0,20}$/), fc.stringMatching(/^\+\d{1,15}[a-z ]$/))
  await fc.assert(
    fc.asyncProperty(almost, async (to) => {
      fc.pre(parsePhoneNumber(to) === undefined)
      const answer = await call('POST', SEND, { ...SMS, to, idempotency_key: 'k' })
      assert.equal(answer.statusCode, 400)
      assert.deepEqual(answer.json().details.map(pathOf), ['/to'])
    }),
  )
})

test('S1-P3 a text over 1600 characters is 400 and names the field', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1601, max: 6000 }),
      fc.constantFrom('a', 'é', '€', 'ж'),
      async (length, letter) => {
        const answer = await call('POST', SEND, { ...SMS, message: letter.repeat(length), idempotency_key: 'k' })
        assert.equal(answer.statusCode, 400)
        assert.deepEqual(answer.json().details.map(pathOf), ['/message'])
      },
    ),
  )
})

test('S3-REPLAY a key returns the first message for 48 hours, then creates a new one', async () => {
  const WINDOW = seconds(48 * 60 * 60)
  await fc.assert(
    fc.asyncProperty(fc.nat({ max: WINDOW - 1 }), fc.nat({ max: 1_000_000 }), async (within, after) => {
      await using api = await openFixture(world)
      const send = async () => (await api.caller())('POST', SEND, { ...SMS, idempotency_key: 'k' })
      const first = await send()
      api.pass(millis(within))
      const again = await send()
      assert.equal(again.body, first.body)
      assert.equal(again.headers['idempotent-replayed'], 'true')

      api.pass(millis(WINDOW - within + after))
      const anew = await send()
      assert.equal(anew.statusCode, 202)
      assert.notEqual(anew.json().request_id, first.json().request_id)
      assert.equal(anew.headers['idempotent-replayed'], undefined)
      assert.equal((await send()).body, anew.body)
    }),
  )
})

test('reports every invalid field at once, by type or by meaning', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const answer = await call('POST', SEND, {
    to: '5511987654321',
    message: 7,
    type: 'mms',
    sender_id: '',
    metadata: { ok: 'yes', bad: 1, nul: '\0' },
    tags: ['fine', ''],
    expires_at: 'soon',
    callback_url: 'ftp://x',
    template: { name: 'x' },
  })
  assert.equal(answer.statusCode, 400)
  assert.deepEqual(answer.json().details.map(pathOf).toSorted(), [
    '/callback_url',
    '/expires_at',
    '/idempotency_key',
    '/message',
    '/metadata/bad',
    '/sender_id',
    '/tags/1',
    '/template',
    '/template/name',
    '/to',
    '/type',
  ])
})

for (const [name, fields, path] of [
  ['too many parts', { message: 'ж'.repeat(1600), maxParts: 3 }, '/message'],
  ['NUL in a text', { message: 'a\0b' }, '/message'],
  ['NUL in a tag', { tags: ['a\0'] }, '/tags/0'],
  ['NUL in metadata', { metadata: { a: '\0' } }, '/metadata'],
  [
    'more than 50 entries of metadata',
    { metadata: Object.fromEntries([...Array(51).keys()].map((n) => [`k${n}`, ''])) },
    '/metadata',
  ],
  ['a name of metadata that is too long', { metadata: { ['k'.repeat(65)]: '' } }, `/metadata/${'k'.repeat(65)}`],
  ['a value of metadata that is too long', { metadata: { k: 'v'.repeat(513) } }, '/metadata/k'],
  ['more than 20 tags', { tags: Array(21).fill('t') }, '/tags'],
  ['a tag that is too long', { tags: ['t'.repeat(65)] }, '/tags/0'],
  ['a key that is too long', { idempotency_key: 'k'.repeat(256) }, '/idempotency_key'],
  ['a key with control characters', { idempotency_key: 'k\n' }, '/idempotency_key'],
  ['an empty key', { idempotency_key: '' }, '/idempotency_key'],
  ['a callback that is no web address', { callback_url: 'https://exa mple.com' }, '/callback_url'],
  ['an invalid date', { expires_at: 'tomorrow' }, '/expires_at'],
  ['an unknown field', { recipient: 'x' }, '/recipient'],
] as const) {
  test(`${name} is 400 at ${path.slice(0, 40)}`, async () => {
    const { maxParts = 24, ...rest } = { maxParts: 24, ...fields }
    await using api = await openFixture(world, { maxParts })
    const answer = await (await api.caller())('POST', SEND, { ...SMS, idempotency_key: 'k', ...rest })
    assert.equal(answer.statusCode, 400)
    assert.deepEqual(answer.json().details.map(pathOf), [path])
  })
}

test('shows the state and timeline of a message with the recipient masked', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const id = (await call('POST', SEND, { ...SMS, tags: ['parcel'], idempotency_key: 'k' })).json().request_id
  await api.happen(
    id,
    { kind: 'HandoffAttempted', provider: 'fake' as never, routeId: 'r' as never, owner: 'process 7' },
    { kind: 'HandoffAccepted', providerMessageId: 'p1', by: 'answer' },
    { kind: 'ProviderDelivered', reportId: 'd1', providerMessageId: 'p1' },
  )
  const answer = await call('GET', `/v1/sms/${id.toUpperCase()}`)
  assert.equal(answer.statusCode, 200)
  const { events, ...row } = answer.json()
  assert.deepEqual(row, {
    id: id,
    request_id: id,
    status: 'delivered',
    handoff_state: 'handed_off',
    provider_state: 'delivered',
    to: '+*******4321',
    provider: 'fake',
    provider_message_id: 'p1',
    error_code: null,
    error_detail: null,
    attempts: 1,
    cycle: 1,
    segments: 1,
    encoding: 'gsm7',
    channel: 'sms',
    type: 'sms',
    lane: 'transactional',
    tags: ['parcel'],
    subject: null,
    template: null,
    batch_id: null,
    country: 'BR',
    calling_code: '55',
    unknown: false,
    dead_letter: false,
    erased: false,
    created_at: '2030-01-31T12:00:00.000Z',
    updated_at: '2030-01-31T12:00:00.000Z',
    events_total: 4,
    events_next_cursor: null,
  })
  assert.deepEqual(
    events.map((event: { event_type: string; payload: { status: string } }) => [
      event.event_type,
      event.payload.status,
    ]),
    [
      ['MessageCreated', 'queued'],
      ['HandoffAttempted', 'sending'],
      ['HandoffAccepted', 'sent'],
      ['ProviderDelivered', 'delivered'],
    ],
  )
  assert.equal(events[1].payload.provider, 'fake')
  assert.equal(events[1].payload.route_id, 'r')
  assert.ok(!answer.body.includes('process 7'))
  assert.ok(!answer.body.includes(SMS.to) && !answer.body.includes(SMS.message))
})

test('a message of another tenant, an unknown id and a malformed id are 404', async () => {
  await using api = await openFixture(world)
  const id = (await (await api.caller())('POST', SEND, { ...SMS, idempotency_key: 'k' })).json().request_id
  const stranger = await api.caller({ tenant_id: 'other', scope: 'admin' })
  for (const unknown of [id, '00000000-0000-4000-8000-000000000000', 'nonsense', '%00', 'x'.repeat(500)]) {
    const answer = await stranger('GET', `/v1/sms/${unknown}`)
    assert.equal(answer.statusCode, 404)
    assert.equal(answer.json().error_code, 'NOT_FOUND')
  }
})

const pathOf = ({ path }: { path: string }): string => path
