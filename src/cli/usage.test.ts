/** `pombo usage`, against a gateway on a real socket. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openTestGateway, run } from './test-world.ts'

const counts = { messages: 3, segments: 5, sent_messages: 2, sent_segments: 4 }
const PORTUGAL = { account_id: 'shop', country: 'PT', ...counts }
const MAIL = { account_id: '=1+1', country: null, ...counts }

const open = () =>
  openTestGateway(({ query }) =>
    query.has('cursor') ? { items: [MAIL], next_cursor: null } : { items: [PORTUGAL], next_cursor: 'c' },
  )

test('shows all pages as a table, and passes the query', async () => {
  await using gateway = await open()
  const period = ['--from', '2030-01-01', '--to', '2030-01-31']
  const who = ['--by', 'account,country', '--account', '*', '--tenant', 'acme']
  const { code, out } = await run(['usage', ...period, ...who], gateway)
  assert.equal(code, 0)
  assert.deepEqual(
    out
      .trimEnd()
      .split('\n')
      .map((line) => line.split(/ +/)),
    [
      ['account_id', 'country', 'messages', 'segments', 'sent_messages', 'sent_segments'],
      ['shop', 'PT', '3', '5', '2', '4'],
      ['=1+1', '-', '3', '5', '2', '4'],
    ],
  )
  const [first] = gateway.requests
  assert.equal(first?.headers['pombo-tenant'], 'acme')
  assert.deepEqual(Object.fromEntries(first?.query ?? []), {
    from: '2030-01-01',
    to: '2030-01-31',
    group_by: 'account,country',
    account_id: '*',
    limit: '200',
  })
})

test('prints CSV that a spreadsheet takes for text, or JSON', async () => {
  await using gateway = await open()
  const head = 'account_id,country,messages,segments,sent_messages,sent_segments'
  const csv = await run(['usage', '--csv'], gateway)
  assert.equal(csv.out, `${head}\r\nshop,PT,3,5,2,4\r\n'=1+1,,3,5,2,4\r\n`)
  const json = await run(['usage', '--json'], gateway)
  assert.equal(json.out, `${JSON.stringify(PORTUGAL)}\n${JSON.stringify(MAIL)}\n`)
  assert.equal((await run(['usage', '--json', '--csv'], gateway)).code, 2)
})

test('says so where nothing was sent', async () => {
  await using gateway = await openTestGateway(() => ({ items: [], next_cursor: null }))
  assert.equal((await run(['usage'], gateway)).out, 'no usage\n')
})
