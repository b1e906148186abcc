/** Mails from the API call to the recipient's mailbox. */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { MessageStatus } from '../../src/api/messages/message-schemas.ts'
import { mailboxAt, mailsTo, parseMail, postMail, sendMail, someMail, stepsOf, untilMailed } from '../support/email.ts'
import { generate, validate } from '../support/otp.ts'
import { freshNumber, inboxOf, kindsOf, show, untilStatus } from '../support/sms.ts'
import { type EmailSite, PATIENT } from './email-site.fixture.ts'

const MIB = 1024 * 1024

export function emailSendingContract({ site: { gateway }, sink }: EmailSite): void {
  /** Saves a recipient and a template, and returns fields that refer to them. */
  async function named(email: string): Promise<object> {
    const name = `t-${randomUUID()}`
    const texts = {
      subject: 'Pedido {{ order }} — está a caminho 📦',
      html: '<p>Olá, <b>{{ name }}</b></p><img src="cid:logo">',
      text: 'Olá, {{ name }}',
    }
    const saved = await gateway.call<{ id: string }>('POST', '/v1/recipients', { email, locale: 'pt-BR' })
    await gateway.call('POST', '/v1/templates', { name, channel: 'email', subject: '-', html: '<p>-</p>', text: '-' })
    const { status, text } = await gateway.call('POST', '/v1/templates', {
      name,
      channel: 'email',
      locale: 'pt',
      ...texts,
    })
    assert.deepEqual([saved.status, status], [201, 201], text)
    return { recipient_id: saved.body.id, template: { name, data: { order: 1138, name: 'Ana & Zoë' } } }
  }

  test('all parts of a mail arrive for all recipients, without revealing Bcc', async () => {
    const [to, copy, hidden] = [mailboxAt('mail.example'), mailboxAt('copy.example'), mailboxAt('hidden.example')]
    const [film, logo] = [randomBytes(4 * MIB), randomBytes(300)]
    const { status, body, text } = await postMail(gateway, {
      ...(await named(to)),
      from: 'Lojas Ação <orders@acme.example>',
      reply_to: ['Help <help@acme.example>', 'sales@acme.example'],
      cc: [`Zoë <${copy}>`],
      bcc: [hidden],
      headers: { 'X-Order': '1138', 'X-Note': 'está a caminho' },
      attachments: [
        { filename: 'vídeo.mp4', content_type: 'video/mp4', content: film.toString('base64') },
        { filename: 'logo.png', content_type: 'image/png', content: logo.toString('base64'), content_id: 'logo' },
      ],
      unsubscribe: { url: 'https://acme.example/leave?u=1', mailto: 'leave@acme.example' },
      idempotency_key: randomUUID(),
    })
    assert.equal(status, 202, text)
    const message = await untilStatus(gateway, body.request_id, 'sent', PATIENT)
    const [mail, ...others] = mailsTo(sink, to)
    assert.ok(mail)
    assert.deepEqual(others, [])
    assert.deepEqual(
      [mail.from.address, mail.to.map(({ address }) => address)],
      ['orders@acme.example', [to, copy, hidden]],
    )
    assert.ok(!mail.raw.toString('latin1').includes(hidden))

    const read = await parseMail(mail.raw)
    const header = (name: string): string | undefined => read.headers.find(({ key }) => key === name)?.value
    assert.deepEqual(
      [read.subject, read.html?.trim(), read.text?.trim()],
      ['Pedido 1138 — está a caminho 📦', '<p>Olá, <b>Ana &amp; Zoë</b></p><img src="cid:logo">', 'Olá, Ana & Zoë'],
    )
    assert.deepEqual(
      [read.from, read.to, read.cc, read.bcc, read.replyTo],
      [
        { name: 'Lojas Ação', address: 'orders@acme.example' },
        [{ name: '', address: to }],
        [{ name: 'Zoë', address: copy }],
        undefined,
        [
          { name: 'Help', address: 'help@acme.example' },
          { name: '', address: 'sales@acme.example' },
        ],
      ],
    )
    assert.deepEqual(['x-order', 'list-unsubscribe', 'list-unsubscribe-post', 'message-id'].map(header), [
      '1138',
      '<https://acme.example/leave?u=1>, <mailto:leave@acme.example>',
      'List-Unsubscribe=One-Click',
      `<${message.provider_message_id}>`,
    ])
    const attached = new Map(read.attachments.map((one) => [one.filename, one]))
    for (const [name, bytes] of [
      ['vídeo.mp4', film],
      ['logo.png', logo],
    ] as const) {
      assert.ok(Buffer.from(attached.get(name)?.content as ArrayBuffer).equals(bytes), name)
    }
    assert.deepEqual([attached.get('logo.png')?.contentId, attached.size], ['<logo>', 2])
  })

  test('a repeated call gets the first answer and sends nothing', async () => {
    const mail = someMail()
    const first = await postMail(gateway, mail)
    await untilStatus(gateway, first.body.request_id, 'sent', PATIENT)
    const again = await postMail(gateway, mail)
    assert.deepEqual([again.status, again.text], [202, first.text])
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    const other = await postMail(gateway, { ...mail, subject: 'Something else' })
    assert.deepEqual([other.status, other.body.error_code], [422, 'IDEMPOTENCY_MISMATCH'])
    assert.equal(mailsTo(sink, mail.to ?? '').length, 1)
  })

  test('a script in the HTML is refused', async () => {
    const to = mailboxAt('mail.example')
    const id = await sendMail(gateway, { to, html: '<p>Hello</p><svg><script>alert(1)</script></svg>' })
    const message = await untilStatus(gateway, id, 'failed', PATIENT)
    assert.deepEqual([message.error_code, message.attempts], ['INVALID_TEMPLATE', 0])
    assert.deepEqual(kindsOf(message), ['MessageCreated', 'ValidationFailed'])
    const steps = await stepsOf(gateway, id)
    assert.deepEqual(
      steps.map(({ type, metadata }) => [type, metadata['check']]),
      [
        ['RECEIVED', undefined],
        ['VALIDATION_FAILED', 'TEMPLATE'],
        ['FAILED', undefined],
      ],
    )
    assert.deepEqual(mailsTo(sink, to), [])
  })

  test('a one-time code by mail verifies and is not in the subject', async () => {
    const to = mailboxAt('mail.example')
    const { status, body, text } = await generate(gateway, { to, channel: 'email', idempotency_key: randomUUID() })
    assert.equal(status, 202, text)
    const { subject = '', text: read = '', html = '' } = await parseMail((await untilMailed(sink, to, PATIENT)).raw)
    const [code = ''] = /\b\d{6}\b/.exec(read) ?? []
    assert.ok(html.includes(code) && !subject.includes(code))
    const { body: verdict } = await validate(gateway, body.challenge_id, code)
    assert.deepEqual([verdict.valid, verdict.status], [true, 'verified'])
  })

  test('a batch accepts mail and SMS, and refuses each invalid item individually', async () => {
    const [to, number] = [mailboxAt('mail.example'), freshNumber()]
    const items = [
      { channel: 'email', ...someMail({ to }) },
      { to: number, message: 'Hello', idempotency_key: randomUUID() },
      { channel: 'email', ...someMail({ to: 'nobody' }) },
    ]
    const { status, body } = await gateway.call<{
      results: readonly { request_id?: string; error?: { error_code: string } }[]
    }>('POST', '/v1/messages/batch', { items })
    assert.deepEqual([status, body.results[2]?.error?.error_code], [200, 'VALIDATION_ERROR'])
    await untilStatus(gateway, body.results[0]?.request_id ?? '', 'sent', PATIENT)
    await untilStatus(gateway, body.results[1]?.request_id ?? '', 'delivered', PATIENT)
    assert.deepEqual([mailsTo(sink, to).length, (await inboxOf(gateway, number)).length], [1, 1])
  })

  test('an erased mail shows no content and cannot be resent', async () => {
    const to = mailboxAt('mail.example')
    const attachments = [{ filename: 'a.bin', content_type: 'video/mp4', content: randomBytes(MIB).toString('base64') }]
    const id = await sendMail(gateway, { to, attachments })
    const before = await untilStatus(gateway, id, 'sent', PATIENT)
    assert.match(before.to ?? '', /^a\*\*\*@mail\.example$/)
    assert.equal((await gateway.call('POST', `/v1/messages/${id}/erase`)).status, 200)
    const { body } = await gateway.call<MessageStatus>('GET', `/v1/email/${id}`)
    const { subject, metadata } = await show(gateway, id)
    assert.deepEqual([body.erased, body.to, subject, metadata], [true, null, null, {}])
    assert.equal((await gateway.call('POST', `/v1/messages/${id}/resend`)).status, 409)
    assert.equal(mailsTo(sink, to).length, 1)
  })
}
