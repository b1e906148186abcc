/** Bounces, in the SMTP session or by a later mail of the server, and suppressions. */
import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { DELIVERED, type DsnStatus, NO_SUCH_MAILBOX, reportOn } from '../support/dsn.ts'
import { mailboxAt, mailsTo, postMail, sendMail, someMail, untilMailed } from '../support/email.ts'
import { kindsOf, show, untilEvent, untilStatus } from '../support/sms.ts'
import type { SinkMail } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'
import { BOUNCE_SECRET, type EmailSite, PATIENT } from './email-site.fixture.ts'

type Suppression = Readonly<{ address: string; reason: string; note: string | null; message_id: string | null }>
type Page = Readonly<{ items: readonly Suppression[] }>

export function emailBouncesContract({ site: { gateway }, sink }: EmailSite): void {
  beforeEach(() => {
    for (const point of ['rcpt', 'end'] as const) sink.react(point, 'take')
  })

  const suppressed = (address: string) => gateway.call<Suppression>('GET', `/v1/suppressions/${address}`)
  const untilSuppressed = (address: string) =>
    until('the address to be suppressed', async () => {
      const { status, body } = await suppressed(address)
      return status === 200 && body
    })
  /** Forwards a bounce to the gateway, as the operator's mail server would. */
  const forwardBounce = (mail: SinkMail, status: DsnStatus, secret = BOUNCE_SECRET) =>
    gateway.call<{ received: number }>('POST', '/v1/callbacks/post', reportOn(mail, status).toString(), {
      authorization: `Bearer ${secret}`,
      'content-type': 'message/rfc822',
    })
  async function refusalOf(mail: object): Promise<unknown> {
    const { status, body } = await postMail(gateway, someMail(mail))
    return [status, body.error_code]
  }
  const SUPPRESSED = [422, 'RECIPIENT_SUPPRESSED']

  test('an unknown mailbox fails the mail permanently and is suppressed until the suppression is removed', async () => {
    const to = mailboxAt('mail.example')
    sink.react('rcpt', (_nth, address) => (address === to ? '550 5.1.1 no such user' : 'take'))
    const id = await sendMail(gateway, { to })
    const message = await untilStatus(gateway, id, 'failed', PATIENT)
    assert.deepEqual([message.error_code, message.attempts, message.dead_letter], ['HARD_BOUNCE', 1, false])
    const { reason, message_id: by } = await untilSuppressed(to)
    assert.deepEqual([reason, by], ['hard_bounce', id])
    assert.deepEqual([await refusalOf({ to }), await refusalOf({ cc: [to] })], [SUPPRESSED, SUPPRESSED])
    assert.deepEqual(mailsTo(sink, to), [])

    sink.react('rcpt', 'take')
    assert.equal((await gateway.call('DELETE', `/v1/suppressions/${to}`)).status, 204)
    await untilStatus(gateway, await sendMail(gateway, { to }), 'sent', PATIENT)
    assert.equal(mailsTo(sink, to).length, 1)
  })

  test('a forwarded bounce report with the secret bounces the mail, and one without it does not', async () => {
    const to = mailboxAt('mail.example')
    const id = await sendMail(gateway, { to })
    await untilStatus(gateway, id, 'sent', PATIENT)
    const mail = await untilMailed(sink, to)
    assert.equal((await forwardBounce(mail, NO_SUCH_MAILBOX, 'a-guess')).status, 401)
    assert.equal((await show(gateway, id)).status, 'sent')
    for (const _ of ['once', 'and again']) {
      const { status, body } = await forwardBounce(mail, NO_SUCH_MAILBOX)
      assert.deepEqual([status, body.received], [200, 1])
    }
    const message = await show(gateway, id)
    assert.deepEqual([message.status, message.provider_state, message.error_code], ['failed', 'bounced', 'HARD_BOUNCE'])
    assert.equal(kindsOf(message).filter((kind) => kind === 'ProviderBounced').length, 1)
    assert.equal((await untilSuppressed(to)).message_id, id)
    assert.deepEqual(await refusalOf({ to }), SUPPRESSED)
  })

  test('a report resolves a mail with an unknown outcome, and it is not sent again', async () => {
    const to = mailboxAt('mail.example')
    sink.react('end', 'hang up')
    const id = await sendMail(gateway, { to })
    await untilEvent(gateway, id, 'HandoffUnknown', PATIENT)
    sink.react('end', 'take')
    assert.equal((await forwardBounce(await untilMailed(sink, to), DELIVERED)).status, 200)
    const message = await show(gateway, id)
    assert.deepEqual([message.status, message.attempts, message.unknown], ['delivered', 1, false])
    assert.deepEqual(kindsOf(message).slice(-3), ['HandoffUnknown', 'HandoffAccepted', 'ProviderDelivered'])
    assert.equal(mailsTo(sink, to).length, 1)
  })

  test('each tenant has its own suppressions', async () => {
    const [one, two] = [mailboxAt('list.example'), mailboxAt('list.example')]
    const put = await gateway.call('PUT', `/v1/suppressions/${one.toUpperCase()}`, {
      reason: 'unsubscribe',
      note: 'by phone',
    })
    assert.equal(put.status, 200, put.text)
    const items = [{ address: two }]
    assert.equal((await gateway.call('POST', '/v1/suppressions', { items })).status, 200)
    const { body } = await gateway.call<Page>('GET', '/v1/suppressions?q=@list.example&limit=10')
    const listed = new Map(body.items.map(({ address, reason, note }) => [address, [reason, note]]))
    assert.deepEqual(
      listed,
      new Map([
        [two, ['manual', null]],
        [one, ['unsubscribe', 'by phone']],
      ]),
    )
    assert.deepEqual([await refusalOf({ to: one }), await refusalOf({ to: two })], [SUPPRESSED, SUPPRESSED])
    for (const address of [one, two]) {
      assert.equal((await gateway.call('DELETE', `/v1/suppressions/${address}`)).status, 204)
      assert.equal((await suppressed(address)).status, 404)
    }
    assert.deepEqual((await gateway.call<Page>('GET', '/v1/suppressions?q=@list.example')).body.items, [])
  })
}
