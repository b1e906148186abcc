import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ReceiptState } from '../../domain/message/receipt-request.ts'
import { instant } from '../../lib/time.ts'
import { readReceipt } from '../../providers/smpp/delivery-receipt.ts'
import { toPdu as readPdu } from '../../providers/smpp/pdu.ts'
import { COMMANDS, toPdu } from './pdu.ts'
import { isTaken, toDeliver } from './receipts.ts'

const ID = '01a1f670-66b8-7612-af6d-532d0a5c8777-2'
const receiptIn = (state: ReceiptState) => ({
  owed: 'final' as const,
  id: ID,
  source: { ton: 5, npi: 0, address: 'Acme' },
  destination: { ton: 1, npi: 1, address: '15550001111' },
  state,
  submittedAt: instant(Date.UTC(2030, 0, 31, 12)),
  doneAt: instant(Date.UTC(2030, 0, 31, 12, 5)),
})
const fieldsOf = (state: ReceiptState, owed: 'final' | 'intermediate' = 'final') =>
  readPdu(toPdu(COMMANDS.deliver_sm, 1, 0, toDeliver({ ...receiptIn(state), owed }))).fields

for (const [state, expected] of [
  ['DELIVRD', 'delivered'],
  ['ACCEPTD', 'accepted'],
  ['EXPIRED', 'EXPIRED'],
  ['UNDELIV', 'UNDELIVERABLE'],
  ['REJECTD', 'REJECTED'],
  ['UNKNOWN', 'UNKNOWN'],
] as const) {
  test(`our own client reads ${state} as ${expected}`, () => {
    const { short_message: text, receipted_message_id, message_state, network_error_code, ...fields } = fieldsOf(state)
    const receipt = readReceipt({
      esmClass: fields.esm_class ?? 0,
      text: String(text),
      ...(receipted_message_id === undefined ? {} : { receiptedMessageId: receipted_message_id }),
      ...(message_state === undefined ? {} : { messageState: message_state }),
      ...(network_error_code === undefined ? {} : { networkErrorCode: network_error_code }),
    })
    if (typeof receipt === 'string') return assert.fail(receipt)
    assert.deepEqual(receipt.ids, [ID])
    assert.equal(receipt.report.state === 'dropped' ? receipt.report.code : receipt.report.state, expected)
  })
}

test('the text has the customary form, and quotes nothing', () => {
  assert.equal(
    String(fieldsOf('UNDELIV').short_message),
    `id:${ID} sub:001 dlvrd:000 submit date:3001311200 done date:3001311205 stat:UNDELIV err:001 text:`,
  )
})

test('an intermediate notification is marked as one', () => {
  assert.deepEqual([fieldsOf('ENROUTE', 'intermediate').esm_class, fieldsOf('DELIVRD').esm_class], [0x20, 0x04])
})

test('a receipt that is refused for good is not sent again', () => {
  assert.deepEqual([0, 0x65, 0x66, 0x64, 0x08, 0x14].map(isTaken), [true, true, true, false, false, false])
})
