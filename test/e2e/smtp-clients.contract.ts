/** The SMTP clients that people use, unchanged: nodemailer, swaks, Python's smtplib and Postfix. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { createTransport } from 'nodemailer'
import { findProgram, missingPrograms } from '../single-node/programs.ts'
import { mailboxAt, mailsTo, parseMail, untilMailed } from '../support/email.ts'
import { missingPostfix, openPostfix } from '../support/postfix.ts'
import { skipUnavailable } from '../support/skip.ts'
import { show, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'
import { PATIENT } from './email-site.fixture.ts'
import { idsIn, SIMULATED, type SmtpListenerSite } from './smtp-listener-site.fixture.ts'

const run = promisify(execFile)
/** In the suite; the script of the same name sends more. */
const RELAYED = 200

type Content = Readonly<{ subject: string; html: string; text: string | null; from: string; tags: readonly string[] }>

export function smtpClientsContract(world: SmtpListenerSite): void {
  const { site, sink, port, tlsPort, key, certificate, certificateFile, mailer } = world
  const { gateway } = site

  test('nodemailer sends html, text and a file, which arrive as they were written', async () => {
    const [to, file] = [mailboxAt('mail.example'), randomBytes(50_000)]
    const sent = await mailer().sendMail({
      from: 'Acme <shop@acme.example>',
      to,
      bcc: [],
      subject: 'Sua fatura 👋',
      text: 'Olá',
      html: '<p>Olá</p>',
      attachments: [{ filename: 'fatura.pdf', content: file }],
      headers: { 'X-Pombo-Tag': 'invoice', 'X-Pombo-Metadata-Order': '1138' },
    })
    const [id = ''] = idsIn(sent.response ?? '')
    const message = await untilStatus(gateway, id, 'sent', PATIENT)
    assert.deepEqual(
      [message.tags, message.metadata, message.subject],
      [['invoice'], { order: '1138' }, 'Sua fatura 👋'],
    )
    const { raw } = await untilMailed(sink, to)
    const mail = await parseMail(raw)
    assert.deepEqual([mail.subject, mail.html?.trim(), mail.text?.trim()], ['Sua fatura 👋', '<p>Olá</p>', 'Olá'])
    assert.deepEqual(Buffer.from(mail.attachments[0]?.content as ArrayBuffer), file)
    assert.equal(mail.messageId, sent.messageId)
    assert.equal(raw.includes('X-Pombo-Tag'), false)
    const { body } = await gateway.call<Content & { attachments: unknown }>('GET', `/v1/messages/${id}/content`)
    assert.deepEqual([body.subject, body.html.trim(), body.text?.trim()], ['Sua fatura 👋', '<p>Olá</p>', 'Olá'])
    assert.deepEqual(body.attachments, [{ filename: 'fatura.pdf', content_type: 'application/pdf', size: 50_000 }])
  })

  test('nodemailer with TLS from the start sends to two recipients, who get a message each', async () => {
    const auth = { user: 'apikey', pass: key }
    const client = createTransport({ host: '127.0.0.1', port: tlsPort, secure: true, tls: { ca: certificate }, auth })
    const to = [mailboxAt('mail.example'), mailboxAt('mail.example')]
    const { response } = await client.sendMail({ from: 'shop@acme.example', to, subject: 'Both', text: 'Hi' })
    assert.equal(idsIn(response).length, 2)
    for (const [index, id] of idsIn(response).entries()) {
      await untilStatus(gateway, id, 'sent', PATIENT)
      assert.equal(mailsTo(sink, to[index] ?? '').length, 1)
    }
  })

  test("Python's smtplib sends plain text without Date and Message-ID", async (t) => {
    const missing = missingPrograms('python3')
    if (missing !== undefined) return skipUnavailable(t, missing)
    const to = mailboxAt('mail.example')
    const script = `
import smtplib, ssl, sys
port, key, ca, to = sys.argv[1:]
context = ssl.create_default_context(cafile=ca)
with smtplib.SMTP('127.0.0.1', int(port), timeout=20) as client:
    client.starttls(context=context)
    client.login('apikey', key)
    client.sendmail('cron@acme.example', [to], 'Subject: Disk full\\n\\n.leading dot\\nOn host seven')
`
    await run(findProgram('python3') ?? '', ['-c', script, String(port), key, certificateFile, to], { timeout: 60_000 })
    const { raw } = await untilMailed(sink, to)
    const mail = await parseMail(raw)
    assert.deepEqual([mail.subject, mail.text?.trim()], ['Disk full', '.leading dot\nOn host seven'])
    assert.equal(mail.from?.address, 'cron@acme.example')
    assert.match(raw.toString(), /^Date: .* \+0000\r$/m)
    assert.match(raw.toString(), /^Message-ID: <[^>]+@acme\.example>\r$/m)
  })

  test('swaks signs in with STARTTLS and gets the id of the message', async (t) => {
    const missing = missingPrograms('swaks')
    if (missing !== undefined) return skipUnavailable(t, missing)
    const to = mailboxAt('mail.example')
    const server = ['--server', `127.0.0.1:${port}`, '--tls', '--auth', 'LOGIN', '--auth-user', 'anything']
    const mail = ['--auth-password', key, '--from', 'shop@acme.example', '--to', to, '--body', 'Hello']
    const { stdout } = await run(findProgram('swaks') ?? '', [...server, ...mail], { timeout: 60_000 })
    for (const capability of ['PIPELINING', '8BITMIME', 'SMTPUTF8', 'DSN', 'ENHANCEDSTATUSCODES', 'SIZE 2097152']) {
      assert.ok(stdout.includes(`250-${capability}`) || stdout.includes(`250 ${capability}`), capability)
    }
    const [id = ''] = idsIn(/^<~ +250 2\.6\.0 OK: queued as .*$/m.exec(stdout)?.[0] ?? '')
    await untilStatus(gateway, id, 'sent', PATIENT)
    assert.equal(mailsTo(sink, to).length, 1)
  })

  test(`Postfix relays ${RELAYED} mails: each is stored once`, async (t) => {
    const missing = missingPostfix()
    if (missing !== undefined) return skipUnavailable(t, missing)
    await using postfix = await openPostfix({ port, key, certificate })
    await postfix.inject(RELAYED, SIMULATED)
    await until('the queues of Postfix to be empty', async () => (await postfix.waiting()) === 0, PATIENT)
    const lines = (await postfix.log()).split('\n').filter((line) => line.includes('status=sent'))
    const ids = new Set(lines.flatMap((line) => idsIn(line.slice(line.indexOf('queued as')))))
    assert.deepEqual([lines.length, ids.size], [RELAYED, RELAYED])
    for (const id of [...ids].slice(0, 3)) await untilStatus(gateway, id, 'delivered', PATIENT)
    assert.ok((await postfix.log()).includes('status=sent (250 2.6.0 OK: queued as'))
  })

  test('a key in test mode sends to the simulator only', async () => {
    const to = mailboxAt('mail.example')
    const tested = await world.createKey({ mode: 'test' })
    const { response } = await mailer(tested).sendMail({
      from: 'a@acme.example',
      to,
      subject: randomUUID(),
      text: 'Hi',
    })
    assert.match(response ?? '', /test mode/)
    assert.equal((await show(gateway, idsIn(response ?? '')[0] ?? '').catch(() => undefined))?.status, undefined)
    assert.deepEqual(mailsTo(sink, to), [])
  })
}
