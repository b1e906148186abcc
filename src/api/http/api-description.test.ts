import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { after, describe, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { until } from '../../../test/support/until.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openFixture } from '../server.fixture.ts'

const open = () => openFixture({ openEngine: openMemoryEngine, ids: openIds() })
const api = await open()
after(() => api[Symbol.asyncDispose]())
const get = (url: string, headers: Readonly<Record<string, string>> = {}) => api.app.inject({ url, headers })

describe('the API description', () => {
  test('is JSON, also below the page that shows it, and YAML', async () => {
    const [document, ofPage, yaml] = [await get('/openapi.json'), await get('/docs/json'), await get('/docs/yaml')]
    assert.equal(document.headers['content-type'], 'application/json; charset=utf-8')
    assert.deepEqual(document.json(), JSON.parse(JSON.stringify(api.app.swagger())))
    assert.equal(ofPage.body, document.body)
    assert.equal(yaml.headers['content-type'], 'application/x-yaml')
    assert.equal(yaml.body, api.app.swagger({ yaml: true }))
  })

  for (const url of ['/openapi.json', '/docs/json', '/docs/yaml']) {
    test(`${url} is written once for all callers`, async (t) => {
      await get(url)
      const write = t.mock.method(JSON, 'stringify')
      const swagger = t.mock.method(api.app, 'swagger')
      for (let nth = 0; nth < 3; nth += 1) assert.equal((await get(url)).statusCode, 200)
      assert.equal(write.mock.callCount() + swagger.mock.callCount(), 0)
    })

    test(`${url} is compressed for callers who accept that`, async () => {
      const [plain, compressed] = [await get(url), await get(url, { 'accept-encoding': 'br, gzip' })]
      assert.equal(compressed.headers['content-encoding'], 'gzip')
      assert.ok(gunzipSync(compressed.rawPayload).equals(plain.rawPayload))
      assert.ok(compressed.rawPayload.length < plain.rawPayload.length / 5)
      for (const { headers } of [plain, compressed]) assert.equal(headers['vary'], 'accept-encoding')
      const refused = await get(url, { 'accept-encoding': 'gzip;q=0' })
      assert.equal(refused.headers['content-encoding'], undefined)
    })

    test(`${url} is 304 for callers who have it`, async () => {
      const etag = String((await get(url)).headers['etag'])
      for (const known of [etag, `"other", ${etag}`, '*']) {
        const answer = await get(url, { 'if-none-match': known })
        assert.deepEqual([answer.statusCode, answer.body], [304, ''])
      }
      assert.equal((await get(url, { 'if-none-match': '"other"' })).statusCode, 200)
    })
  }
})

test('callers who do not read what they asked for are disconnected after half a minute', async () => {
  for (const url of ['/openapi.json', '/docs/yaml', '/docs/json']) {
    await using api = await open()
    await api.app.listen({ port: 0, host: '127.0.0.1' })
    const { port } = api.app.server.address() as AddressInfo
    const [[served], caller] = await Promise.all([once(api.app.server, 'connection'), connectTo(port)])
    // More than the operating system buffers.
    caller.write(`GET ${url} HTTP/1.1\r\nhost: pombo\r\n\r\n`.repeat(30))
    await until('it to wait for the caller', () => served.writableNeedDrain)
    assert.equal(served.timeout, 30_000)
    served.emit('timeout')
    assert.ok(served.destroyed, url)
    caller.destroy()
  }
})

async function connectTo(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').pause()
  await once(socket, 'connect')
  return socket
}
