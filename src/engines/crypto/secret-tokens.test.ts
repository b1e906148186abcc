import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { openSecretTokens } from './secret-tokens.ts'

const key = randomBytes(32)
const tokens = openSecretTokens(key)

test('tokens are 32 random bytes, and their hashes SHA-256', () => {
  const drawn = new Set(Array.from({ length: 100 }, () => tokens.draw()))
  assert.equal(drawn.size, 100)
  for (const token of drawn) {
    assert.equal(Buffer.from(token, 'base64url').length, 32)
    assert.equal(tokens.hash(token), createHash('sha256').update(token).digest('base64url'))
  }
})

test('signatures depend on the master key, the purpose and the text', () => {
  const signed = tokens.sign('csrf', 'text')
  assert.equal(openSecretTokens(key).sign('csrf', 'text'), signed)
  assert.notEqual(openSecretTokens(randomBytes(32)).sign('csrf', 'text'), signed)
  assert.notEqual(tokens.sign('oidc', 'text'), signed)
  assert.notEqual(tokens.sign('csrf', 'texts'), signed)
})
