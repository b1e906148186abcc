/** It is no open relay, and no mail can be hidden in another. */
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { mailboxAt, mailsTo } from '../support/email.ts'
import { untilStatus } from '../support/sms.ts'
import { openSmtpDialog, SmtpDialog } from '../support/smtp-dialog.ts'
import { PATIENT } from './email-site.fixture.ts'
import { BOUNCE_DOMAIN, idsIn, type SmtpListenerSite, someSource } from './smtp-listener-site.fixture.ts'

/** Each has led some server to pass mail on. */
const TRICKS = [
  'victim@mail.example',
  `victim%mail.example@${BOUNCE_DOMAIN}`,
  `"victim@mail.example"@${BOUNCE_DOMAIN}`,
  `@${BOUNCE_DOMAIN}:victim@mail.example`,
  `@a.example,@${BOUNCE_DOMAIN}:victim@mail.example`,
  `mail.example!victim@${BOUNCE_DOMAIN}`,
  `victim@mail.example@${BOUNCE_DOMAIN}`,
  `victim@[127.0.0.1]`,
  'victim@localhost',
  'victim',
  'postmaster',
  `postmaster@${BOUNCE_DOMAIN}`,
  `bounces@${BOUNCE_DOMAIN}`,
  `bounces+@${BOUNCE_DOMAIN}`,
  `bounces+0190a8b0c0de70008000000000000001.1.1.0123456789abcdef@${BOUNCE_DOMAIN}`,
  `bounces+0190a8b0c0de70008000000000000001.1.1@${BOUNCE_DOMAIN}`,
  `victim@mail.example,bounces+x@${BOUNCE_DOMAIN}`,
  `victim@mail.example\0@${BOUNCE_DOMAIN}`,
]
const SENDERS = ['', 'victim@mail.example', 'shop@acme.example', `root@${BOUNCE_DOMAIN}`, 'ceo@rival.example']

export function smtpRelayingContract({ site, sink, port, tlsPort, certificate, key, dialog }: SmtpListenerSite): void {
  const { gateway } = site

  test('without a sign-in no address is accepted, whatever it looks like and whoever it is from', async () => {
    for (const sender of SENDERS) {
      using client = await openSmtpDialog(port)
      for (const trick of TRICKS) {
        await client.say(`MAIL FROM:<${sender}>`)
        assert.match(await client.say(`RCPT TO:<${trick}>`), /^5(?:01|30|50|53) /, trick)
        assert.match(await client.say('DATA'), /^503 /)
        await client.say('RSET')
      }
    }
    assert.equal(
      sink.mails.some(({ to }) => to.some(({ address }) => address.includes('victim'))),
      false,
    )
  })

  test('commands before EHLO, before MAIL and before AUTH lead nowhere', async () => {
    using client = new SmtpDialog(connect(port, '127.0.0.1'))
    await client.reply()
    assert.match(await client.say('MAIL FROM:<shop@acme.example>'), /^503 /)
    assert.match(await client.signIn(key), /^503 /)
    assert.match(await client.say('HELO [127.0.0.1]'), /^250 /)
    assert.match(await client.say('RCPT TO:<victim@mail.example>'), /^503 /)
    assert.match(await client.say('DATA'), /^503 /)
    for (const command of ['VRFY root', 'EXPN staff', 'ETRN mail.example', 'TURN', 'XCLIENT ADDR=127.0.0.1']) {
      assert.match(await client.say(command), /^5\d\d /, command)
    }
    assert.match(await client.say('AUTH CRAM-MD5'), /^504 /)
  })

  test('a connection that is refused too often is closed', async () => {
    using client = await openSmtpDialog(port)
    await client.say('MAIL FROM:<>')
    let last = ''
    for (let tries = 0; tries < 30 && !last.startsWith('421'); tries += 1) {
      last = await client.say('RCPT TO:<victim@mail.example>')
    }
    assert.match(last, /^421 .*Too many refused commands$/)
  })

  test('what comes in the clear before TLS does not count in it, and sign-in starts anew', async () => {
    using client = await dialog()
    await client.startTls(certificate)
    assert.match(await client.say('MAIL FROM:<shop@acme.example>'), /^503 /)
    await client.say('EHLO client.example')
    await client.say('MAIL FROM:<shop@acme.example>')
    assert.match(await client.say('RCPT TO:<victim@mail.example>'), /^530 /)
    const socket = connect(port, '127.0.0.1')
    const eager = new SmtpDialog(socket)
    await eager.reply()
    await eager.say('EHLO client.example')
    assert.match(await eager.send('STARTTLS\r\nMAIL FROM:<shop@acme.example>\r\nRCPT TO:<v@mail.example>\r\n'), /^220 /)
    socket.removeAllListeners('data')
    const secure = connectTls({ socket, ca: certificate, host: '127.0.0.1' })
    await new Promise((resolve) => secure.once('secureConnect', resolve))
    using inside = new SmtpDialog(secure)
    assert.match(await inside.say('EHLO client.example'), /^250-/, 'the injected commands have no reply')
    assert.match(await inside.say('DATA'), /^503 /)
  })

  test('the port with TLS from the start speaks nothing else', async () => {
    using plain = new SmtpDialog(connect(tlsPort, '127.0.0.1'))
    assert.doesNotMatch(await plain.say('EHLO client.example'), /250/)
  })

  test('a mail cannot be hidden in another: only CR LF . CR LF ends it, and other line breaks are refused', async () => {
    const victim = mailboxAt('mail.example')
    const hidden = `MAIL FROM:<ceo@acme.example>\r\nRCPT TO:<${victim}>\r\nDATA\r\n${someSource()}.\r\n`
    for (const end of ['\n.\n', '\n.\r\n', '\r.\r', '\r\n.\r', '\r\n.\n', '\r.\r\n', '\n\n.\r\n', '\r\n\0.\r\n']) {
      using client = await dialog()
      await client.say('MAIL FROM:<shop@acme.example>')
      await client.say(`RCPT TO:<${mailboxAt('mail.example')}>`)
      await client.say('DATA')
      const reply = await client.send(`${someSource()}${end}${hidden}`)
      assert.match(reply, /^550 5\.6\.11 /, JSON.stringify(end))
      assert.match(await client.say('NOOP'), /^250 /, 'there was one mail')
    }
    assert.deepEqual(mailsTo(sink, victim), [])
  })

  test('headers cannot be injected by what is parsed', async () => {
    using client = await dialog()
    const to = mailboxAt('mail.example')
    const subject = `=?utf-8?q?Hi=0D=0ABcc:_victim@mail.example?=`
    await client.say('MAIL FROM:<shop@acme.example>')
    await client.say(`RCPT TO:<${to}>`)
    await client.say('DATA')
    const [id = ''] = idsIn(await client.send(`${someSource().replace('Your parcel', subject)}.\r\n`))
    const message = await untilStatus(gateway, id, 'sent', PATIENT)
    assert.equal(message.subject, 'Hi  Bcc: victim@mail.example')
    assert.equal(mailsTo(sink, to)[0]?.to.length, 1)
  })
}
