import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newPrefix, openOwnNats, shareNats } from '../../../test/support/nats-server.ts'
import type { MessageId } from '../../domain/ids.ts'
import type { Receipt } from '../../ports/provider.ts'
import type { Applied } from '../../ports/receipt-forwarding.ts'
import { openNats as connect } from './connection.ts'
import { natsReceiptForwarding } from './receipt-forwarding.ts'
import { namesFor } from './subjects.ts'

const { url } = await shareNats()
const WORKER = 'c0ffee0123456789'

const receipt = (reportId: string): Receipt => ({
  ref: { messageId: `message-${reportId}` as MessageId, cycle: 1, attempt: 1 },
  providerMessageId: 'p1',
  state: 'delivered',
  reportId,
})

/** Two processes: one receives callbacks, the other has made the attempts. */
async function openPair(at = url, timeoutMs = 30_000) {
  await using opened = new AsyncDisposableStack()
  const names = namesFor(newPrefix(), 1)
  const [api, worker] = [opened.use(await connect({ url: at })), opened.use(await connect({ url: at }))]
  const closing = opened.move()
  return {
    names,
    api,
    worker,
    sender: natsReceiptForwarding({ connection: api, names, timeoutMs }),
    receiver: natsReceiptForwarding({ connection: worker, names }),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

describe('receipts for another process', { timeout: 60_000 }, () => {
  test('are applied there, and answered as they were applied', async () => {
    await using pair = await openPair()
    const seen: Receipt[] = []
    pair.receiver.serve(WORKER, async (one) => {
      seen.push(one)
      return one.reportId === 'stranger' ? 'unmatched' : 'applied'
    })
    await pair.worker.request('$JS.API.INFO', '')
    const given = ['one', 'stranger', 'two'].map(receipt)
    const answers = await Promise.all(given.map((one) => pair.sender.forward(WORKER, one)))
    assert.deepEqual(answers, ['applied', 'unmatched', 'applied'])
    assert.deepEqual(seen, given)
  })

  test('travel together, but not without bound', async () => {
    await using pair = await openPair()
    let requests = 0
    pair.api.subscribe(pair.names.forwarded(WORKER), () => {
      requests += 1
    })
    pair.receiver.serve(WORKER, async () => 'applied')
    await Promise.all([pair.worker.request('$JS.API.INFO', ''), pair.api.request('$JS.API.INFO', '')])
    const given = Array.from({ length: 300 }, (_, n) => receipt(`${n}`))
    const answers = await Promise.all(given.map((one) => pair.sender.forward(WORKER, one)))
    assert.deepEqual(new Set(answers), new Set(['applied']))
    assert.equal(requests, 2)
  })

  test('are left to the sender at once when the worker is gone', async () => {
    await using pair = await openPair()
    await using _ = pair.receiver.serve(WORKER, async () => 'applied')
    await pair.worker.request('$JS.API.INFO', '')
    assert.equal(await pair.sender.forward(WORKER, receipt('before')), 'applied')
    await pair.worker[Symbol.asyncDispose]()
    assert.equal(await pair.sender.forward(WORKER, receipt('after')), undefined)
    assert.equal(await pair.sender.forward('another', receipt('never')), undefined)
  })

  test('are left to the sender when the worker does not answer in time', async () => {
    await using pair = await openPair(url, 50)
    const { promise: never } = Promise.withResolvers<Applied>()
    pair.receiver.serve(WORKER, () => never)
    await pair.worker.request('$JS.API.INFO', '')
    assert.equal(await pair.sender.forward(WORKER, receipt('late')), undefined)
  })

  test('are left to the sender when they fail, and only those', async () => {
    await using pair = await openPair()
    pair.receiver.serve(WORKER, async ({ reportId }) => {
      if (reportId === 'bad') throw new Error('the log is full')
      return 'applied'
    })
    await pair.worker.request('$JS.API.INFO', '')
    const answers = await Promise.all(['good', 'bad'].map((one) => pair.sender.forward(WORKER, receipt(one))))
    assert.deepEqual(answers, ['applied', undefined])
  })

  test('are left to the sender when the callback names no worker of ours', async () => {
    await using pair = await openPair()
    pair.receiver.serve(WORKER, async () => 'applied')
    for (const name of ['', '*', '>', 'a.b', 'a b', 'C0FFEE', 'f'.repeat(33)]) {
      assert.equal(await pair.sender.forward(name, receipt('odd')), undefined)
    }
  })

  test('are left to the sender while the broker is away', async () => {
    await using broker = await openOwnNats()
    await using pair = await openPair(broker.url)
    pair.receiver.serve(WORKER, async () => 'applied')
    await broker.faults.kill()
    assert.equal(await pair.sender.forward(WORKER, receipt('lost')), undefined)
  })
})
