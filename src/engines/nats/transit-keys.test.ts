import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newPrefix, openOwnNats, shareNats } from '../../../test/support/nats-server.ts'
import { until } from '../../../test/support/until.ts'
import type { MessageId } from '../../domain/ids.ts'
import { openNats as connect } from './connection.ts'
import { namesFor } from './subjects.ts'
import { TransitKeys, type TransitKeysOptions } from './transit-keys.ts'

const { url } = await shareNats()
const ID = 'm1' as MessageId
const PLAIN = Buffer.from('Your code is 4711')
const text = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString()

/** The process that accepts messages, and one that sends them. */
async function openPair(options: Partial<TransitKeysOptions> = {}, at = url) {
  await using opened = new AsyncDisposableStack()
  const names = namesFor(newPrefix(), 1)
  const [api, worker] = [opened.use(await connect({ url: at })), opened.use(await connect({ url: at }))]
  const sender = opened.use(new TransitKeys({ connection: api, names, ...options }))
  const receiver = opened.use(new TransitKeys({ connection: worker, names, ...options }))
  await api.request('$JS.API.INFO', '')
  const closing = opened.move()
  return { names, api, worker, sender, receiver, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

describe('transit keys', { timeout: 60_000 }, () => {
  test('open in any process what one has sealed', async () => {
    await using pair = await openPair()
    const sealed = pair.sender.seal(ID, PLAIN)
    assert.ok(!Buffer.from(sealed.bytes).includes(PLAIN))
    assert.equal(text(await pair.receiver.open(ID, sealed)), text(PLAIN))
    const known = pair.receiver.open(ID, pair.sender.seal(ID, PLAIN))
    assert.ok(!(known instanceof Promise))
    assert.equal(text(known), text(PLAIN))
    const own = pair.sender.open(ID, sealed)
    assert.ok(!(own instanceof Promise))
    assert.equal(text(own), text(PLAIN))
  })

  test('never seal two contents alike', async () => {
    await using pair = await openPair()
    const sealed = Array.from({ length: 1_000 }, () => Buffer.from(pair.sender.seal(ID, PLAIN).bytes).toString('hex'))
    assert.equal(new Set(sealed).size, sealed.length)
  })

  test('are asked for once, however many jobs came with them', async () => {
    await using pair = await openPair()
    let requests = 0
    pair.worker.subscribe(`${pair.names.transitKey('*')}`, () => {
      requests += 1
    })
    await pair.worker.request('$JS.API.INFO', '')
    const jobs = Array.from({ length: 100 }, () => pair.sender.seal(ID, PLAIN))
    const opened = await Promise.all(jobs.map((sealed) => pair.receiver.open(ID, sealed)))
    assert.deepEqual(new Set(opened.map(text)), new Set([text(PLAIN)]))
    assert.equal(requests, 1)
  })

  test('open nothing under the id of another message, nor what was damaged', async () => {
    await using pair = await openPair()
    const sealed = pair.sender.seal(ID, PLAIN)
    assert.equal(await pair.receiver.open('m2' as MessageId, sealed), undefined)
    const bytes = Buffer.from(sealed.bytes)
    bytes[20] = (bytes[20] ?? 0) ^ 1
    assert.equal(await pair.receiver.open(ID, { ...sealed, bytes }), undefined)
    assert.equal(await pair.receiver.open(ID, { ...sealed, bytes: bytes.subarray(0, 9) }), undefined)
  })

  test('end with the process that made them', async () => {
    await using pair = await openPair()
    const [early, late] = [pair.sender.seal(ID, PLAIN), { keyName: 'another.1', bytes: PLAIN }]
    await pair.api[Symbol.asyncDispose]()
    assert.equal(await pair.receiver.open(ID, early), undefined)
    assert.equal(await pair.receiver.open(ID, late), undefined)
  })

  test('change, and are forgotten everywhere', async () => {
    await using pair = await openPair({ usedForMs: 40, keptForMs: 80 })
    const first = pair.sender.seal(ID, PLAIN)
    assert.equal(text(await pair.receiver.open(ID, first)), text(PLAIN))
    await until('another key', () => pair.sender.seal(ID, PLAIN).keyName !== first.keyName)
    await until('the first to be forgotten', async () => (await pair.sender.open(ID, first)) === undefined)
    await until('it to be forgotten by the worker', async () => (await pair.receiver.open(ID, first)) === undefined)
    assert.equal(text(await pair.receiver.open(ID, pair.sender.seal(ID, PLAIN))), text(PLAIN))
  })

  test('cannot be had while the broker is away', async () => {
    await using broker = await openOwnNats()
    await using pair = await openPair({}, broker.url)
    const sealed = pair.sender.seal(ID, PLAIN)
    await broker.faults.kill()
    assert.equal(await pair.receiver.open(ID, sealed), undefined)
  })
})
