/** `pombo keys`, against a gateway on a real socket. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Answer, openTestGateway, refuseWith, run } from './test-world.ts'

const ID = '8f3k1x0q7zab'
const SECRET = 'S3cretS3cretS3cretS3cretS3cretS3cretS3cr'
const KEY = `pk_live_${ID}_${SECRET}`
const SHOWN = {
  id: ID,
  prefix: `pk_live_${ID}_…`,
  name: 'Order service',
  scopes: ['sms:send', 'otp'],
  mode: 'live',
  account_id: 'shop',
  twilio_account_sid: 'AC3f1c9f0e5f0a8c6e9d570b6f0a3c2e11',
  networks: null,
  status: 'active',
  created_at: '2030-01-31T12:00:00.000Z',
  expires_at: null,
  revoked_at: null,
  last_used_at: '2030-01-31T12:30:00.000Z',
}

const answer =
  (body: unknown): Answer =>
  () =>
    body

describe('keys create', () => {
  const create = ['keys', 'create', '--name', 'Order service', '--scope', 'sms:send, otp']

  test('prints only the key on standard output, and what it is on the other', async () => {
    await using gateway = await openTestGateway(answer({ ...SHOWN, key: KEY }))
    const { code, out, err } = await run(create, gateway)
    assert.deepEqual([code, out, err], [0, `${KEY}\n`, `API key ${ID} created; it is not shown again\n`])
    const [request] = gateway.requests
    assert.deepEqual([request?.method, request?.path], ['POST', '/v1/api-keys'])
    assert.deepEqual(request?.body, { name: 'Order service', scopes: ['sms:send', 'otp'] })
    assert.equal(request?.headers['pombo-tenant'], undefined)
  })

  test('prints nothing else with --quiet, and the whole answer with --json', async () => {
    await using gateway = await openTestGateway(answer({ ...SHOWN, key: KEY }))
    const quiet = await run([...create, '--quiet'], gateway)
    assert.deepEqual([quiet.out, quiet.err], [`${KEY}\n`, ''])
    const json = await run([...create, '--json'], gateway)
    assert.deepEqual([JSON.parse(json.out), json.err], [{ ...SHOWN, key: KEY }, ''])
  })

  test('passes on every setting, and acts for another tenant', async () => {
    await using gateway = await openTestGateway(answer({ ...SHOWN, key: KEY }))
    const more = ['--test', '--account', 'shop', '--network', '10.0.0.0/8,::1', '--days', '90', '--tenant', 'acme']
    assert.equal((await run([...create, ...more], gateway)).code, 0)
    const [request] = gateway.requests
    assert.deepEqual(request?.body, {
      name: 'Order service',
      scopes: ['sms:send', 'otp'],
      mode: 'test',
      account_id: 'shop',
      networks: ['10.0.0.0/8', '::1'],
      expires_in_days: 90,
    })
    assert.equal(request?.headers['pombo-tenant'], 'acme')
  })

  test('fails with the reason of the gateway', async () => {
    await using gateway = await openTestGateway(refuseWith(403, 'This needs the scope operator'))
    const { code, out, err } = await run(create, gateway)
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /answered 403: This needs the scope operator/)
  })
})

test('keys list shows a table, and acts for another tenant on every page', async () => {
  let page = 0
  await using gateway = await openTestGateway(() => {
    page += 1
    return { items: [SHOWN], next_cursor: page === 1 ? 'more' : null }
  })
  const { out } = await run(['keys', 'list', '--tenant', 'acme'], gateway)
  const row = `${ID}  Order service  live  sms:send otp  active  2030-01-31 12:30:00Z  –`
  assert.deepEqual(out.trimEnd().split('\n').slice(1), [row, row])
  assert.deepEqual(
    gateway.requests.map(({ query, headers }) => [query.get('cursor'), headers['pombo-tenant']]),
    [
      [null, 'acme'],
      ['more', 'acme'],
    ],
  )
  await using empty = await openTestGateway(answer({ items: [], next_cursor: null }))
  assert.equal((await run(['keys', 'list'], empty)).out, 'no API keys\n')
  assert.equal((await run(['keys', 'list', '--json'], empty)).out, '')
})

test('keys show prints the settings of a key', async () => {
  await using gateway = await openTestGateway(answer({ ...SHOWN, networks: ['10.0.0.0/8'] }))
  const { out } = await run(['keys', 'show', ID], gateway)
  assert.match(out, /^name +Order service$/m)
  assert.match(out, /^networks +10\.0\.0\.0\/8$/m)
  assert.match(out, /^twilio_account_sid +AC3f1c9f0e5f0a8c6e9d570b6f0a3c2e11$/m)
  assert.match(out, /^expires_at +–$/m)
  assert.equal(gateway.requests[0]?.path, `/v1/api-keys/${ID}`)
  assert.deepEqual(JSON.parse((await run(['keys', 'show', ID, '--json'], gateway)).out).id, ID)
})

test('keys rotate prints the new key, and until when the current one is valid', async () => {
  const previous = { ...SHOWN, expires_at: '2030-02-01T12:00:00.000Z' }
  await using gateway = await openTestGateway(answer({ ...SHOWN, id: 'next', key: KEY, previous }))
  const { out, err } = await run(['keys', 'rotate', ID], gateway)
  assert.equal(out, `${KEY}\n`)
  assert.match(err, new RegExp(`^API key next replaces ${ID}, which expires at 2030-02-01 12:00:00Z; `))
  await run(['keys', 'rotate', ID, '--overlap-seconds', '0'], gateway)
  await run(['keys', 'rotate', ID, '--overlap-seconds', '60'], gateway)
  assert.deepEqual(
    gateway.requests.map(({ method, path, body }) => [method, path, body]),
    [{}, { overlap_seconds: 0 }, { overlap_seconds: 60 }].map((body) => ['POST', `/v1/api-keys/${ID}/rotate`, body]),
  )
  assert.equal((await run(['keys', 'rotate', ID, '--overlap-seconds', 'x'], gateway)).code, 2)
})

test('keys revoke sends only the id, even of a whole key', async () => {
  await using gateway = await openTestGateway((_request, response) => void response.writeHead(204).end())
  for (const given of [ID, KEY, `pk_live_${ID}_…`]) {
    const { code, out } = await run(['keys', 'revoke', given], gateway)
    assert.deepEqual([code, out], [0, `${ID} revoked\n`])
  }
  for (const { method, path } of gateway.requests) assert.deepEqual([method, path], ['DELETE', `/v1/api-keys/${ID}`])
})

test('an API key may be the token of any command', async () => {
  await using gateway = await openTestGateway(answer({ items: [], next_cursor: null }))
  await run(['keys', 'list'], { env: { POMBO_URL: gateway.url, POMBO_TOKEN: KEY } })
  await run(['keys', 'list', '--token', KEY], { env: { POMBO_URL: gateway.url } })
  assert.deepEqual(
    gateway.requests.map(({ headers }) => headers.authorization),
    [`Bearer ${KEY}`, `Bearer ${KEY}`],
  )
})
