import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seconds } from '../../lib/time.ts'
import { SendQueue } from './send-queue.ts'

const IDLE = new AbortController().signal

test('mails go in the order they came, and each waits for the recipients of those before it', async () => {
  using turns = new SendQueue(20)
  const began = performance.now()
  const order: number[] = []
  const go = async (name: number, recipients: number) => {
    assert.equal(await turns.take(recipients, IDLE), true)
    order.push(name)
  }
  await Promise.all([go(1, 10), go(2, 1), go(3, 1)])
  assert.deepEqual(order, [1, 2, 3])
  // Two may go at once, and the other ten at 20 a second.
  assert.ok(performance.now() - began >= 490, 'ten recipients take half a second')
})

test('whoever has no more time leaves the line, and the others move up', async () => {
  using turns = new SendQueue(1)
  assert.equal(await turns.take(1, IDLE), true)
  const impatience = new AbortController()
  const left = turns.take(1_000, impatience.signal)
  const next = turns.take(1, AbortSignal.timeout(20_000))
  impatience.abort()
  assert.equal(await left, false)
  assert.equal(await next, true)
  assert.equal(await turns.take(1, AbortSignal.abort()), false)
})

test('after SES found it too fast nobody goes for as long as it asked', async () => {
  using turns = new SendQueue(1_000)
  turns.throttle(seconds(60))
  const impatience = new AbortController()
  const waiting = turns.take(1, impatience.signal)
  impatience.abort()
  assert.equal(await waiting, false)
})

test('nobody waits for a turn at what is closed', async () => {
  const turns = new SendQueue(1)
  await turns.take(1, IDLE)
  const waiting = turns.take(1, IDLE)
  turns[Symbol.dispose]()
  assert.equal(await waiting, false)
})
