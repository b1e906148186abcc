import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ApiKeyId } from '../../domain/access/api-key.ts'
import { openSmppPasswords } from './smpp-passwords.ts'

const key = (id: string, hash: string) => ({ id: id as ApiKeyId, hash })
const passwords = openSmppPasswords(new Uint8Array(32).fill(1))

test('a password has eight letters and digits, and is always the same', () => {
  assert.match(passwords(key('a', 'b')), /^[0-9A-Za-z]{8}$/)
  assert.equal(passwords(key('a', 'b')), passwords(key('a', 'b')))
})

test('it changes with the key, its secret and the master key', () => {
  const others = [
    passwords(key('b', 'b')),
    passwords(key('a', 'c')),
    openSmppPasswords(new Uint8Array(32))(key('a', 'b')),
  ]
  assert.equal(new Set([...others, passwords(key('a', 'b'))]).size, 4)
})
