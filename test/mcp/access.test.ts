/** A client may do what its API key may, and is told what is wrong with a key that is not accepted. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { runPombo } from '../support/command.ts'
import { openFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { dataDirOf, startGateway } from '../support/gateway.ts'
import { send } from '../support/sms.ts'
import { connect, httpTransport, openSite, startHttp, startStdio } from './mcp-site.fixture.ts'

const site = await openSite()
const http = await startHttp(site.gateway.url)

const toolsOf = async (client: Client): Promise<string[]> => (await client.listTools()).tools.map(({ name }) => name)

describe('the tools of a client', () => {
  const READING = [
    ...['find_messages', 'get_message', 'explain_message', 'list_dead_letters'],
    ...['resolve_route', 'get_provider_health', 'get_statistics', 'preview_template'],
  ]
  const ALL = [
    ...READING,
    ...[
      'get_message_content',
      'replay_dead_letter',
      'preflight_message',
      'send_test_message',
      'send_sms',
      'send_email',
    ],
  ]
  for (const [scopes, expected] of [
    [['messages:read'], READING],
    [['sms:send'], ['preflight_message', 'send_test_message', 'send_sms']],
    [
      ['email:send', 'messages:write'],
      ['preflight_message', 'send_test_message', 'send_email', 'replay_dead_letter'],
    ],
    [['content:read'], ['get_message_content']],
    [['admin'], ALL],
    [['otp'], []],
  ] as const) {
    test(`with the scopes ${scopes.join(' and ')} are ${expected.length}`, async () => {
      await using assistant = await http.connect(await site.keyFor(scopes))
      assert.deepEqual((await toolsOf(assistant.client)).toSorted(), expected.toSorted())
      const canRead = scopes.some((scope) => ['messages:read', 'admin'].includes(scope))
      assert.equal(assistant.client.getServerCapabilities()?.resources !== undefined, canRead)
      const { isError, text } = await assistant.call('delete_everything')
      assert.deepEqual([isError, /not found/.test(text)], [true, true])
    })
  }

  test('are refused by the gateway as well: a key of another tenant finds nothing', async () => {
    const id = await send(site.gateway)
    const other = await site.gateway.call<{ key: string }>(
      'POST',
      '/v1/api-keys',
      { name: 'other', scopes: ['messages:read'] },
      { 'pombo-tenant': await newTenant() },
    )
    await using assistant = await http.connect(other.body.key)
    const { isError, text } = await assistant.call('get_message', { id })
    assert.deepEqual([isError, /404 NOT_FOUND/.test(text)], [true, true])
  })
})

async function newTenant(): Promise<string> {
  const { status, text } = await site.gateway.call('POST', '/v1/tenants', { id: 'other', name: 'Other' })
  assert.equal(status, 201, text)
  return 'other'
}

test('a key that is bound to networks is bound to those of the client, not of the MCP server', async () => {
  const key = await site.keyFor(['messages:read'], { networks: ['203.0.113.0/24'] })
  const from = (address: string) => connect(httpTransport(http.url, key, { 'x-forwarded-for': address }))
  await using assistant = await from('203.0.113.9')
  assert.ok((await toolsOf(assistant.client)).length > 0)
  await assert.rejects(from('198.51.100.9'), { code: 401 })
  await assert.rejects(http.connect(key), { code: 401 })
})

describe('a key that is not accepted', () => {
  const wrong = 'pk_live_000000000000_0000000000000000000000000000000000000000000'

  test('is answered 401 over HTTP, and so is no key at all', async () => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
    const post = (more: object) => fetch(http.url, { method: 'POST', headers: { ...headers, ...more }, body: '{}' })
    const none = await post({})
    assert.deepEqual([none.status, none.headers.get('www-authenticate')], [401, 'Bearer realm="pombo"'])
    const bad = await post({ authorization: `Bearer ${wrong}` })
    assert.deepEqual(
      [bad.status, bad.headers.get('www-authenticate')],
      [401, 'Bearer realm="pombo", error="invalid_token"'],
    )
    await assert.rejects(connect(httpTransport(http.url, wrong)), { code: 401 })
  })

  test('ends a server on standard input, which says why', async () => {
    const { code, err, out } = await runPombo(['mcp'], { POMBO_URL: site.gateway.url, POMBO_TOKEN: wrong })
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /refuses the credentials/)
    assert.ok(!err.includes(wrong))
  })

  test('is reported once it was revoked, over both transports', async () => {
    const key = await site.keyFor(['messages:read'])
    await using local = await site.overStdio({ key })
    await using remote = await http.connect(key)
    const [, id] = /^pk_live_([0-9a-z]+)_/.exec(key) ?? []
    const { status } = await site.gateway.call('DELETE', `/v1/api-keys/${id}`)
    assert.equal(status, 204)
    const { isError, text } = await local.call('find_messages')
    assert.deepEqual([isError, /revoked or expired/.test(text)], [true, true])
    await assert.rejects(remote.call('find_messages'), { code: 401 })
  })
})

describe('without a gateway', () => {
  test('a server on standard input offers everything, and says what is wrong', async () => {
    const url = `http://127.0.0.1:${await freePort()}`
    await using assistant = await connect(startStdio({ POMBO_URL: url, POMBO_TOKEN: 'a-token' }))
    assert.ok((await toolsOf(assistant.client)).includes('find_messages'))
    const { isError, text } = await assistant.call('find_messages')
    assert.deepEqual([isError, text.includes(`no gateway at ${url}`)], [true, true])
    await assert.rejects(assistant.client.readResource({ uri: 'pombo://messages/x' }), /full id/)
  })

  test('a server over HTTP answers 503', async () => {
    const lonely = await startHttp(`http://127.0.0.1:${await freePort()}`)
    await assert.rejects(lonely.connect('a-token'), { code: 503 })
  })
})

test('where the gateway runs, a server without a token may neither read texts nor administer', async () => {
  await using folder = await openFolder()
  await using gateway = await startGateway({ folder: folder.path })
  const env = { POMBO_URL: gateway.url, POMBO_DATA_DIR: dataDirOf(folder.path) }
  await using assistant = await connect(startStdio(env))
  const tools = await toolsOf(assistant.client)
  assert.ok(tools.includes('send_sms') && tools.includes('explain_message') && tools.includes('replay_dead_letter'))
  assert.ok(!tools.includes('get_message_content'))
})
