import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSingleLine } from './single-line.ts'

test('a text is a single line unless it contains a line break, a control character or a lone surrogate', () => {
  for (const text of ['', 'Acme, Ltd', 'Olá 🐦', '\u00a0']) assert.ok(isSingleLine(text), JSON.stringify(text))
  for (const end of ['\n', '\r', '\0', '\t', '\u001b', '\u0085', '\u2028', '\u2029', '\ud83d']) {
    assert.ok(!isSingleLine(`a${end}b`), JSON.stringify(end))
  }
})
