/** The columns and rows of bulk sends. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Form, guessMapping, type Mapping, mappingProblems } from '../../../console/src/pages/bulk/mapping.ts'
import { groupRows, toWays } from '../../../console/src/pages/bulk/routes-of.ts'
import { type Plan, type Row, RowReader, toKey } from '../../../console/src/pages/bulk/rows.ts'
import { TEXTS } from '../texts.ts'

const T = TEXTS.bulk
const SMS: Form = { channel: 'sms', template: undefined }
const EMAIL: Form = { channel: 'email', template: undefined }
const WITH_TEMPLATE: Form = {
  channel: 'sms',
  template: {
    name: 'shipped',
    locale: 'en',
    fields: [
      { name: 'first_name', isJson: false },
      { name: 'items', isJson: true },
    ],
  },
}

for (const [header, form, expected] of [
  [['Phone', 'Text', 'Sender', 'Tags', 'Other'], SMS, ['to', 'message', 'sender', 'tag', 'ignore']],
  [['MSISDN', 'sms', 'phone'], SMS, ['to', 'message', 'ignore']],
  [['E-Mail', 'Subject', 'HTML', 'from'], EMAIL, ['to', 'subject', 'html', 'sender']],
  [
    ['externalId', 'First Name', 'items', 'message'],
    WITH_TEMPLATE,
    ['recipient_external_id', 'data:first_name', 'data:items', 'ignore'],
  ],
  [['recipient_id', 'metadata.order', 'tag', 'label'], SMS, ['recipient_id', 'metadata', 'tag', 'tag']],
] as const) {
  test(`guesses ${expected.join(', ')} from ${header.join(', ')}`, () => {
    assert.deepEqual(guessMapping(header, form), expected)
  })
}

test('says what no column contains, and what more than one does', () => {
  assert.deepEqual(mappingProblems(['ignore'], SMS), [T.needs.recipient, T.needs.message])
  assert.deepEqual(mappingProblems(['to', 'to', 'message', 'tag', 'tag'], SMS), [T.sameTarget(T.targets.to)])
  assert.deepEqual(mappingProblems(['recipient_id', 'data:items'], WITH_TEMPLATE), [T.needs.data('first_name')])
  assert.deepEqual(mappingProblems(['to', 'subject', 'html'], EMAIL), [])
})

const planOf = (mapping: Mapping, form: Form = SMS, more: Partial<Plan> = {}): Plan => ({
  header: mapping,
  mapping,
  form,
  common: { sender: '', tag: '' },
  ...more,
})

function readAll(plan: Plan, ...cells: readonly (readonly string[])[]): readonly Row[] {
  const reader = new RowReader(plan)
  return cells.map((one, index) => reader.read({ cells: one, line: index + 2 }))
}

test('makes items of rows, with what all of them have in common', () => {
  const plan = planOf(['to', 'message', 'sender', 'tag', 'metadata', 'ignore'], SMS, {
    header: ['to', 'message', 'sender', 'tag', 'meta.order', 'x'],
    common: { sender: 'Acme', tag: 'news' },
  })
  const [first, second] = readAll(
    plan,
    ['+1 (500) 555-0100', ' Hi ', 'Shop', 'vip', 'A-1', 'x'],
    ['+15005550101', 'Ho', '', '', '', ''],
  )
  assert.deepEqual(first?.item, {
    to: '+15005550100',
    message: ' Hi ',
    sender_id: 'Shop',
    tags: ['vip', 'news'],
    metadata: { order: 'A-1' },
    lane: 'bulk',
  })
  assert.deepEqual(second?.item, { to: '+15005550101', message: 'Ho', sender_id: 'Acme', tags: ['news'], lane: 'bulk' })
  assert.deepEqual([first?.parts, first?.problems], [1, []])
})

test('makes items of emails and of templates, also for recipients of the directory', () => {
  const [mail] = readAll(planOf(['to', 'subject', 'html', 'sender'], EMAIL), ['a@b.example', 'S', '<p>', 'x@y.example'])
  assert.deepEqual(mail?.item, {
    ...{ to: 'a@b.example', subject: 'S', html: '<p>', channel: 'email', from: 'x@y.example', lane: 'bulk' },
  })
  const [row] = readAll(planOf(['recipient_external_id', 'data:first_name', 'data:items'], WITH_TEMPLATE), [
    ...['u-1', 'Ana', '[1, 2]'],
  ])
  assert.deepEqual(row?.item, {
    recipient_external_id: 'u-1',
    template: { name: 'shipped', locale: 'en', data: { first_name: 'Ana', items: [1, 2] } },
    lane: 'bulk',
  })
  assert.equal(row?.parts, undefined)
})

test('says what is wrong with a row, which has no item then', () => {
  const { rowProblems: P } = T
  const bad = readAll(
    planOf(['to', 'message']),
    ['', 'Hi'],
    ['15005550100', 'Hi'],
    ['ana', 'Hi'],
    ['+15005550100', '  '],
    ['+15005550100', 'x'.repeat(1601)],
    ['+15005550100', 'Hi', 'more'],
  )
  assert.deepEqual(
    bad.map(({ problems, item }) => [problems, item]),
    [
      [[P.noRecipient], undefined],
      [[P.noPlus], undefined],
      [[P.badPhone], undefined],
      [[P.empty(T.targets.message)], undefined],
      [[P.tooLong(1601)], undefined],
      [[P.cells(3, 2)], undefined],
    ],
  )
  const fields = readAll(planOf(['to', 'data:first_name', 'data:items'], WITH_TEMPLATE), ['+15005550100', '', '[1,'])
  assert.deepEqual(fields[0]?.problems, [P.missing('first_name'), P.json('items')])
  const [mail] = readAll(planOf(['to', 'subject', 'html'], EMAIL), ['nobody', 'S', '<p>'])
  assert.deepEqual(mail?.problems, [P.badEmail])
})

test('warns about a recipient of an earlier row that is sent', () => {
  const rows = readAll(
    planOf(['to', 'message']),
    ['+15005550100', ''],
    ['+15005550100', 'a'],
    ['+1 500 555 0100', 'b'],
    ['+15005550101', 'c'],
  )
  assert.deepEqual(
    rows.map(({ duplicateOf }) => duplicateOf),
    [undefined, undefined, 3, undefined],
  )
  assert.ok(rows[2]?.item !== undefined)
})

test('keys tell lines, files and names apart, and are valid whatever the name', () => {
  const keys = [toKey('', 'a'.repeat(64), 2), toKey('', 'a'.repeat(64), 3), toKey('', 'b'.repeat(64), 2)]
  assert.equal(new Set([...keys, toKey('again', 'a'.repeat(64), 2)]).size, 4)
  assert.equal(toKey(' x ', 'a'.repeat(64), 2), toKey('x', 'a'.repeat(64), 2))
  for (const name of ['ümläut 🕊'.repeat(40), '"%\\']) {
    assert.match(toKey(name, 'a'.repeat(64), 100_000), /^[\x20-\x7e]{1,255}$/)
  }
})

test('asks about one row for each sender and set of prefixes', () => {
  const rows = readAll(
    planOf(['to', 'message', 'sender']),
    ['+5511987654321', 'a', ''],
    ['+5511987654322', 'a', ''],
    ['+351912345678', 'a', ''],
    ['+351912345679', 'a', 'Acme'],
  )
  assert.deepEqual(groupRows(rows, 'sms', ['+55', '+5511']), [
    { to: '+5511987654321', sender: '', count: 2 },
    { to: '+351912345678', sender: '', count: 1 },
    { to: '+351912345679', sender: 'Acme', count: 1 },
  ])
})

test('adds up what goes the same way, most first', () => {
  const twilio = { name: 'twilio', isSimulator: false, isChosen: true, reason: '' }
  const routed = { kind: 'routed', route: 'sms', providers: [twilio], isSimulated: false } as const
  assert.deepEqual(
    toWays([
      { routing: { kind: 'none', reasons: [] }, count: 3 },
      { routing: routed, count: 2 },
      { routing: { ...routed, route: 'other' }, count: 5 },
    ]),
    [
      { kind: 'routed', providers: ['twilio'], isSimulated: false, count: 7 },
      { kind: 'none', providers: [], isSimulated: false, count: 3 },
    ],
  )
})
