/** An erasure by recipient survives `kill -9`, reaches every message, and its receipt counts each once. */

import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, describe, test } from 'node:test'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import { openCluster, toGateway } from '../support/cluster.ts'
import { startErasing, untilErased } from '../support/erasures.ts'
import { openFolder } from '../support/folder.ts'
import type { Gateway } from '../support/gateway.ts'
import { RestartableGateway } from '../support/restartable-gateway.ts'
import { runs } from '../support/runs.ts'
import { freshNumber, type Page, search, send, show, untilIndexed } from '../support/sms.ts'
import { until } from '../support/until.ts'

/** `restart` sends SIGKILL and returns the next gateway. */
type Site = Readonly<{ gateway: () => Promise<Gateway>; restart: () => Promise<Gateway> }>

const BATCH = 1_000

/** Concurrent, since each waits for the lease of the killed process. */
describe('an erasure', { concurrency: true, timeout: 170_000 }, () => {
  describe('embedded', onOneFile)
  describe('in a cluster', onCluster)
})

async function onOneFile(): Promise<void> {
  const opened = new AsyncDisposableStack()
  after(() => opened.disposeAsync())
  const folder = opened.use(await openFolder())
  const succession = opened.use(new RestartableGateway({ folder: folder.path }))
  await succession.start()
  const restart = async (): Promise<Gateway> => {
    await succession.kill()
    return succession.start()
  }
  survives({ gateway: () => succession.current(), restart }, runs(1, 5))
}

async function onCluster(): Promise<void> {
  const cluster = await openCluster({ plan: { all: 1 } })
  after(() => cluster[Symbol.asyncDispose]())
  const [member] = cluster.members
  assert.ok(member !== undefined)
  const gateway = async (): Promise<Gateway> => toGateway(cluster, member)
  const restart = async (): Promise<Gateway> => {
    await member.kill('SIGKILL')
    await member.start()
    return gateway()
  }
  survives({ gateway, restart }, 1)
}

function survives(site: Site, batches: number): void {
  test(`of ${batches * BATCH} messages continues after a kill and is complete`, async (t) => {
    const before = await site.gateway()
    const to = freshNumber()
    for (let batch = 0; batch < batches; batch += 1) await sendBatch(before, to)
    const other = await send(before)
    await untilIndexed(before, { withinMs: 60_000 })
    assert.equal(await count(before, to), batches * BATCH)

    const startedAt = performance.now()
    const id = await startErasing(before, to)
    await until('the erasure to be in progress', async () => {
      const { body } = await before.call<{ erased: number }>('GET', `/v1/erasures/${id}`)
      return body.erased >= 100
    })
    const gateway = await site.restart()
    assert.equal(await startErasing(gateway, to), id)
    const { receipt } = await untilErased(gateway, id)
    t.diagnostic(`completed ${Math.round(performance.now() - startedAt)} ms after it was asked for`)
    assert.deepEqual(receipt.messages, { found: batches * BATCH, erased: batches * BATCH, failed: 0 })
    assert.equal(await count(gateway, to), 0)
    assert.equal((await show(gateway, other)).erased, false)
  })
}

async function sendBatch(gateway: Gateway, to: string): Promise<void> {
  const items = Array.from({ length: BATCH }, () => ({
    channel: 'sms',
    to,
    message: 'hi',
    idempotency_key: randomUUID(),
  }))
  const { status, text } = await gateway.call('POST', '/v1/messages/batch', { items })
  assert.equal(status, 200, text)
}

async function count(gateway: Gateway, to: string): Promise<number> {
  let [found, cursor] = [0, undefined as string | undefined]
  do {
    const page: Page = await search(gateway, omitUndefined({ to, limit: '200', cursor }))
    found += page.items.length
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  return found
}
