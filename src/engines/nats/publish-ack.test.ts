import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readSequence } from './publish-ack.ts'

const read = (ack: string) => readSequence(Buffer.from(ack))

test('the sequence of an ordinary acknowledgement is read from its bytes', () => {
  for (const seq of [1, 9, 10, 1_234_567_890, Number.MAX_SAFE_INTEGER]) {
    assert.equal(read(`{"stream":"POMBO_LOG","seq":${seq}}`), seq)
  }
  assert.equal(readSequence(new TextEncoder().encode('{"stream":"A","seq":12}')), 12)
  assert.equal(read('{"stream":"A","domain":"hub","seq":3}'), 3)
})

test('any other answer is left to JSON', () => {
  const others = [
    '{"stream":"A","seq":3,"duplicate":true}',
    '{"stream":"A","seq":3,"domain":"hub"}',
    '{"stream":"A","seq":3,"count":7}',
    '{"stream":"A", "seq": 3}',
    '{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 1"},"stream":"A","seq":0}',
    '{"error":{"code":400,"err_code":10071,"description":"wrong last sequence: 1"},"stream":"A","seq":4}',
    '{"stream":"A","seq":0}',
    '{"stream":"A","seq":}',
    '{}',
    '3}',
    '',
  ]
  for (const other of others) assert.equal(read(other), undefined, other)
})
