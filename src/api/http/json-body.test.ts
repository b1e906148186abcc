import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseJsonBody } from './json-body.ts'

const parse = (text: string): unknown => parseJsonBody(Buffer.from(text))
const refused = (bytes: Buffer | string, why: RegExp): void =>
  assert.throws(() => parseJsonBody(Buffer.from(bytes)), { code: 'VALIDATION_ERROR', message: why })

test('parses any JSON', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value)
      fc.pre(!text.includes('__proto__') && !text.includes('"constructor"'))
      assert.deepEqual(parse(text), JSON.parse(text))
    }),
  )
})

test('an empty body is undefined', () => assert.equal(parse(''), undefined))

for (const text of ['{', '{"a":1,}', 'nope', '{"a":"\0"}', '\ufeff{}', '{"a":1}{"b":2}']) {
  test(`refuses ${JSON.stringify(text)} as invalid JSON`, () => refused(text, /not valid JSON/))
}

test('refuses bytes that are not UTF-8', () => {
  for (const bytes of [[0xff], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22]]) {
    refused(Buffer.from(bytes), /not valid UTF-8/)
  }
})

for (const text of [
  '{"__proto__":{"admin":true}}',
  '{"a":[{"b":{"__proto__":1}}]}',
  '{"\\u005f_proto__":{}}',
  '{"constructor":{"prototype":{"admin":true}}}',
  '{"a":{"c\\u006fnstructor":{"prototype":{}}}}',
]) {
  test(`refuses ${text} for its key`, () => refused(text, /must not contain the key/))
}

test('allows __proto__ in a text and a field named constructor', () => {
  const value = { message: '__proto__', constructor: 'Acme', a: { constructor: { name: 'x' } } }
  assert.deepEqual(parse(JSON.stringify(value)), value)
})

test('handles nesting deeper than the call stack', () => {
  const depth = 200_000
  assert.ok(Array.isArray(parse(`${'['.repeat(depth)}"constructor"${']'.repeat(depth)}`)))
})
