/** A client that lost the 250 sends again, and nothing is sent twice; and what is kept byte for byte. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { mailboxAt, mailsTo, untilMailed } from '../support/email.ts'
import { untilStatus } from '../support/sms.ts'
import { PATIENT } from './email-site.fixture.ts'
import { idsIn, type SmtpListenerSite, someSource, submit } from './smtp-listener-site.fixture.ts'

export function smtpRepeatedContract({ site, sink, dialog }: SmtpListenerSite): void {
  const { gateway } = site

  test('the same mail again gets the same id and is sent once, whatever a relay has added', async () => {
    using client = await dialog()
    const [to, source] = [mailboxAt('mail.example'), someSource(['X-Pombo-Tag: again'])]
    const traced = `Received: from elsewhere by relay.example; ${new Date().toUTCString()}\r\n${source}`
    const encoded = source.replace('\r\n\r\nHello\r\n', '\r\nContent-Transfer-Encoding: base64\r\n\r\nSGVsbG8=\r\n')
    assert.notEqual(encoded, source)
    const replies: string[] = []
    for (const one of [source, traced, encoded]) replies.push(await submit(client, one, to))
    const [first = '', ...others] = replies.map((reply) => idsIn(reply)[0])
    assert.deepEqual(others, [first, first])
    await untilStatus(gateway, first, 'sent', PATIENT)
    assert.equal(mailsTo(sink, to).length, 1)
  })

  test('another text with the same Message-ID is another mail', async () => {
    using client = await dialog()
    const [to, id] = [mailboxAt('mail.example'), `Message-ID: <${randomUUID()}@acme.example>`]
    const mail = (body: string): string => `From: shop@acme.example\r\n${id}\r\nDate: x\r\n\r\n${body}\r\n`
    const [one, other] = [await submit(client, mail('One'), to), await submit(client, mail('Other'), to)]
    assert.notEqual(idsIn(one)[0], idsIn(other)[0])
  })

  test('a mail without Message-ID is found again by its bytes, and without a Date too it is a new one', async () => {
    using client = await dialog()
    const to = mailboxAt('mail.example')
    const dated = `From: shop@acme.example\r\nDate: ${new Date().toUTCString()}\r\n\r\n${randomUUID()}\r\n`
    const [first, again] = [await submit(client, dated, to), await submit(client, dated, to)]
    assert.deepEqual(idsIn(first), idsIn(again))
    const bare = 'Subject: Disk full\r\n\r\nOn host seven\r\n'
    const [alert, next] = [await submit(client, bare, to), await submit(client, bare, to)]
    assert.notDeepEqual(idsIn(alert), idsIn(next))
  })

  test('after some recipients were stored and one failed, sending again stores only the missing one', async () => {
    using client = await dialog()
    const [one, two] = [mailboxAt('mail.example'), mailboxAt('mail.example')]
    const source = someSource()
    const [stored = ''] = idsIn(await submit(client, source, one))
    const both = idsIn(await submit(client, source, one, two))
    assert.equal(both[0], stored)
    for (const id of both) await untilStatus(gateway, id, 'sent', PATIENT)
    assert.deepEqual([mailsTo(sink, one).length, mailsTo(sink, two).length], [1, 1])
  })

  test('bytes are sent on as they came, except for Bcc and what is meant for us or for relays', async () => {
    using client = await dialog()
    const to = mailboxAt('mail.example')
    const kept = [
      'From:  "Ac me"   <shop@acme.example>',
      'subject: =?utf-8?q?Fa=C3=A7a?=',
      '\tand folded',
      `Message-Id: <${randomUUID()}@acme.example>`,
      'Date: Fri, 20 Nov 2026 00:00:00 +0100',
      'X-Odd:value ',
      'DKIM-Signature: v=1; a=rsa-sha256; d=acme.example; b=abc',
      'Content-Type: multipart/mixed; boundary="a b"',
    ].join('\r\n')
    const gone = 'Bcc: hidden@acme.example,\r\n\tsecret@acme.example\r\nX-SMTPAPI: {"to":["x@y.example"]}\r\n'
    const own = 'X-Pombo-Tag: a, b\r\nReturn-Path: <x@y.example>\r\n'
    const body = Buffer.concat([
      Buffer.from('preamble\r\n--a b\r\n\r\n'),
      Buffer.from([0xff, 0xfe, 0x80, 0x20]),
      Buffer.from('\r\n..two dots\r\n--a b--\r\n \r\n'),
    ])
    const source = Buffer.concat([Buffer.from(`${gone}${kept}\r\n${own}\r\n`), body])
    await client.say('MAIL FROM:<shop@acme.example> BODY=8BITMIME RET=HDRS ENVID=abc')
    await client.say(`RCPT TO:<${to}> NOTIFY=FAILURE ORCPT=rfc822;${to}`)
    await client.say('DATA')
    // A dot at the beginning of a line is doubled on the way, and must arrive as it was.
    const stuffed = Buffer.from(source.toString('latin1').replaceAll('\r\n.', '\r\n..'), 'latin1')
    const [id = ''] = idsIn(await client.send(Buffer.concat([stuffed, Buffer.from('.\r\n')])))
    await untilStatus(gateway, id, 'sent', PATIENT)
    const { raw, from } = await untilMailed(sink, to)
    const [added = ''] = /^X-Pombo-Attempt: [0-9a-f-]{36}\.1\.1\r\n/.exec(raw.toString('latin1')) ?? []
    assert.ok(added.includes(id))
    const expected = Buffer.concat([Buffer.from(`${kept}\r\n\r\n`), body])
    assert.equal(raw.subarray(added.length).toString('latin1'), expected.toString('latin1'))
    assert.equal(from.args ? from.args['BODY'] : undefined, '8BITMIME')
  })
}
