import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { openHmac } from './hmac.ts'

const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex')

/** RFC 4231, section 4; case 5 is truncated to 128 bits. */
const VECTORS: readonly (readonly [key: Uint8Array, data: Uint8Array, digest: string])[] = [
  [Buffer.alloc(20, 0x0b), Buffer.from('Hi There'), 'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7'],
  [
    Buffer.from('Jefe'),
    Buffer.from('what do ya want for nothing?'),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
  ],
  [Buffer.alloc(20, 0xaa), Buffer.alloc(50, 0xdd), '773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe'],
  [
    hex('0102030405060708090a0b0c0d0e0f10111213141516171819'),
    Buffer.alloc(50, 0xcd),
    '82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b',
  ],
  [Buffer.alloc(20, 0x0c), Buffer.from('Test With Truncation'), 'a3b6167473100ee06e0c796c2955552b'],
  [
    Buffer.alloc(131, 0xaa),
    Buffer.from('Test Using Larger Than Block-Size Key - Hash Key First'),
    '60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54',
  ],
  [
    Buffer.alloc(131, 0xaa),
    Buffer.from(
      'This is a test using a larger than block-size key and a larger than block-size data. The key needs to be hashed before being used by the HMAC algorithm.',
    ),
    '9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2',
  ],
]

for (const [index, [key, data, digest]] of VECTORS.entries()) {
  test(`computes test case ${index + 1} of RFC 4231`, () => {
    assert.equal(openHmac(key)(data).toString('hex').slice(0, digest.length), digest)
  })
}

const bytes = fc.uint8Array({ maxLength: 200 })
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 150 }),
  // Any code units, so also halves of surrogate pairs.
  fc.array(fc.nat({ max: 0xffff }), { maxLength: 80 }).map((units) => String.fromCharCode(...units)),
)
const message = fc.array(fc.oneof(bytes, text), { maxLength: 4 })
const expected = (key: Uint8Array, parts: readonly (string | Uint8Array)[]): string =>
  parts.reduce((hmac, part) => hmac.update(part), createHmac('sha256', key)).digest('hex')

test('equals what Node computes, for any key and any messages one after the other', () => {
  fc.assert(
    fc.property(bytes, fc.array(message, { minLength: 1, maxLength: 5 }), (key, messages) => {
      const hmac = openHmac(key)
      for (const parts of messages) assert.equal(hmac(...parts).toString('hex'), expected(key, parts))
    }),
    { numRuns: 1_000 },
  )
})

test('handles every length around the block size and around a short message', () => {
  const key = Buffer.alloc(32, 7)
  const hmac = openHmac(key)
  for (let length = 0; length <= 400; length += 1) {
    const data = Buffer.alloc(length, length)
    assert.equal(hmac(data).toString('hex'), expected(key, [data]))
    assert.equal(openHmac(data)('m').toString('hex'), expected(data, ['m']))
    // Three bytes for each code unit.
    const text = '€'.repeat(length)
    assert.equal(hmac(text).toString('hex'), expected(key, [text]))
  }
})

test('a later call changes neither an earlier result nor depends on the key bytes that were passed', () => {
  const key = Buffer.alloc(32, 1)
  const hmac = openHmac(key)
  const first = hmac('a')
  const copy = Buffer.from(first)
  key.fill(0)
  assert.notDeepEqual(hmac('b'), first)
  assert.deepEqual(first, copy)
  assert.deepEqual(hmac('a'), first)
})
