import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { canonicalId, ID_RULES, type IdRule, type IdSource, receiptIds } from './message-ids.ts'

const PLACES = ['answer', 'receipt'] as const

describe('the canonical id of a part', () => {
  for (const [id, where, rule, name] of [
    ['00ABCdef', 'answer', 'same', 'abcdef'],
    ['0', 'receipt', 'same', '0'],
    ['0000', 'receipt', 'same', '0'],
    [' 7F ', 'answer', 'same', '7f'],
    ['00 a', 'answer', 'same', '0 a'],
    ['550E8400-e29b-41d4', 'receipt', 'same', '550e8400-e29b-41d4'],
    ['0000001A', 'answer', 'hex_then_decimal', '26'],
    ['0x1A', 'answer', 'hex_then_decimal', '26'],
    ['0000000026', 'receipt', 'hex_then_decimal', '26'],
    ['26', 'answer', 'decimal_then_hex', '26'],
    ['1a', 'receipt', 'decimal_then_hex', '26'],
    ['FFFFFFFFFFFFFFFFFFFF', 'answer', 'hex_then_decimal', '1208925819614629174706175'],
    ['00000000', 'answer', 'hex_then_decimal', '0'],
    ['0MSG-26', 'answer', 'hex_then_decimal', 'msg-26'],
    ['0MSG-26', 'receipt', 'hex_then_decimal', 'msg-26'],
    ['', 'answer', 'hex_then_decimal', ''],
  ] as const) {
    test(`'${id}' in the ${where} by the rule ${rule} is '${name}'`, () => {
      assert.equal(canonicalId(id, where, rule), name)
    })
  }
})

const anyNumber = fc.bigInt({ min: 0n, max: 2n ** 128n })
const zeros = fc.integer({ min: 0, max: 9 }).map((count) => '0'.repeat(count))
const anyPlace = fc.constantFrom(...PLACES)
const anyRule = fc.constantFrom(...ID_RULES)

const isHex = (where: IdSource, rule: IdRule): boolean =>
  (rule === 'hex_then_decimal' && where === 'answer') || (rule === 'decimal_then_hex' && where === 'receipt')

describe('answers and receipts have the same id', () => {
  test('in any base, case and with leading zeros, by each rule', () => {
    fc.assert(
      fc.property(anyNumber, anyRule, zeros, zeros, fc.boolean(), (number, rule, before, others, isLarge) => {
        const write = (where: IdSource): string => number.toString(isHex(where, rule) ? 16 : 10)
        const answer = before + (isLarge ? write('answer').toUpperCase() : write('answer'))
        const receipt = others + (isLarge ? write('receipt') : write('receipt').toUpperCase())
        assert.equal(canonicalId(answer, 'answer', rule), number.toString())
        assert.equal(canonicalId(receipt, 'receipt', rule), number.toString())
      }),
    )
  })

  test('and never that of another number', () => {
    fc.assert(
      fc.property(anyNumber, anyNumber, anyPlace, anyRule, (one, other, where, rule) => {
        fc.pre(one !== other)
        const base = isHex(where, rule) ? 16 : 10
        assert.notEqual(canonicalId(one.toString(base), where, rule), canonicalId(other.toString(base), where, rule))
      }),
    )
  })

  test('and any text has one, which is stable', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[0 ]*[a-z]?$/)), anyPlace, (id, where) => {
        const name = canonicalId(id, where, 'same')
        assert.equal(canonicalId(name, where, 'same'), name)
        assert.equal(
          canonicalId(id.toUpperCase(), where, 'same'),
          canonicalId(id.toUpperCase().toLowerCase(), where, 'same'),
        )
      }),
    )
  })
})

describe('the ids of a receipt', () => {
  for (const [what, ids, rule, expected] of [
    ['a single id', ['00AB'], 'same', ['ab']],
    ['ids that differ in zeros and capitals are equal', ['00AB', 'ab'], 'same', ['ab']],
    ['different ids are both tried, the optional field first', ['1A2B', '77'], 'same', ['1a2b', '77']],
    ['for one number in two bases only the optional field counts', ['1A2B', '6699'], 'same', ['1a2b']],
    ['the same the other way round', ['6699', '0x1A2B'], 'same', ['6699']],
    ['the same of digits only', ['0010', '16'], 'same', ['10']],
    ['ids that are not numbers are both tried', ['msg-1A', '26'], 'same', ['msg-1a', '26']],
    ['both are in the base of receipts', ['6699', '6699'], 'hex_then_decimal', ['6699']],
    ['the optional field is written as in answers', ['1A2B', '6699'], 'hex_then_decimal', ['6699']],
    ['the same of digits only', ['1234', '4660'], 'hex_then_decimal', ['4660']],
    ['the text is written as in answers', ['4660', '1234'], 'hex_then_decimal', ['4660']],
    ['the optional field is written as in decimal answers', ['6699', '1A2B'], 'decimal_then_hex', ['6699']],
    ['the text is written as in decimal answers', ['1A2B', '6699'], 'decimal_then_hex', ['6699']],
    ['different numbers by a rule are both tried', ['7', '9'], 'hex_then_decimal', ['7', '9']],
  ] as const) {
    test(`${what}: ${ids.join(' and ')} by the rule ${rule} is ${expected.join(', then ')}`, () => {
      assert.deepEqual(receiptIds(ids, rule), expected)
    })
  }
})
