import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { until } from '../../../test/support/until.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { REFUSALS, type RefusalCode } from '../../flows/errors.ts'
import type { EventLog } from '../../ports/event-log.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openFixture, SMS } from '../server.fixture.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const KEYED = { ...SMS, idempotency_key: 'k' }
const JSON_TYPE = { 'content-type': 'application/json' }
const FIELDS = ['type', 'title', 'status', 'detail', 'error_code', 'message']

/** A log whose writes all fail with this error. */
const failing = (error: Error): EventLog => ({
  ...openMemoryEngine({ clock: () => 0 as never }).log,
  append: () => Promise.reject(error),
})

function check(answer: { statusCode: number; headers: object; body: string }, code: RefusalCode): void {
  const problem = JSON.parse(answer.body)
  const headers = answer.headers as Record<string, unknown>
  assert.equal(problem.error_code, code)
  assert.equal(answer.statusCode, REFUSALS[code].status)
  assert.equal(headers['content-type'], 'application/problem+json')
  assert.deepEqual(Object.keys(problem).slice(0, FIELDS.length), FIELDS)
  assert.equal(problem.status, answer.statusCode)
  assert.equal(problem.title, REFUSALS[code].title)
  assert.equal(problem.message, problem.detail)
  assert.equal(problem.http_request_id, headers['x-request-id'])
  assert.equal(problem.trace_id, headers['x-trace-id'])
  assert.match(problem.trace_id, /^[0-9a-f]{32}$/)
  assert.doesNotMatch(answer.body, /node_modules|\.ts|at .*:\d+/)
}

for (const [name, method, url, payload, headers, code] of [
  ['a body that is not JSON', 'POST', '/v1/sms/send', '{"to":', JSON_TYPE, 'VALIDATION_ERROR'],
  ['a missing body', 'POST', '/v1/sms/send', undefined, {}, 'VALIDATION_ERROR'],
  ['an empty JSON body', 'POST', '/v1/sms/send', '', JSON_TYPE, 'VALIDATION_ERROR'],
  ['a body that is a list', 'POST', '/v1/sms/send', '[]', JSON_TYPE, 'VALIDATION_ERROR'],
  ['a body of null', 'POST', '/v1/erasures', 'null', JSON_TYPE, 'VALIDATION_ERROR'],
  ['a raw NUL', 'POST', '/v1/sms/send', '{"to":"\0"}', JSON_TYPE, 'VALIDATION_ERROR'],
  ['a body with __proto__', 'POST', '/v1/sms/send', '{"__proto__":{"to":1}}', JSON_TYPE, 'VALIDATION_ERROR'],
  ['another media type', 'POST', '/v1/sms/send', 'to=1', { 'content-type': 'text/plain' }, 'UNSUPPORTED_MEDIA_TYPE'],
  ['a malformed media type', 'POST', '/v1/sms/send', '{}', { 'content-type': 'json' }, 'UNSUPPORTED_MEDIA_TYPE'],
  ['64 KB for one SMS', 'POST', '/v1/sms/send', { ...KEYED, x: 'x'.repeat(65_536) }, {}, 'PAYLOAD_TOO_LARGE'],
  ['8 MB for a batch', 'POST', '/v1/messages/batch', { items: ['x'.repeat(8_388_608)] }, {}, 'PAYLOAD_TOO_LARGE'],
  ['16 KB for anything else', 'POST', '/v1/erasures', { to: 'x'.repeat(16_384) }, {}, 'PAYLOAD_TOO_LARGE'],
  ['10 MB', 'POST', '/v1/sms/send', { x: 'x'.repeat(10_000_000) }, {}, 'PAYLOAD_TOO_LARGE'],
  ['an unknown path', 'GET', '/v1/nothing', undefined, {}, 'NOT_FOUND'],
  ['an unknown path with a body', 'POST', '/v1/nothing', '{', JSON_TYPE, 'NOT_FOUND'],
  ['a known path with another method', 'GET', '/v1/sms/send', undefined, {}, 'METHOD_NOT_ALLOWED'],
  ['a known path with another method and a bad body', 'PUT', '/v1/messages', '{', JSON_TYPE, 'METHOD_NOT_ALLOWED'],
  ['a path that cannot be decoded', 'GET', '/v1/sms/%E0%A4%A', undefined, {}, 'VALIDATION_ERROR'],
  ['an id that is too long', 'GET', `/v1/sms/${'a'.repeat(300)}`, undefined, {}, 'NOT_FOUND'],
  ['a limit that is not a number', 'GET', '/v1/messages?limit=ten', undefined, {}, 'VALIDATION_ERROR'],
  ['a limit of 201', 'GET', '/v1/messages?limit=201', undefined, {}, 'VALIDATION_ERROR'],
  ['an unknown filter', 'GET', '/v1/messages?colour=red', undefined, {}, 'VALIDATION_ERROR'],
  ['a filter given twice', 'GET', '/v1/messages?tag=a&tag=b', undefined, {}, 'VALIDATION_ERROR'],
  ['NUL in a filter', 'GET', '/v1/messages?q=%00', undefined, {}, 'VALIDATION_ERROR'],
  ['an unknown status', 'GET', '/v1/messages?status=lost', undefined, {}, 'VALIDATION_ERROR'],
  ['an invalid date', 'GET', '/v1/messages?created_from=monday', undefined, {}, 'VALIDATION_ERROR'],
  ['an invalid recipient', 'GET', '/v1/messages?to=nobody', undefined, {}, 'VALIDATION_ERROR'],
  [
    'statistics that end before they start',
    'GET',
    '/v1/stats?from=2030-01-02T00:00:00Z&to=2030-01-01T00:00:00Z',
    undefined,
    {},
    'VALIDATION_ERROR',
  ],
  ['figures in too many buckets', 'GET', '/v1/stats?bucket=1', undefined, {}, 'VALIDATION_ERROR'],
  ['an id of no event', 'GET', '/v1/events', undefined, { 'last-event-id': 'x' }, 'VALIDATION_ERROR'],
  ['an unknown provider', 'POST', '/v1/callbacks/nobody', '{}', JSON_TYPE, 'NOT_FOUND'],
  ['a forged callback', 'POST', '/v1/callbacks/fake', '[]', JSON_TYPE, 'UNAUTHENTICATED'],
] as const) {
  test(`${name} is ${code}`, async () => {
    await using api = await openFixture(world)
    check(await (await api.caller())(method, url, payload, headers), code)
    assert.equal(await api.deps.log.tip(), 0)
  })
}

