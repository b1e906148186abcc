import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js'
import type { Send } from './gateway.ts'
import { openServer } from './server.ts'

/** A client of a server whose gateway answers like this. */
async function connect(send: Send) {
  const faults: unknown[] = []
  const shared = {
    version: '1.2.3',
    isSendAllowed: false,
    keyOf: () => 'key',
    onFault: (error: unknown) => faults.push(error),
  }
  const server = openServer(shared, send, { scopes: new Set(['messages:read']), isTest: false })
  const client = new Client({ name: 'test', version: '1' })
  const [here, there] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(here), client.connect(there)])
  return { client, faults }
}

const json =
  (body: unknown): Send =>
  async () =>
    new Response(JSON.stringify(body))

describe('the server of a client', () => {
  test('says what it is', async () => {
    const { client } = await connect(json({}))
    assert.deepEqual(client.getServerVersion(), { name: 'pombo', title: 'Pombo', version: '1.2.3' })
  })

  test('passes on no field that it does not know', async () => {
    const route = { id: 'default', source: 'file', channel: 'sms', secret: 'hunter2' }
    const { client } = await connect(json({ provider: null, route, candidates: [], excluded: [], body: 'hunter2' }))
    const result = await client.callTool({ name: 'resolve_route', arguments: { to: '+15005550100' } })
    assert.equal(result.isError, undefined)
    assert.doesNotMatch(JSON.stringify(result), /hunter2/)
  })

  test('reports a fault to its log, and tells the model nothing of it', async () => {
    const { client, faults } = await connect(json({ items: 'hunter2' }))
    const result = await client.callTool({ name: 'get_provider_health', arguments: {} })
    assert.deepEqual(result, {
      content: [{ type: 'text', text: 'This server failed; its log has the reason.' }],
      isError: true,
    })
    assert.equal(faults.length, 1)
  })

  test('ends the call of the gateway when the client cancels', async () => {
    const called = Promise.withResolvers<AbortSignal | undefined>()
    const { client, faults } = await connect(async (_method, _path, { signal }) => {
      called.resolve(signal)
      return await new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
    })
    const cancel = new AbortController()
    const call = client.callTool({ name: 'get_provider_health', arguments: {} }, undefined, { signal: cancel.signal })
    const signal = await called.promise
    cancel.abort('enough')
    await assert.rejects(call, /enough/)
    await new Promise((resolve) => (signal?.aborted === true ? resolve(0) : signal?.addEventListener('abort', resolve)))
    assert.deepEqual(faults, [])
  })
})
