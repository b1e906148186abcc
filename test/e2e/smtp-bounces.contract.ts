/** Bounces that come back over SMTP to the address that each mail was sent from. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DsnStatus, NO_SUCH_MAILBOX, reportOn } from '../support/dsn.ts'
import { mailboxAt, sendMail, untilMailed } from '../support/email.ts'
import { kindsOf, show, untilStatus } from '../support/sms.ts'
import { openSmtpDialog } from '../support/smtp-dialog.ts'
import type { SinkMail } from '../support/smtp-sink.ts'
import { PATIENT } from './email-site.fixture.ts'
import { BOUNCE_DOMAIN, idsIn, type SmtpListenerSite, someSource, submit } from './smtp-listener-site.fixture.ts'

export function smtpBouncesContract({ site, sink, port, dialog }: SmtpListenerSite): void {
  const { gateway } = site

  /** As the server of the recipient does: from nobody, without a sign-in. */
  async function bounce(to: string, report: string | Buffer): Promise<string> {
    using client = await openSmtpDialog(port)
    await client.say('MAIL FROM:<>')
    const reply = await client.say(`RCPT TO:<${to}>`)
    if (!reply.startsWith('250')) return reply
    await client.say('DATA')
    return await client.send(`${report.toString('latin1')}\r\n.\r\n`)
  }

  async function sent(to: string): Promise<Readonly<{ id: string; mail: SinkMail }>> {
    using client = await dialog()
    const [id = ''] = idsIn(await submit(client, someSource(), to))
    await untilStatus(gateway, id, 'sent', PATIENT)
    return { id, mail: await untilMailed(sink, to) }
  }

  const address = new RegExp(`^bounces\\+[0-9a-f]{32}\\.1\\.1\\.[0-9a-f]{16}@${BOUNCE_DOMAIN}$`)

  test('a hard bounce fails the mail and suppresses the recipient, once', async () => {
    const to = mailboxAt('mail.example')
    const { id, mail } = await sent(to)
    assert.match(mail.from.address, address)
    const report = reportOn(mail, NO_SUCH_MAILBOX)
    assert.equal(await bounce(mail.from.address.toUpperCase(), report), '250 2.6.0 OK: bounce received')
    assert.match(await bounce(mail.from.address, report), /^250 /)
    const message = await show(gateway, id)
    assert.deepEqual([message.status, message.provider_state, message.error_code], ['failed', 'bounced', 'HARD_BOUNCE'])
    assert.equal(kindsOf(message).filter((kind) => kind === 'ProviderBounced').length, 1)
    assert.equal((await gateway.call('GET', `/v1/suppressions/${to}`)).status, 200)
  })

  test('a delayed delivery is part of the timeline only', async () => {
    const { id, mail } = await sent(mailboxAt('mail.example'))
    const delayed: DsnStatus = { action: 'delayed', status: '4.4.1' }
    assert.match(await bounce(mail.from.address, reportOn(mail, delayed)), /^250 /)
    assert.equal((await show(gateway, id)).status, 'sent')
  })

  test('a mail that was sent over HTTP bounces the same way', async () => {
    const to = mailboxAt('mail.example')
    const id = await sendMail(gateway, { to })
    const mail = await untilMailed(sink, to)
    await untilStatus(gateway, id, 'sent', PATIENT)
    assert.match(mail.from.address, address)
    assert.match(await bounce(mail.from.address, reportOn(mail, NO_SUCH_MAILBOX)), /^250 /)
    assert.equal((await show(gateway, id)).status, 'failed')
  })

  test('an automatic answer is taken and changes nothing, and an address that was made up does not exist', async () => {
    const { id, mail } = await sent(mailboxAt('mail.example'))
    const [, other] = [id, await sent(mailboxAt('mail.example'))]
    assert.match(await bounce(mail.from.address, someSource(['Auto-Submitted: auto-replied'])), /^250 /)
    assert.equal((await show(gateway, id)).status, 'sent')
    const mac = /[0-9a-f]{16}(?=@)/
    const [wrong = ''] = mac.exec(other.mail.from.address) ?? []
    assert.match(await bounce(mail.from.address.replace(mac, wrong), reportOn(mail, NO_SUCH_MAILBOX)), /^530 /)
    assert.equal((await show(gateway, id)).status, 'sent')
  })

  test('a report about a stranger suppresses nobody', async () => {
    const { id, mail } = await sent(mailboxAt('mail.example'))
    const report = reportOn(mail, NO_SUCH_MAILBOX)
      .toString()
      .replace(/rfc822; .*/, 'rfc822; stranger@mail.example')
    assert.match(await bounce(mail.from.address, report), /^250 /)
    assert.equal((await gateway.call('GET', '/v1/suppressions/stranger@mail.example')).status, 404)
    assert.ok(id)
  })
}