test('details name the path, method, size or content type of the request', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  const detail = async (...request: Parameters<typeof call>) => (await call(...request)).json().detail
  const body = JSON.stringify({ ...KEYED, x: 'x'.repeat(65_536) })
  const expected = 'send the request body with Content-Type: application/json'
  assert.equal(await detail('GET', '/v1/nope?to=ana%40example.com'), 'Unknown path: GET /v1/nope')
  assert.equal(await detail('PUT', '/v1/messages'), 'PUT is not allowed on this path; allowed methods: GET, HEAD')
  assert.equal(
    await detail('POST', '/v1/sms/send', body, JSON_TYPE),
    `The request body is ${body.length} bytes; the maximum is 65536`,
  )
  assert.equal(
    await detail('POST', '/v1/sms/send', 'to=1', { 'content-type': 'text/plain' }),
    `The Content-Type text/plain is not supported; ${expected}`,
  )
})

test('no detail repeats an API key or a token that was sent in the path', async () => {
  await using api = await openFixture(world)
  const call = await api.caller({ scope: 'operator' })
  const [key, token] = [`pk_live_8f3k1x0q7zab_${'Zq3v'.repeat(10)}`, await api.token()]
  for (const secret of [key, key.replace('live', 'test'), token]) {
    const masked = secret.replace(/(?<=^pk_...._|^eyJ).*/, '…')
    for (const [path, expected] of [
      [`/v1/nope/${secret}`, `Unknown path: GET /v1/nope/${masked}`],
      [`/v1/${'x'.repeat(180)}/${secret}`, `Unknown path: GET /v1/${'x'.repeat(180)}/${masked}`],
      [`/v1/routes/${secret.slice(0, 60)}`, `No route with id ${masked}`],
    ] as const) {
      assert.equal((await call('GET', path)).json().detail, expected)
    }
  }
})

test('405 lists the allowed methods', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  assert.equal((await call('PUT', '/v1/messages')).headers['allow'], 'GET, HEAD')
  assert.equal((await call('DELETE', '/v1/sms/send')).headers['allow'], 'POST')
  assert.equal((await call('POST', '/v1/events')).headers['allow'], 'GET')
})

test('names the invalid query parameter', async () => {
  await using api = await openFixture(world)
  const answer = await (await api.caller())('GET', '/v1/messages?limit=0&lane=fast&x=1')
  const paths = answer.json().details.map(({ path }: { path: string }) => path)
  assert.deepEqual(paths.toSorted(), ['/lane', '/limit', '/x'])
})

