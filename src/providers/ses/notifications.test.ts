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
  ['DeliveryDelay of a new kind', delayOf('Weather'), 'accepted', 'DELAYED', undefined, /keeps trying/],
  ['Bounce Permanent General', bounceOf('Permanent', 'General'), 'bounced', 'HARD_BOUNCE', 'hard_bounce', /for good/],
  ['Bounce Permanent NoEmail', bounceOf('Permanent', 'NoEmail'), 'bounced', 'HARD_BOUNCE', 'hard_bounce', /no such/],
  [
    'Bounce Permanent Suppressed',
    bounceOf('Permanent', 'Suppressed'),
    'bounced',
    'HARD_BOUNCE',
    'hard_bounce',
    /did not try/,
  ],
  [
    'Bounce Permanent OnAccountSuppressionList',
    bounceOf('Permanent', 'OnAccountSuppressionList'),
    'bounced',
    'HARD_BOUNCE',
    'hard_bounce',
    /did not try.*of the account/,
  ],
  ['Bounce Transient General', bounceOf('Transient', 'General'), 'dropped', 'SOFT_BOUNCE', undefined, /did not take/],
  ['Bounce Transient MailboxFull', bounceOf('Transient', 'MailboxFull'), 'dropped', 'SOFT_BOUNCE', undefined, /full/],
  ['Bounce Undetermined', bounceOf('Undetermined', 'Undetermined'), 'dropped', 'SOFT_BOUNCE', undefined, /did not/],
  ['Bounce without a sub-type', bounceOf('Transient', null), 'dropped', 'SOFT_BOUNCE', undefined, /did not/],
  ['Complaint', complaintOf(), 'complaint', 'COMPLAINT', 'complaint', /complained/],
  [
    'Complaint OnAccountSuppressionList',
    complaintOf({ complaintSubType: 'OnAccountSuppressionList' }),
    'complaint',
    'COMPLAINT',
    'complaint',
    /did not try/,
  ],
  ['Reject', eventOf('Reject', { reject: { reason: 'Bad content' } }), 'dropped', 'SES_REJECTED', undefined, /harmful/],
  [
    'Rendering Failure',
    eventOf('Rendering Failure', { failure: { errorMessage: MARIA, templateName: 't' } }),
    'dropped',
    'SES_RENDERING_FAILED',
    undefined,
    /template/,
  ],
] as const) {
  test(`${what} means ${state} ${code ?? ''}, in words that name nobody`, () => {
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
  ['a type of tomorrow', eventOf('Teleported')],
  ['a complaint that it is no spam', complaintOf({ complaintFeedbackType: 'not-spam' })],
  ['what is no mail of ours', deliveryOf({ ...MAIL, tags: {} })],
  ['a tag that is no reference', deliveryOf({ ...MAIL, tags: { attempt: ['hello'] } })],
  ['a delivery without its own part', eventOf('Delivery')],
  ['no mail', { eventType: 'Delivery', delivery: { recipients: [MARIA] } }],
  ['nothing', {}],
  ['null', null],
] as const) {
  test(`${what} changes nothing`, () => assert.deepEqual(read(json), []))
}

test('what SNS says by itself, such as that a topic works, changes nothing', () => {
  const message = 'Successfully validated SNS topic for Amazon SES event publishing.'
  assert.deepEqual(toReceipts({ id: 'sns-1', message }), [])
})

test('what an identity tells has our reference in the Message-ID, and another word for its type', () => {
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

describe('whom it is about', () => {
  test('is each of the recipients, with a report of their own', () => {
    const receipts = read(bounceOf('Permanent', 'General', people(JOHN, `Maria <${MARIA.toUpperCase()}>`), TO_BOTH))
    assert.deepEqual(
      receipts.map(({ about, reportId, copy }) => [about, reportId, copy]),
      [
        [JOHN, `${MAIL.id}:feedback-1:1`, true],
        [MARIA, `${MAIL.id}:feedback-1:0`, undefined],
      ],
    )
  })

  test('is the only one it went to, whoever a server names that passed it on', () => {
    for (const named of ['somebody@elsewhere.example', 'no address']) {
      const [receipt] = read(bounceOf('Permanent', 'General', people(named)))
      assert.equal(receipt?.about, MARIA)
      assert.deepEqual(read(bounceOf('Permanent', 'General', people(named), TO_BOTH)), [])
    }
  })
})

describe('a report', () => {
  const idsOf = (json: unknown, id?: string) => read(json, id).map(({ reportId }) => reportId)

  test('is the same when SNS tells it under another name, save that a mail is delayed', () => {
    for (const json of [deliveryOf(MAIL), bounceOf('Permanent', 'General'), complaintOf(), eventOf('Send')]) {
      assert.deepEqual(idsOf(json, 'sns-1'), idsOf(json, 'sns-2'))
    }
    assert.notDeepEqual(idsOf(delayOf('General'), 'sns-1'), idsOf(delayOf('General'), 'sns-2'))
  })

  test('on one recipient is not that on another, though each comes in its own notification', () => {
    const of = (one: string) => {
      const delivery = deliveryOf(TO_BOTH) as { delivery: object }
      return idsOf({ ...delivery, delivery: { ...delivery.delivery, recipients: [one] } })
    }
    assert.notDeepEqual(of(MARIA), of(JOHN))
  })
})

test('whatever SES may write tomorrow is read without a fault', () => {
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
