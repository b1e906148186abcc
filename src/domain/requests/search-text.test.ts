import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { INTERPRETATIONS, type InterpretationKind, interpret, parseRecipient, type Terms } from './search-text.ts'

const ID = '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11'

const kindsOf = (text: string): readonly InterpretationKind[] => interpret(text).map(({ kind }) => kind)
const termsOf = (text: string, wanted: InterpretationKind): Terms | undefined =>
  interpret(text).find(({ kind }) => kind === wanted)?.terms

test('every text has interpretations of different kinds, in the documented order, and words are the last', () => {
  const pasted = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({
      unit: fc.constantFrom('a', '1', 'f', ':', '"', ' ', '+', '-', '@', '.', '(', ')', '~', '\0', '\ud800'),
    }),
    fc.stringMatching(/^(?:(?:status|to|tag|id|batch|x):"?[a-f0-9 +]*"? ?){1,4}$/),
  )
  fc.assert(
    fc.property(pasted, (text) => {
      const places = kindsOf(text).map((kind) => INTERPRETATIONS.indexOf(kind))
      assert.deepEqual(
        places,
        [...new Set(places)].toSorted((one, other) => one - other),
      )
      assert.deepEqual(interpret(text).at(-1), { kind: 'words', terms: { text } })
    }),
    { numRuns: 2_000 },
  )
})

test('a message id is found whole or by its first digits, with and without dashes, in any case', () => {
  const digits = ID.replaceAll('-', '')
  for (const text of [ID, digits, ` ${ID.toUpperCase()}\n`]) {
    assert.deepEqual(termsOf(text, 'message_id'), { id: ID }, text)
  }
  for (const length of [8, 9, 12, 13, 31]) {
    assert.deepEqual(termsOf(digits.slice(0, length), 'message_id'), { idPrefix: digits.slice(0, length) })
  }
  assert.deepEqual(termsOf(ID.slice(0, 20), 'message_id'), { idPrefix: digits.slice(0, 17) })
  for (const text of [digits.slice(0, 7), `${digits}0`, '3f1c9f0g', '3f1c 9f0e']) {
    assert.equal(termsOf(text, 'message_id'), undefined, text)
  }
})

test('a phone number is found as people write it', () => {
  const forms = [
    '+15005550100',
    ' 15005550100',
    '+1 (500) 555-0100',
    ' 1 500 555 0100',
    '0015005550100',
    '00 1 500/555.0100',
    '15005550100',
    '+1\u00a0500\u00a05550100',
  ]
  for (const text of forms) assert.equal(parseRecipient(text), '+15005550100', text)
  assert.equal(parseRecipient('+49 (0) 151 23456789'), '+4915123456789')
  for (const text of ['', '+', '123456', '+0123', '+1234567890123456', '12 monkeys', '5+5', 'ana@', '@example.com']) {
    assert.equal(parseRecipient(text), undefined, text)
  }
  assert.equal(parseRecipient(' Ana@Example.com '), 'Ana@example.com')
})

test('a full recipient is hardly anything else', () => {
  for (const text of ['+1 (500) 555-0100', ' +15005550100']) assert.deepEqual(kindsOf(text), ['recipient', 'words'])
  assert.deepEqual(kindsOf('ana@example.com'), ['recipient', 'provider_message_id', 'words'])
  assert.deepEqual(kindsOf('15005550100').slice(0, 2), ['recipient', 'message_id'])
})

test('a single word may be an id, a key, a name, a code or a tag', () => {
  const names = ['provider_message_id', 'idempotency_key', 'batch', 'template', 'error_code', 'tag', 'words']
  assert.deepEqual(kindsOf('welcome'), names)
  assert.deepEqual(kindsOf('blue bicycle'), ['tag', 'words'])
  assert.deepEqual(kindsOf(ID), ['message_id', ...names])
  assert.deepEqual(
    kindsOf('a.b'),
    names.filter((kind) => kind !== 'batch'),
  )
  assert.deepEqual(kindsOf('schön'), ['provider_message_id', 'error_code', 'tag', 'words'])
})

test('key:value is a metadata field unless the key is an operator', () => {
  assert.deepEqual(termsOf('order:A-17', 'metadata'), { metadata: ['order:A-17'] })
  assert.deepEqual(termsOf('order:"A 17" city:Lisboa big bag', 'metadata'), {
    metadata: ['order:A 17', 'city:Lisboa'],
    text: 'big bag',
  })
  assert.deepEqual(termsOf('"customer name":Ana', 'metadata'), { metadata: ['customer name:Ana'] })
  assert.deepEqual(termsOf('https://example.com/a:b', 'metadata'), { metadata: ['https://example.com/a:b'] })
  assert.equal(termsOf('order:A-17', 'filters'), undefined)
  assert.equal(termsOf('order: A', 'metadata'), undefined)
})

test('operators can be combined with each other, with metadata fields and with words', () => {
  assert.deepEqual(termsOf('status:failed order', 'filters'), { status: 'failed', text: 'order' })
  assert.deepEqual(termsOf('Status:FAILED channel:sms lane:bulk provider:twilio template:welcome', 'filters'), {
    status: 'failed',
    channel: 'sms',
    lane: 'bulk',
    provider: 'twilio',
    template: 'welcome',
  })
  assert.deepEqual(termsOf(`id:${ID} batch:b-1 error:INVALID_NUMBER tag:vip tag:"very old" order:7`, 'filters'), {
    id: ID,
    batchId: 'b-1',
    errorCode: 'INVALID_NUMBER',
    tag: ['vip', 'very old'],
    metadata: ['order:7'],
  })
  assert.deepEqual(termsOf('provider_message_id:SM1 idempotency_key:"a b"', 'filters'), {
    providerMessageId: 'SM1',
    idempotencyKey: 'a b',
  })
})

test('a recipient is an operand in every form, also when a query string has decoded its plus', () => {
  for (const to of ['+15005550100', ' 15005550100', '"+1 (500) 555-0100"', '0015005550100']) {
    assert.deepEqual(termsOf(`status:sent to:${to}`, 'filters'), { status: 'sent', to: '+15005550100' }, to)
  }
})

test('what is no operand may be a metadata field', () => {
  assert.deepEqual(termsOf('status:gold tag:vip', 'filters'), { tag: ['vip'], metadata: ['status:gold'] })
  assert.deepEqual(termsOf('status:failed', 'metadata'), { metadata: ['status:failed'] })
  assert.equal(termsOf('status:gold', 'filters'), undefined)
})

test('operators that contradict each other find nothing', () => {
  assert.equal(termsOf('status:sent status:failed', 'filters'), undefined)
  assert.deepEqual(termsOf('status:sent status:sent', 'filters'), { status: 'sent' })
})
