/** `pombo audit`, against a gateway on a real socket. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openTestGateway, run } from './test-world.ts'

const ENTRY = {
  id: '01978d5e-0000-7000-8000-00000000abcd',
  at: '2030-01-31T12:00:00.000Z',
  tenant_id: 'acme',
  actor: { kind: 'user', id: 'u1', name: 'eva@example.com', tenant_id: null },
  address: '203.0.113.7',
  http_request_id: 'r-1',
  action: 'route.changed',
  target: { kind: 'route', id: 'brazil' },
  before: null,
  after: null,
}
const BREAKER = {
  ...ENTRY,
  tenant_id: null,
  actor: { kind: 'token', id: 'root', name: null, tenant_id: 'ops' },
  action: 'breaker.tripped',
  target: { kind: 'provider', id: '\u001b[31mred' },
}

describe('audit list', () => {
  test('shows a line per entry, without control characters', async () => {
    await using gateway = await openTestGateway(() => ({ items: [BREAKER, ENTRY], next_cursor: null }))
    const { code, out } = await run(['audit', 'list'], gateway)
    assert.equal(code, 0)
    assert.deepEqual(
      out
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
      [
        ['at', 'tenant', 'actor', 'action', 'target', 'address'],
        ['2030-01-31 12:00:00Z', '-', 'token root of ops', 'breaker.tripped', 'provider red', '203.0.113.7'],
        ['2030-01-31 12:00:00Z', 'acme', 'user eva@example.com', 'route.changed', 'route brazil', '203.0.113.7'],
      ],
    )
    await using empty = await openTestGateway(() => ({ items: [], next_cursor: null }))
    assert.equal((await run(['audit', 'list'], empty)).out, 'no entries\n')
  })

  test('passes its filters, and reads page by page up to the limit', async () => {
    await using gateway = await openTestGateway(({ query }) =>
      query.has('cursor') ? { items: [ENTRY], next_cursor: null } : { items: [ENTRY, ENTRY], next_cursor: 'c' },
    )
    const filters = ['--action', 'route.changed', '--actor', 'u1', '--target', 'brazil', '--tenant', 'acme']
    const times = ['--from', '2030-01-01T00:00:00Z', '--to', '2030-02-01T00:00:00Z']
    const { out } = await run(['audit', 'list', '--json', '--limit', '3', ...filters, ...times], gateway)
    assert.deepEqual(
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
      [ENTRY, ENTRY, ENTRY],
    )
    assert.deepEqual(Object.fromEntries(gateway.requests[0]?.query ?? []), {
      tenant_id: 'acme',
      action: 'route.changed',
      actor: 'u1',
      target: 'brazil',
      from: '2030-01-01T00:00:00Z',
      to: '2030-02-01T00:00:00Z',
      limit: '3',
    })
  })
})

describe('audit export', () => {
  test('writes what the gateway sends', async () => {
    await using gateway = await openTestGateway((_request, response) => {
      response.write('id,at\r\n"é')
      response.end('",b\r\n')
    })
    const { code, out } = await run(['audit', 'export', '--format', 'csv', '--tenant', 'acme'], gateway)
    assert.deepEqual([code, out], [0, 'id,at\r\n"é",b\r\n'])
    const [request] = gateway.requests
    assert.deepEqual([request?.path, request?.query.toString()], ['/v1/audit/export', 'tenant_id=acme&format=csv'])
  })

  test('fails when the connection is lost on the way', async () => {
    await using gateway = await openTestGateway((_request, response) => {
      response.write('{}\n', () => response.destroy())
    })
    const { code, err } = await run(['audit', 'export'], gateway)
    assert.equal(code, 69)
    assert.match(err, /the export is incomplete/)
  })

  test('knows its formats and verbs', async () => {
    await using gateway = await openTestGateway(() => ({}))
    for (const argv of [['audit', 'export', '--format', 'xml'], ['audit', 'delete'], ['audit']]) {
      assert.equal((await run(argv, gateway)).code, 2)
    }
    assert.equal(gateway.requests.length, 0)
  })
})
