import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberWarning } from '../../domain/message/number-plan.ts'
import type { PhoneNumber } from '../../domain/message/phone-number.ts'
import { openNumberPlans } from './number-plans.ts'

const plans = openNumberPlans()
const describe = (number: string) => plans.describe(number as PhoneNumber)

for (const [number, expected] of [
  ['+5511987654321', { country: 'BR', type: 'mobile', isPossible: true, isValid: true }],
  ['+551133334444', { country: 'BR', type: 'fixed_line', isPossible: true, isValid: true }],
  ['+15005550001', { country: 'US', type: 'personal', isPossible: true, isValid: true }],
  ['+18005551234', { country: 'US', type: 'toll_free', isPossible: true, isValid: true }],
  ['+4915112345678', { country: 'DE', type: 'mobile', isPossible: true, isValid: true }],
] as const) {
  test(`${number} is a ${expected.type} number in ${expected.country}`, async () => {
    assert.deepEqual(await describe(number), expected)
    assert.equal(numberWarning(await describe(number)) === undefined, ['mobile', 'personal'].includes(expected.type))
  })
}

for (const [number, warning] of [
  ['+55119', /^is not a possible number in \w+/],
  ['+10', /^is not a possible number/],
  ['+9990000000', /^is not a possible number/],
  ['+12125550', /^is not a possible number/],
] as const) {
  test(`${number} has a warning`, async () => {
    assert.match(numberWarning(await describe(number)) ?? '', warning)
  })
}
