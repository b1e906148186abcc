import assert from 'node:assert/strict'
import { createHmac, hkdfSync } from 'node:crypto'
import { test } from 'node:test'
import { parseApiKey, toApiKeyText } from '../../domain/access/api-key.ts'
import { openApiKeySecrets } from './api-key-secrets.ts'

const MASTER = new Uint8Array(32).fill(7)

test('draws ids and secrets that make a valid key, never the same twice', () => {
  const secrets = openApiKeySecrets(MASTER)
  const drawn = Array.from({ length: 2_000 }, () => secrets.draw())
  for (const { id, secret } of drawn) {
    assert.deepEqual(parseApiKey(toApiKeyText({ mode: 'live', id, secret })), { mode: 'live', id, secret })
  }
  for (const part of ['id', 'secret'] as const) assert.equal(new Set(drawn.map((one) => one[part])).size, drawn.length)
})

test('every character is equally likely at every place', () => {
  const secrets = openApiKeySecrets(MASTER)
  const drawn = Array.from({ length: 20_000 }, () => secrets.draw())
  for (const [part, characters, length] of [
    ['id', 36, 12],
    ['secret', 62, 40],
  ] as const) {
    const counts = new Map<string, number>()
    for (const one of drawn) for (const character of one[part]) counts.set(character, (counts.get(character) ?? 0) + 1)
    assert.equal(counts.size, characters)
    const expected = (drawn.length * length) / characters
    // Six standard deviations. A remainder of bytes would favour some characters by a quarter, or by a seventh.
    const tolerance = 6 * Math.sqrt(expected)
    for (const count of counts.values()) assert.ok(Math.abs(count - expected) < tolerance, `${count} of ${expected}`)
  }
})

test('draws again what would favour some characters', () => {
  const given = [new Uint8Array(12).fill(255), new Uint8Array(12).fill(35), new Uint8Array(40).fill(61)]
  const bytes = () => given.shift() ?? new Uint8Array()
  const { id, secret } = openApiKeySecrets(MASTER, { bytes, hex: () => '' }).draw()
  assert.deepEqual([id, secret], ['z'.repeat(12), 'Z'.repeat(40)])
})

test('hashes with HMAC-SHA-256 under a key derived from the master key', () => {
  const key = Buffer.from(hkdfSync('sha256', MASTER, '', 'pombo api key v1', 32))
  const expected = createHmac('sha256', key).update('a secret').digest('hex')
  assert.equal(openApiKeySecrets(MASTER).hash('a secret'), expected)
  assert.notEqual(openApiKeySecrets(new Uint8Array(32).fill(8)).hash('a secret'), expected)
  assert.throws(() => openApiKeySecrets(new Uint8Array(31)), /must have 32 bytes/)
})
