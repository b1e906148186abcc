import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { newPrefix, openNats as openServer } from '../../../test/support/nats-server.ts'
import { openNats } from './connection.ts'
import { ifLast, JetStream, JetStreamError } from './jetstream.ts'

async function openStream(config: object = {}) {
  await using opened = new AsyncDisposableStack()
  const server = opened.use(await openServer())
  const js = new JetStream(opened.use(await openNats({ url: server.url })), 1)
  const name = newPrefix()
  await js.api(`STREAM.CREATE.${name}`, { name, subjects: [`${name}.>`], allow_direct: true, ...config })
  opened.defer(async () => void (await js.api(`STREAM.DELETE.${name}`)))
  const closing = opened.move()
  return { js, name, subject: `${name}.a`, [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

describe('a publish', { timeout: 60_000 }, () => {
  test('returns the sequence, and keeps the payload', async () => {
    await using stream = await openStream()
    const { js, name, subject } = stream
    const payloads = ['', 'text', Buffer.from([0, 13, 10, 255])]
    assert.deepEqual(await Promise.all(payloads.map((payload) => js.publish(subject, payload))), [1, 2, 3])
    const stored = await Promise.all([1, 2, 3].map((seq) => js.get(name, { seq })))
    assert.deepEqual(
      stored.map((message) => Buffer.from(message?.data ?? [])),
      payloads.map((payload) => Buffer.from(payload)),
    )
  })

  test('returns undefined when its expectation does not hold', async () => {
    await using stream = await openStream()
    const { js, subject } = stream
    const answers = [js.publish(subject, '1', ifLast(0)), js.publish(subject, '2', ifLast(0)), js.publish(subject, '3')]
    assert.deepEqual(await Promise.all(answers), [1, undefined, 2])
    assert.equal(await js.publish(subject, '4', ifLast(2, subject)), 3)
  })

  test('returns the first sequence for a duplicate', async () => {
    await using stream = await openStream()
    const { js, subject } = stream
    const publish = () => js.publish(subject, '', { 'Nats-Msg-Id': 'same' })
    assert.deepEqual([await publish(), await publish(), await js.publish(subject, '')], [1, 1, 2])
  })

  test('rejects with what the stream objects to', async () => {
    await using stream = await openStream({ max_msg_size: 10 })
    await assert.rejects(stream.js.publish(stream.subject, 'more than ten bytes'), (error) => {
      assert.ok(error instanceof JetStreamError)
      assert.equal(error.code, 10054)
      return true
    })
  })
})
