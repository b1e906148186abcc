import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toReference } from '../domain/message/attempt-reference.ts'
import type { MailSource } from '../domain/message/message.ts'
import { instant } from '../lib/time.ts'
import { someMailAttempt } from './mail.fixture.ts'
import { toMail } from './mime.ts'
import { attachmentsIn, hasEightBits } from './mime-source.ts'

const toSource = (...lines: readonly string[]): MailSource => ({
  raw: Buffer.from(lines.join('\r\n'), 'latin1').toString('base64'),
  attachments: [],
})
const SENDER = { address: 'no-reply@acme.example' } as Parameters<typeof toMail>[1]

const mailOf = async (source: MailSource) => {
  const attempt = someMailAttempt({ source, subject: 'parsed', html: '<p>parsed</p>' })
  const { raw, messageId } = await toMail(attempt, SENDER, instant(0))
  return { text: raw.toString('latin1'), messageId, reference: toReference(attempt.ref) }
}

test('a mail that arrived over SMTP is sent as it came, with our reference in front', async () => {
  const lines = ['From: a@b.example', 'Message-Id: <own@b.example>', '', 'ol\u00e1', '..', '']
  const { text, messageId, reference } = await mailOf(toSource(...lines))
  assert.equal(text, `X-Pombo-Attempt: ${reference}\r\n${lines.join('\r\n')}`)
  assert.equal(messageId, 'own@b.example')
})

test('a Message-ID is added only where the headers have none', async () => {
  const { text, messageId, reference } = await mailOf(toSource('From: a@b.example', '', 'Message-ID: <in@the.body>'))
  assert.match(text, /^X-Pombo-Attempt: \S+\r\nMessage-ID: <[^>]+>\r\nFrom: a@b\.example\r\n\r\n/)
  assert.ok(messageId.startsWith(`${reference}@`))
})

test('the attachments of a source can be read', async () => {
  const part = ['--b', 'Content-Type: text/csv', 'Content-Disposition: attachment; filename=a.csv', '', 'x', '--b--']
  const source = toSource('Content-Type: multipart/mixed; boundary=b', '', ...part)
  const [file] = await attachmentsIn(source)
  assert.deepEqual([file?.filename, file?.contentType], ['a.csv', 'text/csv'])
  assert.equal(
    Buffer.from(file?.content ?? '', 'base64')
      .toString()
      .trim(),
    'x',
  )
})

test('8-bit mail is recognised', () => {
  assert.deepEqual([hasEightBits(Buffer.from('plain')), hasEightBits(Buffer.from('olá'))], [false, true])
})
