import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { toHmac } from './hmac.ts'

const reference = (key: Uint8Array, data: Uint8Array): Buffer => createHmac('sha256', key).update(data).digest()

test('the keyed hash of any data under any key is the one Node makes', () => {
  const key = fc.uint8Array({ maxLength: 200 })
  const data = fc.uint8Array({ maxLength: 500 })
  fc.assert(fc.property(key, data, (key, data) => assert.deepEqual(toHmac(key)(data), reference(key, data))))
})

test('a key is taken as it is up to the length of a block, and hashed beyond', () => {
  for (const length of [0, 63, 64, 65]) {
    const key = Buffer.alloc(length, 7)
    assert.deepEqual(toHmac(key)(Buffer.from('data')), reference(key, Buffer.from('data')), `${length} bytes`)
  }
})

test('parts are hashed as if they were one', () => {
  const parts = fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 5 })
  fc.assert(
    fc.property(fc.uint8Array(), parts, (key, parts) => {
      assert.deepEqual(toHmac(key)(...parts), reference(key, Buffer.concat(parts)))
    }),
  )
})

test('one hash leaves nothing behind that would change the next', () => {
  const hmac = toHmac(Buffer.from('key'))
  const first = hmac(Buffer.from('one'))
  const copy = Buffer.from(first)
  hmac(Buffer.from('two'))
  assert.deepEqual(first, copy)
  assert.deepEqual(hmac(Buffer.from('one')), copy)
})
