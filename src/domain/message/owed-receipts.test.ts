import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant } from '../../lib/time.ts'
import { someMessage } from '../../ports/samples.contract.ts'
import { owedReceipt, toReceiptState } from './owed-receipts.ts'
import { type Owed, type ReceiptState, receiptsWanted, wantsReceipt } from './receipt-request.ts'
import { type MessageState, toFirstState } from './state.ts'

const stateOf = (more: Partial<MessageState>): MessageState => ({
  ...toFirstState(someMessage({ receipts: 'all' })),
  ...more,
})
const ENDED = { endedAt: instant(9) }
const SENT = { handoffState: 'handed_off' } as const

for (const [name, state, owed, expected] of [
  ['queued', {}, undefined, 'ENROUTE'],
  ['being sent', { handoffState: 'sending' }, undefined, 'ENROUTE'],
  ['handed off', SENT, 'intermediate', 'ENROUTE'],
  ['accepted by the carrier', { ...SENT, providerState: 'accepted' }, 'intermediate', 'ENROUTE'],
  ['handed off without reports to come', { ...SENT, noDeliveryReports: true }, 'final', 'ACCEPTD'],
  ['delivered', { ...SENT, ...ENDED, providerState: 'delivered' }, 'final', 'DELIVRD'],
  ['dropped', { ...SENT, ...ENDED, providerState: 'dropped' }, 'final', 'UNDELIV'],
  ['timed out', { ...SENT, ...ENDED, providerState: 'timed_out' }, 'final', 'EXPIRED'],
  ['expired', { handoffState: 'failed', expired: true }, 'final', 'EXPIRED'],
  ['rejected', { handoffState: 'failed', phase: 'closed' }, 'final', 'REJECTD'],
  ['unresolved', { handoffState: 'failed', phase: 'unknown' }, 'final', 'UNKNOWN'],
] as const satisfies readonly (readonly [string, Partial<MessageState>, Owed | undefined, ReceiptState])[]) {
  test(`a message that is ${name} owes ${owed ?? 'nothing'}: ${expected}`, () => {
    assert.equal(owedReceipt(stateOf(state)), owed)
    assert.equal(toReceiptState(stateOf(state)), expected)
  })
}

test('who wants only final receipts is owed no other, and who wants none is owed none', () => {
  const { receipts: _, ...none } = stateOf(SENT)
  assert.equal(owedReceipt({ ...stateOf(SENT), receipts: 'final' }), undefined)
  assert.equal(owedReceipt({ ...none, ...ENDED }), undefined)
})

test('the flags of all parts decide what a message wants', () => {
  assert.deepEqual([[0], [0, 1], [2, 0], [0x10], [0x11, 1], [0x0c]].map(receiptsWanted), [
    undefined,
    'final',
    'final',
    'all',
    'all',
    undefined,
  ])
})

for (const [flags, owed, state, expected] of [
  [0, 'final', 'DELIVRD', false],
  [1, 'final', 'DELIVRD', true],
  [1, 'final', 'REJECTD', true],
  [2, 'final', 'DELIVRD', false],
  [2, 'final', 'ACCEPTD', false],
  [2, 'final', 'EXPIRED', true],
  [3, 'final', 'DELIVRD', true],
  [3, 'final', 'UNDELIV', false],
  [1, 'intermediate', 'ENROUTE', false],
  [0x10, 'intermediate', 'ENROUTE', true],
  [0x10, 'final', 'DELIVRD', false],
] as const) {
  test(`registered_delivery ${flags} ${expected ? 'wants' : 'does not want'} the ${owed} receipt ${state}`, () => {
    assert.equal(wantsReceipt(flags, owed, state), expected)
  })
}
