import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { KEPT_BODY_BYTES, toKeptBody, toKeptHeaders } from './kept-text.ts'

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

test('keeps a short body as it is', () => {
  const text = '{\n\t"city": "São Paulo 👋"\n}'
  assert.deepEqual(toKeptBody(bytesOf(text)), { text, bytes: bytesOf(text).length, isTruncated: false })
  assert.deepEqual(toKeptBody(bytesOf('')), { text: '', bytes: 0, isTruncated: false })
})

test('cuts a long body after 4 KB, and leaves out a character that was cut', () => {
  assert.deepEqual(toKeptBody(bytesOf('a'.repeat(4096))), { text: 'a'.repeat(4096), bytes: 4096, isTruncated: false })
  assert.deepEqual(toKeptBody(bytesOf(`${'a'.repeat(4095)}é`)), {
    text: 'a'.repeat(4095),
    bytes: 4097,
    isTruncated: true,
  })
})

test('has no text of a binary body', () => {
  const png = new Uint8Array([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
  assert.deepEqual(toKeptBody(png), { bytes: 8, isTruncated: false })
  assert.deepEqual(toKeptBody(bytesOf('a\0b')), { bytes: 3, isTruncated: false })
  assert.deepEqual(toKeptBody(bytesOf('é').subarray(0, 1)), { bytes: 1, isTruncated: false })
})

test('whatever a server answers, what is kept is short and printable', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 6000 }), fc.string({ unit: 'binary' }), (bytes, text) => {
      for (const body of [toKeptBody(bytes), toKeptBody(bytesOf(text))]) {
        assert.ok((body.text ?? '').length <= KEPT_BODY_BYTES)
        assert.doesNotMatch(body.text ?? '', /[^\P{Cc}\n\t]|[\u2028\u2029\u202a-\u202e\u2066-\u2069]/u)
      }
    }),
  )
})

test('hides headers that may be secret', () => {
  const secret = 'hidden-value'
  const hidden = ['Set-Cookie', 'authorization', 'WWW-Authenticate', 'x-api-key', 'X-CSRF-Token', 'webhook-signature']
  const kept = toKeptHeaders(Object.fromEntries(hidden.map((name) => [name, secret])))
  assert.deepEqual(kept, Object.fromEntries(hidden.map((name) => [name, '***'])))
  assert.deepEqual(toKeptHeaders({ location: `https://a.example/?code=${secret}`, age: '3', via: ['a', 'b'] }), {
    location: 'https://a.example/?***',
    age: '3',
    via: 'a, b',
  })
})

test('bounds the headers, and cleans their values', () => {
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, n) => [`x-${n}`, 'y'.repeat(9_000)]))
  const kept = Object.entries(toKeptHeaders(many))
  assert.equal(kept.length, 40)
  assert.ok(kept.every(([, value]) => value.length === 500))
  assert.deepEqual(toKeptHeaders({ a: 'one\ttwo\u001b[0m' }), { a: 'one two[0m' })
  assert.deepEqual(Object.keys(toKeptHeaders({ ['__proto__']: 'x', b: 'y' })), ['__proto__', 'b'])
})
