import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { deliveryOf, mailOf, type SesMail } from '../../../test/support/fake-ses.ts'
import type { AttemptRef, MessageId } from '../../domain/ids.ts'
import { toReference } from '../../domain/message/attempt-reference.ts'
import { toReceipts } from './notifications.ts'

const REF: AttemptRef = { messageId: randomUUID() as MessageId, cycle: 2, attempt: 3 }
const [MARIA, JOHN] = ['maria.silva@example.org', 'john@b.example']
const MAIL: SesMail = {
  id: '010001-mail-000000',
  from: 'no-reply@acme.example',
  to: [MARIA],
  raw: Buffer.alloc(0),
  tags: { attempt: [toReference(REF)] },
}
const TO_BOTH = { ...MAIL, to: [MARIA, JOHN] }

const read = (json: unknown, id = 'sns-1') => toReceipts({ id, message: JSON.stringify(json) })
const people = (...addresses: readonly string[]) => addresses.map((emailAddress) => ({ emailAddress }))

const bounceOf = (type: string, subType: string | null, recipients: object[] = people(MARIA), mail = MAIL): object => ({
  eventType: 'Bounce',
  mail: mailOf(mail),
  bounce: {
    bounceType: type,
    bounceSubType: subType,
    bouncedRecipients: recipients.map((one) => ({
      action: 'failed',
      status: '5.1.1',
      diagnosticCode: `smtp; 550 5.1.1 <${MARIA}>: no such user`,
      ...one,
    })),
    timestamp: new Date().toISOString(),
    feedbackId: 'feedback-1',
    remoteMtaIp: '127.0.2.0',
    reportingMTA: 'dsn; a8-70.smtp-out.amazonses.com',
  },
})

const complaintOf = (more: object = {}, recipients = people(MARIA), mail = MAIL): object => ({
  eventType: 'Complaint',
  mail: mailOf(mail),
  complaint: {
    complainedRecipients: recipients,
    timestamp: new Date().toISOString(),
    feedbackId: 'feedback-2',
    complaintSubType: null,
    complaintFeedbackType: 'abuse',
    ...more,
  },
})

const delayOf = (delayType: string): object => ({
  eventType: 'DeliveryDelay',
  mail: mailOf(MAIL),
  deliveryDelay: { delayType, expirationTime: new Date().toISOString(), delayedRecipients: people(MARIA) },
})

const eventOf = (eventType: string, more: object = {}): object => ({ eventType, mail: mailOf(MAIL), ...more })

for (const [what, json, state, code, suppresses, detail] of [
  ['Send', eventOf('Send', { send: {} }), 'accepted', undefined, undefined, undefined],
  ['Delivery', deliveryOf(MAIL), 'delivered', undefined, undefined, undefined],
  ['DeliveryDelay', delayOf('MailboxFull'), 'accepted', 'DELAYED', undefined, /mailbox is full/],
  ['DeliveryDelay of an unknown type', delayOf('Weather'), 'accepted', 'DELAYED', undefined, /keeps trying/],
  [
    'Bounce Permanent General',
    bounceOf('Permanent', 'General'),
    'bounced',
    'HARD_BOUNCE',
    'hard_bounce',
    /permanently/,
  ],
  [
    'Bounce Permanent NoEmail',
    bounceOf('Permanent', 'NoEmail'),
    'bounced',
    'HARD_BOUNCE',
    'hard_bounce',
    /does not exist/,
  ],
  [
    'Bounce Permanent Suppressed',
    bounceOf('Permanent', 'Suppressed'),
    'bounced',
    'HARD_BOUNCE',
    'hard_bounce',
    /did not send/,
  ],
  [
    'Bounce Permanent OnAccountSuppressionList',
    bounceOf('Permanent', 'OnAccountSuppressionList'),
    'bounced',
    'HARD_BOUNCE',
    'hard_bounce',
    /did not send.*account/,
  ],
  ['Bounce Transient General', bounceOf('Transient', 'General'), 'dropped', 'SOFT_BOUNCE', undefined, /for now/],
  ['Bounce Transient MailboxFull', bounceOf('Transient', 'MailboxFull'), 'dropped', 'SOFT_BOUNCE', undefined, /full/],
  ['Bounce Undetermined', bounceOf('Undetermined', 'Undetermined'), 'dropped', 'SOFT_BOUNCE', undefined, /for now/],
  ['Bounce without a sub-type', bounceOf('Transient', null), 'dropped', 'SOFT_BOUNCE', undefined, /for now/],
  ['Complaint', complaintOf(), 'complaint', 'COMPLAINT', 'complaint', /spam/],
  [
    'Complaint OnAccountSuppressionList',
    complaintOf({ complaintSubType: 'OnAccountSuppressionList' }),
    'complaint',
    'COMPLAINT',
    'complaint',
    /did not send/,
  ],
  ['Reject', eventOf('Reject', { reject: { reason: 'Bad content' } }), 'dropped', 'SES_REJECTED', undefined, /malware/],
  [
    'Rendering Failure',
    eventOf('Rendering Failure', { failure: { errorMessage: MARIA, templateName: 't' } }),
    'dropped',
    'SES_RENDERING_FAILED',
    undefined,
    /template/,
  ],
] as const) {
  test(`${what} means ${state} ${code ?? ''}, without private data`, () => {
    const [receipt, ...others] = read(json)
    assert.ok(receipt !== undefined && others.length === 0)
    assert.deepEqual([receipt.ref, receipt.providerMessageId], [REF, MAIL.id])
    assert.deepEqual([receipt.state, receipt.code, receipt.suppresses], [state, code, suppresses])
    if (detail === undefined) assert.equal(receipt.detail, undefined)
    else assert.match(receipt.detail ?? '', detail)
    const { about, ...clear } = receipt
    assert.ok(about === undefined || about === MARIA)
    assert.ok(!JSON.stringify(clear).includes('maria'))
    assert.deepEqual(read(json), [receipt])
  })
}

