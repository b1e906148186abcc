/** Every magic recipient of the simulator ends as documented, by SMS and by mail. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { Gateway } from '../support/gateway.ts'
import { QUICK } from '../support/routes.ts'
import type { SharedGateway, ShareGateway } from '../support/shared-gateway.ts'
import { inboxOf, kindsOf, magic, payloadField, send, show, untilEvent, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'

/** A limbo message is reported ten seconds after its call has timed out, so that a lookup at once comes before. */
const RECEIPT_DELAY_MS = 2_000
const LATE_REPORT = { withinMs: 45_000 }
const BY_MAIL = { channel: 'email', providers: ['simulator'] }
const ASKING = 'asking@acme.example'
/** Longer than any test, so that receipts come first, however slow the machine is. */
const WAITING = { unknown: { wait_seconds: 3_600 } }
const CONFIG = {
  routes: [
    ...QUICK.routes.map((route) => ({ ...WAITING, ...route })),
    { id: 'quick-mail', ...BY_MAIL, ...WAITING, retry: { delays_seconds: [0.1] } },
    { id: 'asking-mail', sender: ASKING, ...BY_MAIL, unknown: { wait_seconds: 0 } },
  ],
}

/** The expected end of a magic recipient's message and of each attempt. `phone` is missing for mail-only recipients. */
type Expectation = Readonly<{
  name: string
  phone?: string
  status: string
  code: Readonly<{ sms: string | null; email: string | null }>
  kinds: readonly string[]
  /** Reports during the call may be recorded in any order. */
  anyOrder?: true
  received: number
}>

const same = (code: string | null): Expectation['code'] => ({ sms: code, email: code })
const ACCEPTED = ['HandoffAttempted', 'HandoffAccepted']
const RETRIED = ['HandoffAttempted', 'RetryScheduled']
const REFUSED = ['HandoffAttempted', 'HandoffFailed']

const EXPECTATIONS: readonly Expectation[] = [
  {
    name: 'invalid',
    phone: '0001',
    status: 'failed',
    code: { sms: 'INVALID_NUMBER', email: 'INVALID_EMAIL' },
    kinds: REFUSED,
    received: 0,
  },
  {
    name: 'blocked',
    phone: '0002',
    status: 'failed',
    code: { sms: 'NUMBER_BLOCKED', email: 'RECIPIENT_BLOCKED' },
    kinds: REFUSED,
    received: 0,
  },
  {
    name: 'flaky',
    phone: '0003',
    status: 'delivered',
    code: same(null),
    kinds: [...RETRIED, ...RETRIED, ...ACCEPTED, 'ProviderDelivered'],
    received: 1,
  },
  {
    name: 'down',
    phone: '0004',
    status: 'failed',
    code: same('SERVICE_UNAVAILABLE'),
    kinds: [...RETRIED, ...RETRIED, ...RETRIED, ...RETRIED, 'HandoffAttempted', 'DeadLettered'],
    received: 0,
  },
  {
    name: 'limbo',
    phone: '0005',
    status: 'delivered',
    code: same(null),
    kinds: ['HandoffAttempted', 'HandoffUnknown', 'HandoffAccepted', 'ProviderDelivered'],
    received: 1,
  },
  {
    name: 'bounce',
    phone: '0007',
    status: 'failed',
    code: { sms: 'UNREACHABLE', email: 'HARD_BOUNCE' },
    kinds: [...ACCEPTED, 'ProviderBounced'],
    received: 1,
  },
  {
    name: 'noisy',
    phone: '0008',
    status: 'delivered',
    code: same(null),
    kinds: [...ACCEPTED, 'ProviderDelivered', 'ProviderAccepted'],
    anyOrder: true,
    received: 1,
  },
  {
    name: 'slow',
    phone: '0009',
    status: 'delivered',
    code: same(null),
    kinds: [...ACCEPTED, 'ProviderDelivered'],
    received: 1,
  },
  {
    name: 'complaint',
    status: 'failed',
    code: same('COMPLAINT'),
    kinds: [...ACCEPTED, 'ProviderDelivered', 'ProviderComplaint'],
    received: 1,
  },
]

