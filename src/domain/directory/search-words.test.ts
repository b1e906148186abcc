import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmailAddress } from '../email/address.ts'
import type { PhoneNumber } from '../message/phone-number.ts'
import { toBeginnings, toWords } from './search-words.ts'

test('the words of an entry are those of its name, ids and addresses, without case and accents, each once', () => {
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

test('a search is taken apart as entries are, and one without words asks for nothing', () => {
  assert.deepEqual(toBeginnings(' ZOÉ, +5511  zoe@exa '), ['zoe', '5511', 'exa'])
  assert.deepEqual(toBeginnings('%_ "*" \\'), [])
})

test('a long word is cut, by characters, where it is stored and where it is searched', () => {
  const name = '𠀀'.repeat(100)
  assert.deepEqual(toWords({ name }), toBeginnings(name))
  assert.deepEqual(toWords({ name }), ['𠀀'.repeat(64)])
})
