import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant, parseInstant, toIso } from '../../lib/time.ts'
import { parseSmppTime, toReceiptTime, toSmppTime } from './times.ts'

const NOW = parseInstant('2030-01-31T12:00:00Z') ?? instant(0)
const read = (text: string): string | undefined => {
  const at = parseSmppTime(text, NOW)
  return at && toIso(at)
}

for (const [text, expected] of [
  ['000000000500000R', '2030-01-31T12:05:00.000Z'],
  ['000001000000000R', '2030-02-01T12:00:00.000Z'],
  ['010000000000000R', '2031-01-31T12:00:00.000Z'],
  ['300131123045500+', '2030-01-31T12:30:45.500Z'],
  ['300131123045004+', '2030-01-31T11:30:45.000Z'],
  ['300131123045004-', '2030-01-31T13:30:45.000Z'],
  ['300230123045000+', undefined],
  ['300131253045000+', undefined],
  ['300131123045049+', undefined],
  ['300131123045000', undefined],
  ['tomorrow', undefined],
] as const) {
  test(`${text} is ${expected ?? 'no time'}`, () => {
    assert.equal(read(text), expected)
  })
}

test('times are written in UTC', () => {
  assert.equal(toReceiptTime(NOW), '3001311200')
  assert.equal(toSmppTime(NOW), '300131120000000+')
  assert.equal(parseSmppTime(toSmppTime(NOW), instant(0)), NOW)
})
