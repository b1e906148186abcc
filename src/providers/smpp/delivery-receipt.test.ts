import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { type ReceiptFields, readReceipt } from './delivery-receipt.ts'

const receipt = (fields: Partial<ReceiptFields>) => readReceipt({ esmClass: 0x04, text: '', ...fields })

/** The ids, the state and the code, where there is one. */
const gist = (fields: Partial<ReceiptFields>): string => {
  const read = receipt(fields)
  if (typeof read === 'string') return read
  const { state, code } = read.report
  return [read.ids.join('|'), state, ...(code === undefined ? [] : [code])].join(' ')
}

const detailOf = (fields: Partial<ReceiptFields>): string | undefined => {
  const read = receipt(fields)
  return typeof read === 'string' ? read : read.report.detail
}

const CUSTOMARY =
  'id:0123456789 sub:001 dlvrd:001 submit date:2401021504 done date:2401021505 stat:DELIVRD err:000 text:Your code is 40271'

describe('the customary text of a receipt', () => {
  for (const [what, text, expected] of [
    ['as the standard has it', CUSTOMARY, '0123456789 delivered'],
    ['with seconds in the dates', CUSTOMARY.replaceAll(/date:(\d+)/g, 'date:$100'), '0123456789 delivered'],
    ['with a capital before the quote', CUSTOMARY.replace('text:', 'Text:'), '0123456789 delivered'],
    ['without counts', 'id:77 submit date:2401021504 done date:2401021505 stat:DELIVRD err:000 text:', '77 delivered'],
    ['with next to nothing', 'id:77 stat:EXPIRED', '77 dropped EXPIRED'],
    ['in another order', 'stat:UNDELIV err:00B done date:2401021505 id:77', '77 dropped UNDELIVERABLE'],
    ['with the quote first', 'text:Hello sub:001 id:77 stat:DELIVRD', '77 delivered'],
    ['with surplus spaces', '  id: 77   sub :001  stat:  DELIVRD   err:  000 ', '77 delivered'],
    ['with commas', 'id:77,sub:001,dlvrd:001,stat:REJECTD,err:000', '77 dropped REJECTED'],
    ['in capitals', 'ID:77 SUB:001 STAT:delivrd ERR:000', '77 delivered'],
    ['with dashes in the name', 'id:550e8400-e29b_41d4 stat:DELIVRD', '550e8400-e29b_41d4 delivered'],
    ['with an octet of zero at its end', 'stat:DELIVRD id:77\0', '77 delivered'],
    ['on lines of its own', 'id:77\r\nstat:ACCEPTD\r\n', '77 accepted'],
    ['with states in the quote', 'id:77 stat:UNDELIV err:001 text:id:9 stat:DELIVRD', '77 dropped UNDELIVERABLE'],
    ['with another id beside it', 'msg-id:5 campaign_id:6 id:77 stat:DELIVRD', '77 delivered'],
    ['without a name', 'id: sub:001 stat:DELIVRD err:000', 'unreadable'],
    ['without a state', 'id:77 stat: err:000', 'unreadable'],
    ['with a state nobody knows', 'id:77 stat:WHATEVR', 'unreadable'],
    ['of a carrier with words of its own', '77,0,2401021505,OK', 'unreadable'],
    ['that is empty', '', 'unreadable'],
  ] as const) {
    test(`${what} is ${expected}`, () => assert.equal(gist({ text }), expected))
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
    test(`${stat} is ${expected}`, () => assert.equal(gist({ text: `id:1 stat:${stat}` }), `1 ${expected}`))
  }
})

