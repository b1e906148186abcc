import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type ReceiptFields, readReceipt } from './delivery-receipt.ts'

const receipt = (fields: Partial<ReceiptFields>) => readReceipt({ esmClass: 0x04, text: '', ...fields })

/** The ids, the state and the code. */
const summary = (fields: Partial<ReceiptFields>): string => {
  const read = receipt(fields)
  if (typeof read === 'string') return read
  const { state, code } = read.report
  return [read.ids.join('|'), state, ...(code === undefined ? [] : [code])].join(' ')
}

const detailOf = (fields: Partial<ReceiptFields>): string | undefined => {
  const read = receipt(fields)
  return typeof read === 'string' ? read : read.report.detail
}

const STANDARD =
  'id:0123456789 sub:001 dlvrd:001 submit date:2401021504 done date:2401021505 stat:DELIVRD err:000 text:Your code is 40271'

describe('the text of a receipt', () => {
  for (const [what, text, expected] of [
    ['as in the specification', STANDARD, '0123456789 delivered'],
    ['with seconds in the dates', STANDARD.replaceAll(/date:(\d+)/g, 'date:$100'), '0123456789 delivered'],
    ['with a capital T in text', STANDARD.replace('text:', 'Text:'), '0123456789 delivered'],
    ['without counts', 'id:77 submit date:2401021504 done date:2401021505 stat:DELIVRD err:000 text:', '77 delivered'],
    ['with id and stat only', 'id:77 stat:EXPIRED', '77 dropped EXPIRED'],
    ['in another order', 'stat:UNDELIV err:00B done date:2401021505 id:77', '77 dropped UNDELIVERABLE'],
    ['with the text first', 'text:Hello sub:001 id:77 stat:DELIVRD', '77 delivered'],
    ['with surplus spaces', '  id: 77   sub :001  stat:  DELIVRD   err:  000 ', '77 delivered'],
    ['with commas', 'id:77,sub:001,dlvrd:001,stat:REJECTD,err:000', '77 dropped REJECTED'],
    ['in capitals', 'ID:77 SUB:001 STAT:delivrd ERR:000', '77 delivered'],
    ['with dashes in the id', 'id:550e8400-e29b_41d4 stat:DELIVRD', '550e8400-e29b_41d4 delivered'],
    ['with a trailing NUL', 'stat:DELIVRD id:77\0', '77 delivered'],
    ['on several lines', 'id:77\r\nstat:ACCEPTD\r\n', '77 accepted'],
    ['with fields in the quoted text', 'id:77 stat:UNDELIV err:001 text:id:9 stat:DELIVRD', '77 dropped UNDELIVERABLE'],
    ['with other ids', 'msg-id:5 campaign_id:6 id:77 stat:DELIVRD', '77 delivered'],
    ['without an id', 'id: sub:001 stat:DELIVRD err:000', 'unreadable'],
    ['without a state', 'id:77 stat: err:000', 'unreadable'],
    ['with an unknown state', 'id:77 stat:WHATEVR', 'unreadable'],
    ['in a proprietary format', '77,0,2401021505,OK', 'unreadable'],
    ['that is empty', '', 'unreadable'],
  ] as const) {
    test(`${what} is ${expected}`, () => assert.equal(summary({ text }), expected))
  }

  for (const [stat, expected] of [
    ['SCHEDULED', 'accepted'],
    ['ENROUTE', 'accepted'],
    ['ACCEPTD', 'accepted'],
    ['ACCEPTED', 'accepted'],
    ['DELIVRD', 'delivered'],
    ['DELIVERED', 'delivered'],
    ['EXPIRED', 'dropped EXPIRED'],
    ['DELETED', 'dropped DELETED'],
    ['UNDELIV', 'dropped UNDELIVERABLE'],
    ['FAILED', 'dropped UNDELIVERABLE'],
    ['UNKNOWN', 'dropped UNKNOWN'],
    ['REJECTD', 'dropped REJECTED'],
    ['REJECTED', 'dropped REJECTED'],
    ['SKIPPED', 'dropped SKIPPED'],
  ] as const) {
    test(`${stat} is ${expected}`, () => assert.equal(summary({ text: `id:1 stat:${stat}` }), `1 ${expected}`))
  }
})

describe('the optional fields of a receipt', () => {
  test('contain the state as a number', () => {
    const states = Array.from({ length: 11 }, (_, messageState) => summary({ receiptedMessageId: '1', messageState }))
    assert.deepEqual(states, [
      '1 accepted',
      '1 accepted',
      '1 delivered',
      '1 dropped EXPIRED',
      '1 dropped DELETED',
      '1 dropped UNDELIVERABLE',
      '1 accepted',
      '1 dropped UNKNOWN',
      '1 dropped REJECTED',
      '1 dropped SKIPPED',
      'unreadable',
    ])
  })

  test('take precedence over the text', () => {
    assert.equal(summary({ receiptedMessageId: 'AB\0', messageState: 2, text: 'id:9 stat:UNDELIV' }), 'AB|9 delivered')
  })

  test('are completed by the text', () => {
    assert.equal(summary({ receiptedMessageId: 'AB', text: 'stat:UNDELIV' }), 'AB dropped UNDELIVERABLE')
    assert.equal(summary({ messageState: 2, text: 'id:9 stat:UNDELIV' }), '9 delivered')
    assert.equal(
      summary({ messageState: 77, receiptedMessageId: '', text: 'id:9 stat:UNDELIV' }),
      '9 dropped UNDELIVERABLE',
    )
  })
})

