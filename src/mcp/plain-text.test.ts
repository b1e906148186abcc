import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { isSingleLine } from '../lib/single-line.ts'
import { quote, toVisible, toVisibleDeep } from './plain-text.ts'

describe('text from outside', () => {
  test('keeps everything that can be seen', () => {
    for (const text of ['Olá, João', '你好', 'שלום', '👩‍👩‍👧 ✓', 'one\ttwo\nthree', '«quoted»'])
      assert.equal(toVisible(text), text)
  })

  test('loses what is invisible, or turns the reading direction', () => {
    assert.equal(toVisible('a\u{e0061}\u{e007f}b'), 'a\ufffd\ufffdb')
    assert.equal(toVisible('a\u202eb\u2066c'), 'a\ufffdb\ufffdc')
    assert.equal(toVisible('\u001b[31mred\u0000\u0085'), '\ufffd[31mred\ufffd\ufffd')
    assert.equal(toVisible('half \ud83d'), 'half \ufffd')
  })

  test('is one line in quotation marks in a sentence', () => {
    assert.equal(quote('say "yes"\nnow'), '"say \\"yes\\"\\nnow"')
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => isSingleLine(quote(text))))
  })

  test('is found at any depth, also in the names of fields', () => {
    const value = { 'a\u202e': [{ b: 'c\u0007' }, 1, null, true] }
    assert.deepEqual(toVisibleDeep(value), { 'a\ufffd': [{ b: 'c\ufffd' }, 1, null, true] })
    const own = JSON.parse('{"__proto__": {"isAdmin": true}}')
    assert.deepEqual(Object.keys(toVisibleDeep(own) as object), ['__proto__'])
  })
})