describe('the optional fields of a receipt', () => {
  test('tell the state by its number', () => {
    const states = Array.from({ length: 11 }, (_, messageState) => gist({ receiptedMessageId: '1', messageState }))
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

  test('come before the text', () => {
    assert.equal(gist({ receiptedMessageId: 'AB\0', messageState: 2, text: 'id:9 stat:UNDELIV' }), 'AB|9 delivered')
  })

  test('are completed by the text', () => {
    assert.equal(gist({ receiptedMessageId: 'AB', text: 'stat:UNDELIV' }), 'AB dropped UNDELIVERABLE')
    assert.equal(gist({ messageState: 2, text: 'id:9 stat:UNDELIV' }), '9 delivered')
    assert.equal(
      gist({ messageState: 77, receiptedMessageId: '', text: 'id:9 stat:UNDELIV' }),
      '9 dropped UNDELIVERABLE',
    )
  })
})

describe('the id in the text', () => {
  const told = (text: string): string => gist({ receiptedMessageId: 'AB', messageState: 2, text })

  test('is a second one where it differs from the optional field', () => {
    assert.equal(told('id:9 stat:DELIVRD text:'), 'AB|9 delivered')
    assert.equal(told('id:AB stat:DELIVRD text:'), 'AB delivered')
    assert.equal(told('stat:DELIVRD'), 'AB delivered')
  })

  test('is none where the message says it', () => {
    assert.equal(told('stat:DELIVRD text:your id:9 is'), 'AB delivered')
    assert.equal(told('text:your id:9 is'), 'AB delivered')
  })
})

describe('why a part was lost', () => {
  test('is told with the code of the SMSC, which may have letters', () => {
    assert.equal(detailOf({ text: 'id:1 stat:UNDELIV err:00B' }), 'the message could not be delivered, error 00B')
  })

  test('is told with that of the network where there is one', () => {
    const fields = { text: 'id:1 stat:REJECTD err:034' }
    assert.equal(
      detailOf({ ...fields, networkErrorCode: Uint8Array.of(3, 1, 2) }),
      'the network refused the message, GSM network error 258',
    )
    assert.equal(
      detailOf({ ...fields, networkErrorCode: Uint8Array.of(9, 0, 8) }),
      'the network refused the message, network error 8',
    )
    assert.equal(
      detailOf({ ...fields, networkErrorCode: Uint8Array.of(3) }),
      'the network refused the message, error 034',
    )
  })

  test('is told without a code where there is none', () => {
    for (const rest of ['', 'err:000', 'err:', 'err:15551234567', 'text:err:402718']) {
      assert.equal(detailOf({ text: `id:1 stat:UNDELIV ${rest}` }), 'the message could not be delivered', rest)
    }
  })

  test('is not told of one that was not', () => {
    assert.deepEqual(receipt({ text: CUSTOMARY }), { ids: ['0123456789'], report: { state: 'delivered' } })
    assert.deepEqual(receipt({ text: 'id:1 stat:ACCEPTD err:012' }), { ids: ['1'], report: { state: 'accepted' } })
  })
})

describe('what kind of message it is', () => {
  test('one from a phone is no receipt, whatever it says', () => {
    for (const esmClass of [0x00, 0x40, 0x08, 0x10, 0x18, 0x03]) {
      assert.equal(gist({ esmClass, text: CUSTOMARY }), 'not a receipt')
    }
  })

  test('other bits of the class do not matter', () => {
    for (const esmClass of [0x04, 0x07, 0x44, 0x84])
      assert.equal(gist({ esmClass, text: 'id:1 stat:DELIVRD' }), '1 delivered')
  })

  test('one whose optional fields are those of a receipt is one', () => {
    assert.equal(gist({ esmClass: 0, receiptedMessageId: '1', messageState: 2 }), '1 delivered')
    assert.equal(gist({ esmClass: 0, receiptedMessageId: '1' }), 'not a receipt')
  })

  test('a notification on the way ends nothing', () => {
    assert.equal(gist({ esmClass: 0x20, text: 'id:1 stat:UNDELIV err:001' }), '1 accepted')
  })
})

test('S1-P11 any fields have one meaning, and what the message says is no part of it', () => {
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
      assert.equal(detailOf({ text }), 'the message could not be delivered')
    }),
    { numRuns: 1000 },
  )
})
