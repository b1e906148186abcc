import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { later, seconds } from '../../lib/time.ts'
import { someApiKey } from '../../ports/api-keys.contract.ts'
import { earlier, NOON } from '../../ports/samples.contract.ts'
import {
  type ApiKeyId,
  endOf,
  forgottenBy,
  isForgotten,
  isUsable,
  parseApiKey,
  parseApiKeyId,
  toApiKeyHint,
  toApiKeyText,
} from './api-key.ts'
import { MODES } from './test-mode.ts'

const PARTS = fc.record({
  mode: fc.constantFrom(...MODES),
  id: fc.stringMatching(/^[0-9a-z]{12}$/).map((id) => id as ApiKeyId),
  secret: fc.stringMatching(/^[0-9A-Za-z]{40}$/),
})

/** As in docs/api-keys.md. */
const SCANNED = /\bpk_(?:live|test)_[0-9a-z]{12}_[0-9A-Za-z]{40}\b/g

test('a key is parsed into what it was written from, and secret scanners find it in a text', () => {
  fc.assert(
    fc.property(PARTS, (parts) => {
      const text = toApiKeyText(parts)
      assert.deepEqual(parseApiKey(text), { ...parts })
      assert.deepEqual(`KEY="${text}"; curl ${text},`.match(SCANNED), [text, text])
    }),
  )
})

test('a text that is not exactly a key is none', () => {
  const key = toApiKeyText({ mode: 'live', id: 'k'.repeat(12) as ApiKeyId, secret: 'S'.repeat(40) })
  assert.notEqual(parseApiKey(key), undefined)
  for (const text of [
    '',
    'pk_',
    ` ${key}`,
    `${key}\n`,
    `${key}x`,
    key.slice(0, -1),
    key.toUpperCase(),
    key.replace('live', 'prod'),
    key.replaceAll('_', '-'),
  ]) {
    assert.equal(parseApiKey(text), undefined, JSON.stringify(text))
  }
  assert.equal(parseApiKeyId('k'.repeat(13)), undefined)
  assert.equal(parseApiKeyId('K'.repeat(12)), undefined)
})

test('the hint of a key contains nothing of its secret', () => {
  assert.equal(toApiKeyHint(someApiKey({ mode: 'test', id: 'a1b2c3d4e5f6' as ApiKeyId })), 'pk_test_a1b2c3d4e5f6_…')
})

test('a key is usable until it expires or is revoked, whichever is first', () => {
  const [soon, late] = [later(NOON, seconds(1)), later(NOON, seconds(9))]
  assert.deepEqual([isUsable(someApiKey(), late), endOf(someApiKey())], [true, undefined])
  const expiring = someApiKey({ expiresAt: soon })
  assert.deepEqual([isUsable(expiring, NOON), isUsable(expiring, soon), endOf(expiring)], [true, false, soon])
  const revoked = someApiKey({ expiresAt: late, revokedAt: soon })
  assert.deepEqual([isUsable(revoked, NOON), endOf(revoked)], [false, soon])
  assert.equal(endOf(someApiKey({ expiresAt: soon, revokedAt: late })), soon)
})

test('a key is forgotten 30 days after it ended', () => {
  const days = (count: number) => seconds(count * 86_400)
  assert.equal(forgottenBy(NOON), earlier(NOON, days(30)))
  assert.equal(isForgotten(someApiKey(), later(NOON, days(9_999))), false)
  const revoked = someApiKey({ revokedAt: NOON })
  assert.equal(isForgotten(revoked, later(NOON, seconds(30 * 86_400 - 1))), false)
  assert.equal(isForgotten(revoked, later(NOON, days(30))), true)
})
