import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isLine } from './single-line.ts'

test('a text is one line unless something in it ends a line, controls a terminal or is half a character', () => {
  for (const text of ['', 'Acme, Ltd', 'Olá 🐦', '\u00a0']) assert.ok(isLine(text), JSON.stringify(text))
  for (const end of ['\n', '\r', '\0', '\t', '\u001b', '\u0085', '\u2028', '\u2029', '\ud83d']) {
    assert.ok(!isLine(`a${end}b`), JSON.stringify(end))
  }
})
