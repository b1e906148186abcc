import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { toReference } from '../../domain/message/attempt-reference.ts'
import type { CallbackRequest } from '../../ports/provider.ts'
import { someContext } from '../context.fixture.ts'
import { someMailAttempt } from '../mail.fixture.ts'
import { readDsn } from './dsn.ts'
import { openSmtp } from './smtp.ts'

const { ref } = someMailAttempt()
const REFERENCE = toReference(ref)
const MESSAGE_ID = `${REFERENCE}@acme.example`

type Report = Readonly<{ perMail?: readonly string[]; perRecipient?: readonly string[]; returned?: readonly string[] }>

const FAILED = [
  'Final-Recipient: rfc822; Maria.Silva@Example.org',
  'Original-Recipient: rfc822;maria.silva@example.org',
  'Action: failed',
  'Status: 5.1.1',
  'Diagnostic-Code: smtp; 550 5.1.1 <maria.silva@example.org>:',
  '    user unknown',
]

const toBytes = (lines: readonly string[]): Buffer => Buffer.from(lines.join('\r\n'), 'latin1')

/** In the format of Postfix. */
function toDsn({
  perMail = [`Original-Envelope-Id: ${REFERENCE}`],
  perRecipient = FAILED,
  returned,
}: Report = {}): Buffer {
  const back = returned ?? [`Message-ID: <${MESSAGE_ID}>`, 'Subject: Seu código é 402718']
  return toBytes([
    'From: MAILER-DAEMON@mx.example (Mail Delivery System)',
    'To: bounces@acme.example',
    'Subject: Undelivered Mail Returned to Sender',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="B"',
    '',
    '--B',
    'Content-Description: Notification',
    'Content-Type: text/plain; charset=us-ascii',
    '',
    'I am sorry to have to inform you.',
    '',
    '--B',
    'Content-Description: Delivery report',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.example',
    ...perMail,
    '',
    ...perRecipient,
    '',
    '--B',
    'Content-Type: text/rfc822-headers',
    '',
    ...back,
    '',
    '--B--',
    '',
  ])
}

const withLine = (name: string, line: string): readonly string[] =>
  FAILED.map((one) => (one.startsWith(name) ? line : one))

