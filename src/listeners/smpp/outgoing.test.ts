import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Outgoing } from './outgoing.ts'

test('each answer finds its request, once', async () => {
  const outgoing = new Outgoing()
  const sequences: number[] = []
  const [first, second] = [0, 1].map(() => outgoing.send((sequence) => void sequences.push(sequence)))
  assert.deepEqual(sequences, [1, 2])
  outgoing.answer(2, 0x64)
  outgoing.answer(2, 0)
  outgoing.answer(99, 0)
  assert.equal(await second, 0x64)
  assert.equal(outgoing.size, 1)
  outgoing.answer(1, 0)
  assert.equal(await first, 0)
})

test('requests without an answer are given up, the others wait on', async () => {
  const outgoing = new Outgoing()
  const waiting = outgoing.send(() => undefined)
  assert.equal(outgoing.expire(performance.now() - 1_000), false)
  assert.equal(outgoing.expire(performance.now() + 1), true)
  assert.equal(await waiting, undefined)
  const last = outgoing.send(() => undefined)
  outgoing.end()
  assert.deepEqual([await last, outgoing.size], [undefined, 0])
})
