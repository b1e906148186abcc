import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { dayOf, toIsoDay } from '../../domain/message/usage.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openFixture, SMS } from '../server.fixture.ts'

const EMAIL = { to: 'ana@example.com', subject: 'Hi', html: '<p>Hi</p>' }
const QUERY = 'group_by=account,channel,country,day'

async function open() {
  const api = await openFixture({ openEngine: openMemoryEngine, ids: openIds() })
  const [shop, bank, admin] = [
    await api.caller({ account_id: 'shop', scope: 'sms:send email:send messages:read' }),
    await api.caller({ account_id: 'bank', scope: 'sms:send messages:read' }),
    await api.caller({ account_id: 'office', scope: 'admin' }),
  ]
  for (const [caller, path, body] of [
    [shop, '/v1/sms/send', { ...SMS, to: '+351911111111' }],
    [shop, '/v1/email/send', EMAIL],
    [bank, '/v1/sms/send', { ...SMS, to: '+5511987654321', message: 'x'.repeat(161) }],
  ] as const) {
    assert.equal(
      (await caller('POST', path, { ...body, idempotency_key: JSON.stringify(body).slice(0, 60) })).statusCode,
      202,
    )
  }
  return { api, shop, bank, admin, [Symbol.asyncDispose]: () => api[Symbol.asyncDispose]() }
}

const sum = (messages: number, segments: number) => ({ messages, segments, sent_messages: 0, sent_segments: 0 })

test('a caller gets the usage of its own account, and an admin that of all', async () => {
  await using opened = await open()
  const { api, shop, admin } = opened
  const day = toIsoDay(dayOf(api.clock()))
  const mine = (await shop('GET', `/v1/usage?${QUERY}`)).json()
  const ofShop = [
    { account_id: 'shop', channel: 'email', country: null, day, ...sum(1, 1) },
    { account_id: 'shop', channel: 'sms', country: 'PT', day, ...sum(1, 1) },
  ]
  assert.deepEqual(mine, {
    from: `${day.slice(0, 8)}01`,
    to: day,
    group_by: ['account', 'channel', 'country', 'day'],
    items: ofShop,
    next_cursor: null,
  })
  const ofBank = { account_id: 'bank', channel: 'sms', country: 'BR', day, ...sum(1, 2) }
  assert.deepEqual((await admin('GET', `/v1/usage?${QUERY}`)).json().items, [ofBank, ...ofShop])
  assert.deepEqual((await admin('GET', '/v1/usage?group_by=&account_id=*')).json().items, [sum(3, 4)])
  assert.deepEqual((await admin('GET', '/v1/usage?group_by=&account_id=bank')).json().items, [sum(1, 2)])
  assert.deepEqual((await admin('GET', '/v1/usage')).json().items, [])
  for (const other of ['bank', '*']) {
    const refused = await shop('GET', `/v1/usage?account_id=${other}`)
    assert.deepEqual([refused.statusCode, refused.json().error_code], [403, 'FORBIDDEN'])
  }
})

test('pages continue at their cursor, as JSON and as CSV', async () => {
  await using opened = await open()
  const { admin } = opened
  const query = 'group_by=account,country,provider&limit=2'
  const first = (await admin('GET', `/v1/usage?${query}`)).json()
  assert.equal(first.items.length, 2)
  const second = (await admin('GET', `/v1/usage?${query}&cursor=${first.next_cursor}`)).json()
  assert.deepEqual(
    [...first.items, ...second.items].map((item) => [item.account_id, item.country, item.provider]),
    [
      ['bank', 'BR', null],
      ['shop', null, null],
      ['shop', 'PT', null],
    ],
  )
  assert.equal(second.next_cursor, null)

  const csv = await admin('GET', `/v1/usage?${query}&format=csv`)
  assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8')
  const head = 'account_id,country,provider,messages,segments,sent_messages,sent_segments\r\n'
  assert.equal(csv.body, `${head}bank,BR,,1,2,0,0\r\nshop,,,1,1,0,0\r\n`)
  const [, next = ''] = /^<(.*)>; rel="next"$/.exec(String(csv.headers['link'])) ?? []
  const rest = await admin('GET', next)
  assert.equal(rest.body, `${head}shop,PT,,1,1,0,0\r\n`)
  assert.equal(rest.headers['link'], undefined)
  const accepted = await admin('GET', `/v1/usage?${query}`, undefined, { accept: 'text/csv' })
  assert.equal(accepted.body, csv.body)
})

test('refuses what is no period, no dimension and no cursor', async () => {
  await using opened = await open()
  const { admin } = opened
  for (const [query, path] of [
    ['from=2030-02-30', '/from'],
    ['to=yesterday', '/to'],
    ['from=2030-02-01&to=2030-01-31', '/from'],
    ['from=2028-01-01&to=2029-01-01', '/from'],
    ['group_by=month', '/group_by'],
    ['group_by=day,day', '/group_by'],
    ['cursor=x', '/cursor'],
    [`cursor=${Buffer.from('["a"]').toString('base64url')}`, '/cursor'],
    [`group_by=account&cursor=${Buffer.from('["\\u0000"]').toString('base64url')}`, '/cursor'],
  ]) {
    const refused = await admin('GET', `/v1/usage?${query}`)
    assert.equal(refused.statusCode, 400, query)
    assert.equal(refused.json().details[0].path, path, query)
  }
  assert.equal((await admin('GET', '/v1/usage?from=2028-01-01&to=2028-12-31')).statusCode, 200)
})