export async function magicRecipientsContract(share: ShareGateway): Promise<void> {
  const gateway = await share({ config: CONFIG, receiptDelayMs: RECEIPT_DELAY_MS })

  describe('the magic recipient', { concurrency: true }, () => {
    for (const expected of EXPECTATIONS) {
      const { name, phone } = expected
      if (phone !== undefined) {
        test(`${phone} ends as ${expected.status} ${expected.code.sms ?? ''}`, async () => {
          await assertExpected(gateway, expected, 'sms', await send(gateway, { to: magic(phone) }), magic(phone))
        })
      }
      test(`${name}@ ends as ${expected.status} ${expected.code.email ?? ''}`, async () => {
        const to = freshMailbox(name)
        await assertExpected(gateway, expected, 'email', await sendMail(gateway, { to }), to)
      })
    }

    test('0005 and limbo@ are resolved by their receipts, or by a lookup if the route does not wait', async () => {
      const limbo = freshMailbox('limbo')
      const [waiting, asking, waitingMail, askingMail] = await Promise.all([
        send(gateway, { to: magic('0005') }),
        send(gateway, { to: magic('0005'), sender_id: 'Asking' }),
        sendMail(gateway, { to: limbo }),
        sendMail(gateway, { to: limbo, from: ASKING }),
      ])
      const accepted = async (id: string) => {
        const { events } = await untilEvent(gateway, id, 'ProviderDelivered', LATE_REPORT)
        return events
          .filter(({ event_type: kind }) => kind === 'HandoffAccepted')
          .map((event) => payloadField(event, 'by'))
      }
      assert.deepEqual([await accepted(waiting), await accepted(asking)], [['receipt'], ['lookup']])
      assert.deepEqual([await accepted(waitingMail), await accepted(askingMail)], [['receipt'], ['lookup']])
      const inbox = [...(await inboxOf(gateway, magic('0005'))), ...(await inboxOf(gateway, limbo))]
      const ids = new Set([waiting, asking, waitingMail, askingMail])
      assert.equal(inbox.filter(({ message_id: id }) => ids.has(id)).length, 4)
    })

    test('0006 and silent@ stay sent without receipts', async () => {
      const [sms, mail] = [
        await send(gateway, { to: magic('0006') }),
        await sendMail(gateway, { to: freshMailbox('silent') }),
      ]
      for (const id of [sms, mail]) await untilStatus(gateway, id, 'sent')
      await untilStatus(gateway, await send(gateway), 'delivered')
      await untilStatus(gateway, await sendMail(gateway, { to: freshMailbox('anybody') }), 'delivered')
      for (const [id, kinds] of [
        [sms, ACCEPTED],
        [mail, byMail(ACCEPTED)],
      ] as const) {
        const message = await show(gateway, id)
        assert.equal(message.status, 'sent')
        assert.deepEqual(kindsOf(message), ['MessageCreated', ...kinds])
      }
    })

    test('0009 and slow@ answer after five seconds', async () => {
      const sent = [send(gateway, { to: magic('0009') }), sendMail(gateway, { to: freshMailbox('slow') })]
      for (const id of await Promise.all(sent)) {
        const { events } = await untilStatus(gateway, id, 'delivered')
        const [begun, ended] = ['HandoffAttempted', 'HandoffAccepted'].map((kind) =>
          Date.parse(events.find(({ event_type }) => event_type === kind)?.at ?? ''),
        )
        assert(begun !== undefined && ended !== undefined && ended - begun >= 5_000)
      }
    })

    test('anybody@ shows the received mail to its tenant only', async () => {
      const to = freshMailbox('anybody')
      const attachments = [{ filename: 'a.txt', content_type: 'text/plain', content: 'cG9tYm8=' }]
      const id = await sendMail(gateway, { to, bcc: ['hidden@example.com'], attachments })
      await untilStatus(gateway, id, 'delivered')
      const [item] = await inboxOf(gateway, to)
      const path = `/v1/simulator/mails/${item?.attempt_id}`
      const { body } = await gateway.call<{ message_id: string; bcc: readonly string[] }>('GET', path)
      assert.deepEqual([body.message_id, body.bcc], [id, ['hidden@example.com']])
      const { text: source } = await gateway.call('GET', `${path}/raw`)
      assert.match(source, /^Subject: Your parcel\r?$/m)
      assert.doesNotMatch(source, /hidden@/)
      assert.equal((await gateway.call('GET', `${path}/attachments/0`)).text, 'pombo')
      const stranger = await gateway.of('stranger')
      for (const part of ['', '/raw', '/html', '/attachments/0']) {
        assert.equal((await stranger.call('GET', `${path}${part}`)).status, 404, part)
      }
    })

    for (const name of ['bounce', 'complaint']) {
      test(`${name}@ is suppressed, and another tag of the address is not`, async () => {
        const to = freshMailbox(name)
        await untilStatus(gateway, await sendMail(gateway, { to }), 'failed')
        await until(`${to} to be suppressed`, async () => {
          const { status, body } = await postMail(gateway, { to })
          return status === 422 && body.error_code === 'RECIPIENT_SUPPRESSED'
        })
        await sendMail(gateway, { to: freshMailbox(name) })
      })
    }
  })
}

async function assertExpected(
  gateway: SharedGateway,
  expected: Expectation,
  channel: 'sms' | 'email',
  id: string,
  to: string,
) {
  const kinds = channel === 'email' ? byMail(expected.kinds) : expected.kinds
  for (const kind of kinds) await untilEvent(gateway, id, kind, LATE_REPORT)
  const message = await show(gateway, id)
  assert.equal(message.status, expected.status)
  assert.equal(message.error_code, expected.code[channel])
  const events = ['MessageCreated', ...kinds]
  if (expected.anyOrder) assert.deepEqual(kindsOf(message).toSorted(), events.toSorted())
  else assert.deepEqual(kindsOf(message), events)
  assert.equal(message.attempts, kinds.filter((kind) => kind === 'HandoffAttempted').length)
  assert.equal(message.dead_letter, expected.name === 'down')
  const inbox = await inboxOf(gateway, to)
  assert.equal(inbox.filter((item) => item.message_id === id).length, expected.received)
}

/** A mail is validated before each attempt. */
const byMail = (kinds: readonly string[]): readonly string[] =>
  kinds.flatMap((kind) => (kind === 'HandoffAttempted' ? ['MessageValidated', kind] : [kind]))

/** A unique address per test, since a bounce suppresses the address. */
const freshMailbox = (name: string): string => `${name}+${randomUUID()}@sim.pombo.test`

type Mail = Readonly<{ to: string; from?: string; bcc?: readonly string[]; attachments?: readonly object[] }>
type Posted = Readonly<{ request_id: string; error_code?: string }>

const postMail = (gateway: Gateway, mail: Mail) =>
  gateway.call<Posted>('POST', '/v1/email/send', {
    subject: 'Your parcel',
    html: '<p>Your parcel is on its way.</p>',
    idempotency_key: randomUUID(),
    ...mail,
  })

async function sendMail(gateway: Gateway, mail: Mail): Promise<string> {
  const { status, body, text } = await postMail(gateway, mail)
  assert.equal(status, 202, text)
  return body.request_id
}