describe('the id in the text', () => {
  const summarize = (text: string): string => summary({ receiptedMessageId: 'AB', messageState: 2, text })

  test('is a second id if it differs from the optional field', () => {
    assert.equal(summarize('id:9 stat:DELIVRD text:'), 'AB|9 delivered')
    assert.equal(summarize('id:AB stat:DELIVRD text:'), 'AB delivered')
    assert.equal(summarize('stat:DELIVRD'), 'AB delivered')
  })

  test('is ignored in the quoted text', () => {
    assert.equal(summarize('stat:DELIVRD text:your id:9 is'), 'AB delivered')
    assert.equal(summarize('text:your id:9 is'), 'AB delivered')
  })
})

describe('the detail of a failed part', () => {
  test('contains the error code, which may have letters', () => {
    assert.equal(detailOf({ text: 'id:1 stat:UNDELIV err:00B' }), 'the SMSC could not deliver the message, error 00B')
  })

  test('prefers the network error code', () => {
    const fields = { text: 'id:1 stat:REJECTD err:034' }
    assert.equal(
      detailOf({ ...fields, networkErrorCode: Uint8Array.of(3, 1, 2) }),
      'the SMSC or the network rejected the message, GSM network error 258',
    )
    assert.equal(
      detailOf({ ...fields, networkErrorCode: Uint8Array.of(9, 0, 8) }),
      'the SMSC or the network rejected the message, network error 8',
    )
    assert.equal(
      detailOf({ ...fields, networkErrorCode: Uint8Array.of(3) }),
      'the SMSC or the network rejected the message, error 034',
    )
  })

  test('has no code if there is none', () => {
    for (const rest of ['', 'err:000', 'err:', 'err:15551234567', 'text:err:402718']) {
      assert.equal(detailOf({ text: `id:1 stat:UNDELIV ${rest}` }), 'the SMSC could not deliver the message', rest)
    }
  })

  test('is missing for a part that did not fail', () => {
    assert.deepEqual(receipt({ text: STANDARD }), { ids: ['0123456789'], report: { state: 'delivered' } })
    assert.deepEqual(receipt({ text: 'id:1 stat:ACCEPTD err:012' }), { ids: ['1'], report: { state: 'accepted' } })
  })
})

describe('the type of a message', () => {
  test('from a phone is never a receipt', () => {
    for (const esmClass of [0x00, 0x40, 0x08, 0x10, 0x18, 0x03]) {
      assert.equal(summary({ esmClass, text: STANDARD }), 'not a receipt')
    }
  })

  test('ignores the other bits of esm_class', () => {
    for (const esmClass of [0x04, 0x07, 0x44, 0x84])
      assert.equal(summary({ esmClass, text: 'id:1 stat:DELIVRD' }), '1 delivered')
  })

  test('is a receipt if it has the optional fields of one', () => {
    assert.equal(summary({ esmClass: 0, receiptedMessageId: '1', messageState: 2 }), '1 delivered')
    assert.equal(summary({ esmClass: 0, receiptedMessageId: '1' }), 'not a receipt')
  })

  test('of an intermediate notification is never final', () => {
    assert.equal(summary({ esmClass: 0x20, text: 'id:1 stat:UNDELIV err:001' }), '1 accepted')
  })
})

test('S1-P11 any fields have one meaning, which the quoted text does not change', () => {
  const anyFields = fc.record({
    esmClass: fc.constantFrom(0, 0x04, 0x20),
    text: fc.oneof(
      fc.string(),
      fc
        .array(fc.constantFrom('id:', 'stat:', 'err:', 'text:', ' ', 'DELIVRD', 'UNDELIV', '7'), { maxLength: 20 })
        .map((words) => words.join('')),
    ),
  })
  fc.assert(
    fc.property(anyFields, (fields) => {
      const read = readReceipt(fields)
      assert.deepEqual(readReceipt(fields), read)
      assert.ok(typeof read === 'string' || read.ids.every((id) => id !== ''))
    }),
    { numRuns: 1000 },
  )
  fc.assert(
    fc.property(fc.string({ maxLength: 20 }), (quote) => {
      const text = `id:1 stat:UNDELIV text:${quote}`
      assert.equal(detailOf({ text }), 'the SMSC could not deliver the message')
    }),
    { numRuns: 1000 },
  )
})
