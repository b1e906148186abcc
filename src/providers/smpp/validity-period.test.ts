import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instant, later, millis } from '../../lib/time.ts'
import { toValidityPeriod } from './submit.ts'

const NOW = instant(1_700_000_000_000)
const DAY = 24 * 60 * 60
const validity = (seconds: number): string | undefined => toValidityPeriod(NOW, later(NOW, millis(seconds * 1000)))

for (const [seconds, written] of [
  [-1, undefined],
  [0, undefined],
  [0.001, '000000000001000R'],
  [1, '000000000001000R'],
  [1.999, '000000000001000R'],
  [300, '000000000500000R'],
  [3599, '000000005959000R'],
  [2 * DAY, '000002000000000R'],
  [DAY + 2 * 3600 + 3 * 60 + 4, '000001020304000R'],
  [99 * DAY, '000099000000000R'],
  [99 * DAY + 1, '000099000000000R'],
  [4000 * DAY, '000099000000000R'],
] as const) {
  test(`a deadline in ${seconds} seconds is ${written ?? 'over'}`, () => {
    assert.equal(validity(seconds), written)
  })
}

test('the validity period is the time that is left, rounded down to seconds', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1000, max: 99 * DAY * 1000 }), (left) => {
      const digits = toValidityPeriod(NOW, later(NOW, millis(left)))?.match(/^0000(..)(..)(..)(..)000R$/)
      assert.ok(digits)
      const [days = 0, hours = 0, minutes = 0, seconds = 0] = digits.slice(1).map(Number)
      assert.ok(hours < 24 && minutes < 60 && seconds < 60)
      assert.equal(days * DAY + hours * 3600 + minutes * 60 + seconds, Math.floor(left / 1000))
    }),
  )
})