test('answers thousands of unknown fields briefly', async () => {
  await using api = await openFixture(world)
  const call = await api.caller()
  for (const length of [48, 49, 50, 51, 4000]) {
    const many = Object.fromEntries(Array.from({ length }, (_, n) => [`f${n}`, n]))
    const answer = await call('POST', '/v1/sms/send', { ...KEYED, to: 1, message: 7, ...many })
    check(answer, 'VALIDATION_ERROR')
    assert.ok(answer.json().details.length <= 52)
    assert.ok(answer.json().details.some(({ path }: { path: string }) => path === '/message'))
  }
})

test('a body that is not UTF-8 is VALIDATION_ERROR', async () => {
  await using api = await openFixture(world)
  const body = Buffer.concat([Buffer.from('{"to":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')])
  check(await (await api.caller())('POST', '/v1/sms/send', body, JSON_TYPE), 'VALIDATION_ERROR')
})

test('an unreachable log is UNAVAILABLE with Retry-After', async () => {
  await using api = await openFixture(world, { log: failing(new Unavailable('disk full at /var/lib/x')) })
  const answer = await (await api.caller())('POST', '/v1/sms/send', KEYED)
  check(answer, 'UNAVAILABLE')
  assert.equal(answer.headers['retry-after'], '1')
  assert.equal(answer.json().retry_after, 1)
  assert.ok(!answer.body.includes('disk'))
})

test('an unexpected error is a bare INTERNAL_ERROR, logged with its stack', async () => {
  await using api = await openFixture(world, { log: failing(new TypeError('undefined is not a secret')) })
  const answer = await (await api.caller())('POST', '/v1/sms/send', KEYED)
  check(answer, 'INTERNAL_ERROR')
  assert.ok(!answer.body.includes('secret'))
  const line = api.lines.find(({ msg }) => msg === 'request failed')
  assert.equal(line?.['http_request_id'], answer.json().http_request_id)
  assert.match(JSON.stringify(line?.['err']), /"stack":.*problem\.test\.ts/)
})

for (const [name, bytes, status, code] of [
  ['what is no HTTP', 'HELLO\r\n\r\n', 400, 'VALIDATION_ERROR'],
  ['headers beyond measure', `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'HEADERS_TOO_LARGE'],
  [
    'two lengths for one body',
    'POST / HTTP/1.1\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n',
    400,
    'VALIDATION_ERROR',
  ],
] as const) {
  test(`on a raw connection ${name} is ${code}, and the process survives`, async () => {
    await using api = await openFixture(world)
    const [head = '', body = ''] = (await exchange(api.app, bytes)).split('\r\n\r\n')
    assert.match(head, new RegExp(`^HTTP/1.1 ${status} `))
    assert.match(head, /content-type: application\/problem\+json/i)
    assert.equal(JSON.parse(body).error_code, code)
    assert.equal((await api.app.inject('/health/live')).statusCode, 200)
  })
}

test('cuts off a chunked body at the limit', async () => {
  await using api = await openFixture(world)
  const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`
  const answer = await exchange(
    api.app,
    `POST /v1/sms/send HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${await api.token()}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n${chunk}${chunk}`,
  )
  assert.match(answer, /^HTTP\/1.1 413 /)
})

test('a caller that disconnects mid-body is not logged as an error', async () => {
  await using api = await openFixture(world)
  await api.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = api.app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  const head = ['host: x', `authorization: Bearer ${await api.token()}`, 'content-type: application/json']
  // With a cached token the body is read at once.
  await (await api.caller())('GET', '/v1/messages')
  socket.write(`POST /v1/sms/send HTTP/1.1\r\n${head.join('\r\n')}\r\ncontent-length: 1000\r\n\r\n{`)
  await once(api.app.server, 'request')
  socket.destroy()
  const line = await until('the log line', () => api.lines.find(({ msg }) => msg === 'request refused'))
  assert.deepEqual([line['level'], line['error_code']], [20, 'VALIDATION_ERROR'])
  assert.ok(!api.lines.some(({ level }) => Number(level) >= 40))
})

/** Everything received on a raw connection until it closes. */
async function exchange(app: Awaited<ReturnType<typeof openFixture>>['app'], bytes: string): Promise<string> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const address = app.server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const socket = connect(address.port, '127.0.0.1').setEncoding('utf8')
  socket.write(bytes)
  let text = ''
  socket.on('data', (more) => {
    text += more
  })
  await once(socket, 'close')
  return text
}
