import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { phone } from '../../ports/samples.contract.ts'
import { type Country, callingCodeOf, countryOf } from './country.ts'

const NUMBERS: Readonly<Record<string, readonly string[]>> = {
  BR: ['+5511987654321'],
  PT: ['+351911111111'],
  US: ['+15005550001', '+12125550123'],
  CA: ['+14165550123', '+16045550123'],
  JM: ['+18765550123', '+16585550123'],
  RU: ['+79161234567', '+74951234567'],
  KZ: ['+77011234567', '+76001234567'],
  GB: ['+447912345678', '+447700123456'],
  GG: ['+447781123456'],
  JE: ['+447700312345'],
  CW: ['+59995181234'],
  BQ: ['+5993181234'],
  YT: ['+262639012345'],
  RE: ['+262692123456'],
}

test('a number belongs to the country of its longest prefix', () => {
  for (const [country, numbers] of Object.entries(NUMBERS)) {
    for (const number of numbers) assert.equal(countryOf(phone(number)), country, number)
  }
})

test('numbers of satellites and international networks, and users of no number, have no country', () => {
  for (const to of ['+881612345678', '+88210123456', '+80012345678', '4711']) {
    assert.equal(countryOf(phone(to)), undefined, to)
  }
})

test('what follows the prefix does not matter', () => {
  const digits = fc.integer({ min: 0, max: 999_999 }).map(String)
  fc.assert(fc.property(digits, (rest) => countryOf(phone(`+351${rest}`)) === 'PT'))
})

test('the calling code of a country is that of its numbers, also where countries share it', () => {
  const codes = {
    BR: '55',
    PT: '351',
    US: '1',
    CA: '1',
    JM: '1',
    RU: '7',
    KZ: '7',
    GB: '44',
    JE: '44',
    CW: '599',
    YT: '262',
  }
  for (const [country, code] of Object.entries(codes)) {
    assert.equal(callingCodeOf(country as Country), code, country)
    for (const number of NUMBERS[country] ?? []) assert.ok(number.startsWith(`+${code}`), number)
  }
  assert.equal(callingCodeOf('ZZ' as Country), undefined)
})