describe('a delivery status notification', () => {
  test('about an unknown mailbox is a hard bounce with its address', async () => {
    assert.deepEqual(await readDsn(toDsn()), [
      {
        ref,
        providerMessageId: MESSAGE_ID,
        reportId: 'failed 5.1.1',
        state: 'bounced',
        code: 'HARD_BOUNCE',
        suppresses: 'hard_bounce',
        detail: 'the mail server reported the delivery as failed 5.1.1',
        unauthenticated: true,
        about: 'maria.silva@example.org',
      },
    ])
  })

  for (const [what, perRecipient, expected] of [
    ['a policy', withLine('Status', 'Status: 5.7.1 (denied)'), ['bounced', 'HARD_BOUNCE', undefined]],
    ['a full mailbox', withLine('Status', 'Status: 5.2.2'), ['bounced', 'SOFT_BOUNCE', undefined]],
    ['an expired message', withLine('Status', 'Status: 4.4.7'), ['bounced', 'SOFT_BOUNCE', undefined]],
    ['a delay', withLine('Action', 'Action: delayed'), ['accepted', 'DELAYED', undefined]],
    ['a delivery', withLine('Action', 'Action: delivered'), ['delivered', undefined, undefined]],
    ['a relay', withLine('Action', 'ACTION: Relayed'), ['accepted', undefined, undefined]],
    ['a mailing list', withLine('Action', 'Action: expanded'), ['accepted', undefined, undefined]],
  ] as const) {
    test(`about ${what} is ${expected.filter(Boolean).join(' ')}`, async () => {
      const [receipt] = await readDsn(toDsn({ perRecipient }))
      assert.deepEqual([receipt?.state, receipt?.code, receipt?.suppresses], expected)
    })
  }

  test('may be in the format for internationalized addresses', async () => {
    const global = toDsn({ perRecipient: withLine('Final', 'Final-Recipient: utf-8; Maria.Silva@Example.org') })
      .toString('latin1')
      .replace('message/delivery-status', 'message/global-delivery-status')
      .replace('text/rfc822-headers', 'message/global-headers')
      .replace('Original-Recipient: rfc822;', 'Original-Recipient: utf-8;')
    for (const text of [global, global.replace('Original-Envelope-Id', 'X')]) {
      const [receipt] = await readDsn(Buffer.from(text, 'latin1'))
      assert.deepEqual([receipt?.ref, receipt?.code, receipt?.about], [ref, 'HARD_BOUNCE', 'maria.silva@example.org'])
    }
  })

  test('is readable from its first mebibyte, however large the returned mail is', async () => {
    const returned = [`Message-ID: <${MESSAGE_ID}>`, '', ...Array<string>(30_000).fill('x'.repeat(70))]
    const whole = toDsn({ perMail: [], returned }).toString('latin1').replace('text/rfc822-headers', 'message/rfc822')
    assert.ok(whole.length > 2 * 1024 * 1024)
    const cut = Buffer.from(whole, 'latin1').subarray(0, 1024 * 1024)
    assert.deepEqual(await readDsn(cut), await readDsn(toDsn()))
  })

  test('about several recipients is one receipt for each', async () => {
    const copy = FAILED.map((line) => line.replace(/maria.silva@example.org/i, 'copy@example.org'))
    const receipts = await readDsn(toDsn({ perRecipient: [...FAILED, '', ...copy] }))
    assert.deepEqual(
      receipts.map(({ about }) => about),
      ['maria.silva@example.org', 'copy@example.org'],
    )
  })

  test('identifies its mail by the returned headers without an envelope id', async () => {
    assert.deepEqual((await readDsn(toDsn({ perMail: [] })))[0]?.ref, ref)
    const folded = ['Received: by x;', '\ttoday', 'message-id:', ` <${MESSAGE_ID}>`]
    assert.deepEqual((await readDsn(toDsn({ perMail: [], returned: folded })))[0]?.ref, ref)
  })

  test('identifies its mail by the returned mail', async () => {
    const whole = toDsn({ perMail: [] }).toString('latin1').replace('text/rfc822-headers', 'message/rfc822')
    assert.deepEqual((await readDsn(Buffer.from(whole, 'latin1')))[0]?.ref, ref)
  })

  test('identifies its mail by the envelope id if nothing was returned', async () => {
    const [receipt] = await readDsn(toDsn({ returned: [] }))
    assert.deepEqual([receipt?.ref, receipt?.providerMessageId], [ref, REFERENCE])
  })

  test('about an unknown mail is ignored, and so is any other mail', async () => {
    assert.deepEqual(await readDsn(toDsn({ perMail: [], returned: ['Message-ID: <other@acme.example>'] })), [])
    assert.deepEqual(await readDsn(toBytes(['Subject: hello', '', `Message-ID: <${MESSAGE_ID}>`])), [])
    assert.deepEqual(await readDsn(toDsn({ perRecipient: withLine('Action', 'Action: dreamt') })), [])
  })

  test('leaks no address outside of `about`', async () => {
    for (const { about, ...rest } of await readDsn(toDsn())) {
      assert.equal(about, 'maria.silva@example.org')
      assert.ok(!/maria/i.test(JSON.stringify(rest)))
    }
  })

  test('may be truncated or garbled', async () => {
    const bytes = toDsn()
    await fc.assert(
      fc.asyncProperty(fc.nat(bytes.length), fc.uint8Array({ maxLength: 40 }), async (at, noise) => {
        const garbled = Buffer.concat([bytes.subarray(0, at), noise, bytes.subarray(at + noise.length)])
        for (const { state } of await readDsn(garbled)) assert.match(state, /^(?:bounced|accepted|delivered)$/)
        assert.ok(Array.isArray(await readDsn(bytes.subarray(0, at))))
      }),
      { numRuns: 200 },
    )
  })
})

describe('the callback for bounces', () => {
  const settings = { host: 'mx.example', from: 'a@acme.example' }
  const toRequest = (authorization?: string): CallbackRequest => ({
    method: 'POST',
    url: 'https://pombo.example/v1/callbacks/acme',
    headers: new Headers(authorization === undefined ? {} : { authorization }),
    body: toDsn(),
  })

  test('requires the secret', async () => {
    await using provider = openSmtp({ ...settings, bounce_secret: 'a-secret' }, someContext())
    assert.equal(provider.capabilities.reports, 'callback')
    const read = async (authorization?: string) => {
      const receipts = await provider.readCallback(toRequest(authorization))
      return receipts === 'forged' ? receipts : receipts.length
    }
    assert.deepEqual(await Promise.all(['Bearer a-secret', 'bearer a-secret'].map(read)), [1, 1])
    const others = [undefined, '', 'Bearer ', 'Bearer a-secret2', 'Bearer a secret', 'Basic a-secret', 'a-secret']
    for (const other of others) assert.equal(await read(other), 'forged', other)
  })

  test('refuses everything without a secret in the settings', async () => {
    await using provider = openSmtp(settings, someContext())
    assert.equal(provider.capabilities.reports, 'never')
    for (const given of [undefined, 'Bearer ', 'Bearer undefined']) {
      assert.equal(await provider.readCallback(toRequest(given)), 'forged')
    }
  })
})
