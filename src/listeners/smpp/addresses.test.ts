import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toRecipient, toSenderId } from './addresses.ts'

for (const [ton, address, expected] of [
  [1, '15550001111', '+15550001111'],
  [1, '+15550001111', '+15550001111'],
  [0, '0015550001111', '+15550001111'],
  [2, '5550001111', undefined],
  [5, 'Acme', undefined],
] as const) {
  test(`a destination ${address} of type ${ton} is ${expected}`, () => {
    assert.equal(toRecipient({ ton, npi: 1, address }), expected)
  })
}

for (const [ton, address, expected] of [
  [0, '', undefined],
  [1, '15550001111', '+15550001111'],
  [1, '+15550001111', '+15550001111'],
  [3, '40404', '40404'],
  [5, 'Acme', 'Acme'],
] as const) {
  test(`a source "${address}" of type ${ton} is ${expected}`, () => {
    assert.equal(toSenderId({ ton, npi: 0, address }), expected)
  })
}
