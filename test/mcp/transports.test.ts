/** What `pombo mcp` does on its two transports, apart from what the tools do. */
import assert from 'node:assert/strict'
import { request, type ServerResponse } from 'node:http'
import { describe, test } from 'node:test'
import { openTestGateway } from '../../src/cli/test-world.ts'
import { ROOT, runPombo, startProgram } from '../support/command.ts'
import { freshNumber, inboxOf, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { openSite, startHttp, YES } from './mcp-site.fixture.ts'

const site = await openSite()
const key = await site.keyFor(['sms:send', 'messages:read'])
const http = await startHttp(site.gateway.url, ['--allowed-host', 'mcp.example.com'])

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  authorization: `Bearer ${key}`,
}

describe('standard input', () => {
  /** Runs `pombo mcp` on these lines until it ends by itself. */
  const run = (lines: readonly string[]) => {
    const shell = `printf '%s\\n' "$@" | "${process.execPath}" "${ROOT}/src/main.ts" mcp`
    const env = { POMBO_URL: site.gateway.url, POMBO_TOKEN: key }
    return startProgram('/bin/sh', ['-c', shell, 'sh', ...lines], { env }).ended
  }

  test('is answered with nothing but the protocol, until it ends', async () => {
    const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
    const call = { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'get_provider_health', arguments: {} } }
    const { code, out } = await run([INITIALIZE, initialized, call].map((line) => JSON.stringify(line)))
    const answers = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { id: number; result: object })
    assert.deepEqual([code, answers.map(({ id }) => id)], [0, [1, 2]])
    assert.match(JSON.stringify(answers[1]), /simulator/)
  })

  test('may contain nonsense', async () => {
    const { code, out } = await run(['nonsense', '{"jsonrpc":"2.0"}', '[]', JSON.stringify(INITIALIZE)])
    assert.equal(code, 0)
    assert.match(out, /"id":1/)
  })
})

describe('HTTP', () => {
  type Sent = Readonly<{ status: number; text: string; session: string | undefined }>

  /** As a browser or a script would send it; `fetch` does not let us choose the host. */
  const post = (
    headers: Readonly<Record<string, string>>,
    body: unknown = INITIALIZE,
    method = 'POST',
    path = '/mcp',
  ) =>
    new Promise<Sent>((resolve, reject) => {
      const { hostname, port } = new URL(http.url)
      const sent = request({ hostname, port, path, method, headers: { ...HEADERS, ...headers } }, async (response) => {
        const session = response.headers['mcp-session-id']
        const text = Buffer.concat(await Array.fromAsync(response).catch(() => [])).toString()
        resolve({ status: response.statusCode ?? 0, text, session: typeof session === 'string' ? session : undefined })
      })
      sent.once('error', reject)
      sent.end(typeof body === 'string' ? body : JSON.stringify(body))
    })

  test('asks the person through the same connection on which the tool was called', async () => {
    await using assistant = await http.connect(key, YES)
    const { data } = await assistant.call('send_sms', { to: freshNumber(), message: 'Hello' })
    await untilStatus(site.gateway, String(data['id']), 'delivered')
  })

  test('outlives clients that go away while a person is asked, and sends nothing', async () => {
    const to = freshNumber()
    const asked = Promise.withResolvers<void>()
    const leaving = await http.connect(key, () => {
      asked.resolve()
      return { action: 'decline' }
    })
    const transport = leaving.client.transport
    const calling = leaving.call('send_sms', { to, message: 'Hello' })
    await Promise.all([asked.promise.then(() => transport?.close()), assert.rejects(calling)])
    await using other = await http.connect(key)
    assert.equal((await other.call('get_provider_health')).isError, false)
    assert.deepEqual(await inboxOf(site.gateway, to), [])
  })

  test('refuses web pages of other sites, and names that are not its own', async () => {
    const refused = async (headers: Record<string, string>) => (await post(headers)).status
    assert.equal(await refused({ origin: 'https://evil.example' }), 403)
    assert.equal(await refused({ origin: 'null' }), 403)
    assert.equal(await refused({ host: 'evil.example' }), 403)
    assert.equal(await refused({ host: 'evil.example:8095', origin: 'http://evil.example:8095' }), 403)
    assert.equal(await refused({ host: 'mcp.example.com' }), 200)
    assert.equal(await refused({ host: 'localhost:1', origin: 'http://localhost:6274' }), 200)
  })

  test('refuses other paths, methods, types and large bodies', async () => {
    assert.equal((await post({}, INITIALIZE, 'POST', '/')).status, 404)
    assert.equal((await post({}, '', 'PUT')).status, 405)
    assert.equal((await post({ 'content-type': 'text/plain' })).status, 415)
    assert.equal((await post({}, 'not json')).status, 400)
    assert.equal((await post({ 'content-length': String(3 * 1024 * 1024) }, 'x'.repeat(3 * 1024 * 1024))).status, 413)
  })

  test('binds a session to the key that opened it', async () => {
    const { session = '' } = await post({})
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' }
    const mine = await post({ 'mcp-session-id': session }, list)
    assert.deepEqual([mine.status, /find_messages/.test(mine.text)], [200, true])
    const other = `Bearer ${await site.keyFor(['messages:read'])}`
    assert.equal((await post({ 'mcp-session-id': session, authorization: other }, list)).status, 404)
    assert.equal((await post({ 'mcp-session-id': 'no-such-session' }, list)).status, 404)
    assert.equal((await post({}, list)).status, 400)
    assert.equal((await post({ 'mcp-session-id': session }, '', 'DELETE')).status, 200)
    assert.equal((await post({ 'mcp-session-id': session }, list)).status, 404)
  })

  test('ends gracefully, with the answers to what is in progress', async () => {
    const asked = Promise.withResolvers<ServerResponse>()
    await using slow = await openTestGateway(({ path }, response) => {
      if (path === '/v1/session') return { tenant_id: 'demo', scopes: ['messages:read'] }
      asked.resolve(response)
      return undefined
    })
    const own = await startHttp(slow.url)
    const assistant = await own.connect(key)
    const calling = assistant.call('get_provider_health')
    const response = await asked.promise
    const ended = own.command.kill('SIGTERM')
    await until('no new connections', () =>
      fetch(own.url).then(
        () => false,
        () => true,
      ),
    )
    response.setHeader('content-type', 'application/json').end('{"items":[]}')
    assert.deepEqual([(await calling).data, (await ended).code], [{ items: [] }, 0])
  })

  test('says what is wrong with its options', async () => {
    const { port } = new URL(http.url)
    const env = { POMBO_URL: site.gateway.url }
    const [taken, mixed, alone] = await Promise.all([
      runPombo(['mcp', '--http', '--port', port], env),
      runPombo(['mcp', '--http', '--token', 'x'], env),
      runPombo(['mcp', '--port', '8095'], env),
    ])
    assert.deepEqual([taken.code, mixed.code, alone.code], [69, 2, 2])
    assert.match(taken.err, new RegExp(`port ${port} on 127.0.0.1 is in use`))
    assert.match(mixed.err, /every client sends its own API key/)
    assert.match(alone.err, /--port needs --http/)
  })
})
