import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmailAddress } from '../email/address.ts'
import type { PhoneNumber } from '../message/phone-number.ts'
import { toBeginnings, toWords } from './search-words.ts'

test('the words of an entry are those of its name, ids and addresses, without case, accents or duplicates', () => {
  const entry = {
    externalId: 'User-42',
    name: 'Zoë São Zoe',
    phone: '+5511987654321' as PhoneNumber,
    email: 'zoe.b@example.com' as EmailAddress,
    locale: 'pt',
  }
  assert.deepEqual(toWords(entry), ['user', '42', 'zoe', 'sao', '5511987654321', 'b', 'example', 'com'])
  assert.deepEqual(toWords({}), [])
})

test('splits a query by the same rule as entries; a query without words has no prefixes', () => {
  assert.deepEqual(toBeginnings(' ZOÉ, +5511  zoe@exa '), ['zoe', '5511', 'exa'])
  assert.deepEqual(toBeginnings('%_ "*" \\'), [])
})

test('truncates a long word by code points, in entries and queries alike', () => {
  const name = '𠀀'.repeat(100)
  assert.deepEqual(toWords({ name }), toBeginnings(name))
  assert.deepEqual(toWords({ name }), ['𠀀'.repeat(64)])
})
