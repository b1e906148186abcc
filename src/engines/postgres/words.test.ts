import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toKey, toTextQuery, toWords } from './words.ts'

test('words are distinct, of letters and digits, without case and accents', () => {
  assert.deepEqual(toWords('Black-Friday', undefined, "Zoë O'Brien ZOE", 'A_17 ①'), [
    'black',
    'friday',
    'zoe',
    'o',
    'brien',
    'a',
    '17',
    '1',
  ])
  assert.deepEqual(toWords('são SÃO sa\u0303o'), ['sao'])
  assert.deepEqual(toWords('漢字 مرحبا हिन्दी'), ['漢字', 'مرحبا', 'हिन्दी'])
  assert.deepEqual(toWords('', '  "" 👍 \0 \ud800'), [])
})

test('long words and many words stay within the limits of PostgreSQL', () => {
  const long = toWords('𠀀'.repeat(900))
  assert.deepEqual(long, ['𠀀'.repeat(64)])
  const many = toWords(Array.from({ length: 9_000 }, (_, nth) => `${nth}${'𠀀'.repeat(70)}`).join(' '))
  assert.ok(Buffer.byteLength(many.join('')) <= 2 ** 20)
})

test('quotes every word of a search; the last one is a prefix', () => {
  assert.equal(toTextQuery(`Fri ' & black !(x):* fri`), `'fri' & 'black' & 'x' & 'fri':*`)
  assert.equal(toTextQuery(' " & ! '), undefined)
})

test('a key fits into an index, and is the same when storing and when searching', () => {
  assert.equal(toKey('vip'), 'vip')
  assert.equal(toKey('a\0b\ud800'), 'a\ufffdb\ufffd')
  assert.equal(toKey('𠀀'.repeat(900)), '𠀀'.repeat(100))
})