for (const [what, json] of [
  ['Open', eventOf('Open', { open: { ipAddress: '192.0.2.1' } })],
  ['Click', eventOf('Click', { click: { link: 'https://acme.example' } })],
  ['Subscription', eventOf('Subscription')],
  ['an unknown type', eventOf('Teleported')],
  ['a complaint with not-spam feedback', complaintOf({ complaintFeedbackType: 'not-spam' })],
  ['a mail that is not ours', deliveryOf({ ...MAIL, tags: {} })],
  ['a tag that is not a reference', deliveryOf({ ...MAIL, tags: { attempt: ['hello'] } })],
  ['a delivery without details', eventOf('Delivery')],
  ['no mail', { eventType: 'Delivery', delivery: { recipients: [MARIA] } }],
  ['nothing', {}],
  ['null', null],
] as const) {
  test(`ignores ${what}`, () => assert.deepEqual(read(json), []))
}

test('ignores messages of SNS itself', () => {
  const message = 'Successfully validated SNS topic for Amazon SES event publishing.'
  assert.deepEqual(toReceipts({ id: 'sns-1', message }), [])
})

test('reads the notifications of an identity, with our reference in the Message-ID', () => {
  const { eventType, mail, ...rest } = bounceOf('Permanent', 'General') as Record<string, object>
  const { tags: _, ...bare } = mail as Record<string, unknown>
  for (const name of ['Message-ID', 'message-id']) {
    const headers = [
      { name: 'From', value: 'a@b.example' },
      { name, value: `<${toReference(REF)}@acme.example>` },
    ]
    const [receipt] = read({ notificationType: eventType, mail: { ...bare, headers }, ...rest })
    assert.deepEqual([receipt?.ref, receipt?.code], [REF, 'HARD_BOUNCE'])
  }
  assert.deepEqual(read({ notificationType: eventType, mail: { ...bare, headers: null }, ...rest }), [])
})

describe('the recipient of a receipt', () => {
  test('is each reported one, with its own report id', () => {
    const receipts = read(bounceOf('Permanent', 'General', people(JOHN, `Maria <${MARIA.toUpperCase()}>`), TO_BOTH))
    assert.deepEqual(
      receipts.map(({ about, reportId, copy }) => [about, reportId, copy]),
      [
        [JOHN, `${MAIL.id}:feedback-1:1`, true],
        [MARIA, `${MAIL.id}:feedback-1:0`, undefined],
      ],
    )
  })

  test('is the only one of the mail if the reported address is unknown', () => {
    for (const named of ['somebody@elsewhere.example', 'no address']) {
      const [receipt] = read(bounceOf('Permanent', 'General', people(named)))
      assert.equal(receipt?.about, MARIA)
      assert.deepEqual(read(bounceOf('Permanent', 'General', people(named), TO_BOTH)), [])
    }
  })
})

describe('the report id', () => {
  const idsOf = (json: unknown, id?: string) => read(json, id).map(({ reportId }) => reportId)

  test('is the same when SNS delivers an event twice, except for a delay', () => {
    for (const json of [deliveryOf(MAIL), bounceOf('Permanent', 'General'), complaintOf(), eventOf('Send')]) {
      assert.deepEqual(idsOf(json, 'sns-1'), idsOf(json, 'sns-2'))
    }
    assert.notDeepEqual(idsOf(delayOf('General'), 'sns-1'), idsOf(delayOf('General'), 'sns-2'))
  })

  test('differs between recipients in separate notifications', () => {
    const of = (one: string) => {
      const delivery = deliveryOf(TO_BOTH) as { delivery: object }
      return idsOf({ ...delivery, delivery: { ...delivery.delivery, recipients: [one] } })
    }
    assert.notDeepEqual(of(MARIA), of(JOHN))
  })
})

test('any event is read without an exception', () => {
  const types = ['Bounce', 'Complaint', 'Delivery', 'DeliveryDelay', 'Send', 'Reject']
  const part = fc.record(
    { bounceType: fc.string(), feedbackId: fc.anything(), recipients: fc.anything(), bouncedRecipients: fc.anything() },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.constantFrom(...types), part, fc.jsonValue(), (eventType, given, more) => {
      const json = { eventType, mail: mailOf(MAIL), bounce: given, complaint: given, delivery: given, more }
      for (const { ref, reportId } of read(json)) assert.ok(ref.attempt === 3 && reportId.startsWith(MAIL.id))
      read(more)
    }),
    { numRuns: 500 },
  )
})
