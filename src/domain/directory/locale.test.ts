import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLocale } from './locale.ts'

test('parses BCP 47 tags into canonical form and refuses everything else', () => {
  assert.equal(parseLocale('en'), 'en')
  assert.equal(parseLocale('PT-br'), 'pt-BR')
  assert.equal(parseLocale('zh-hant-tw'), 'zh-Hant-TW')
  for (const text of ['', 'x', 'en_US', 'english!', 'en-', ' en', 'a\0', '../en', 'e'.repeat(300)]) {
    assert.equal(parseLocale(text), undefined, text)
  }
})
