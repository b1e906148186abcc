import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, test } from 'node:test'
import { connect } from '@nats-io/transport-node'
import { openNats } from './nats-server.ts'
import { findTool } from './tools.ts'

const ANSWER_WITHIN_MS = 30_000

/** Calls the JetStream API. */
async function ask(url: string, path: string, body: object = {}): Promise<{ config?: object; error?: object }> {
  await using driver = await connect({ servers: url.split(',') })
  return (await driver.request(`$JS.API.${path}`, JSON.stringify(body), { timeout: ANSWER_WITHIN_MS })).json()
}

describe('NATS for tests', { timeout: 180_000 }, () => {
  test('is ready when opened, keeps its streams across a restart, and removes its files when closed', async () => {
    const server = await openNats({ syncInterval: 'always' })
    const { url, faults } = server
    assert.ok(faults !== undefined)
    assert.ok((await ask(url, 'STREAM.CREATE.KEPT', { name: 'KEPT', subjects: ['kept'] })).config)
    await faults.kill()
    await assert.rejects(ask(url, 'STREAM.INFO.KEPT'))
    await faults.restart()
    assert.ok((await ask(url, 'STREAM.INFO.KEPT')).config)
    await faults.stop()
    await faults.restart()
    assert.ok((await ask(url, 'STREAM.INFO.KEPT')).config)
    const [folder = ''] = faults.folders
    assert.ok(existsSync(folder))
    await server[Symbol.asyncDispose]()
    assert.ok(!existsSync(folder))
  })

  test('can form a cluster', async () => {
    await using server = await openNats({ nodes: 3 })
    assert.equal(server.url.split(',').length, 3)
    const made = await ask(server.url, 'STREAM.CREATE.THREE', { name: 'THREE', subjects: ['three'], num_replicas: 3 })
    assert.ok(made.config, JSON.stringify(made))
  })
})

test('a missing tool is not found', () => {
  assert.ok(findTool('nats-server') !== undefined)
  const found = findTool('kubectl', '/nowhere')
  assert.ok(found === undefined || existsSync(found))
})
