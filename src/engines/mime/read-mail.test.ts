import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { TenantId } from '../../domain/ids.ts'
import { NOON } from '../../ports/samples.contract.ts'
import { openMailReader } from './mail-reader.ts'
import { readMail } from './read-mail.ts'

const ENVELOPE = { at: NOON, from: 'cron@acme.example' as EmailAddress }
const FROM = 'From: shop@acme.example'

const toRaw = (...lines: readonly string[]): Buffer => Buffer.from(`${lines.join('\r\n')}\r\n`)

async function read(...lines: readonly string[]) {
  const mail = await readMail(toRaw(...lines), ENVELOPE)
  if (mail.kind === 'unreadable') assert.fail(mail.detail)
  return { ...mail, raw: Buffer.from(mail.content.source.raw, 'base64').toString('latin1') }
}

async function flawOf(...lines: readonly string[]): Promise<string> {
  const mail = await readMail(toRaw(...lines), ENVELOPE)
  return mail.kind === 'unreadable' ? mail.flaw : 'none'
}

test('a text without any headers is the body', async () => {
  const { content, raw } = await read('The disk is full.', 'Really: it is.')
  assert.deepEqual([content.subject, content.html, content.text?.trim()], ['', '', 'The disk is full.\nReally: it is.'])
  assert.equal(content.from.address, 'cron@acme.example')
  assert.match(
    raw,
    /^From: <cron@acme\.example>\r\nDate: [^\r]+\+0000\r\n\r\nThe disk is full\.\r\nReally: it is\.\r\n$/,
  )
})

test('a line that is no header begins the body, for us as for the next server', async () => {
  const { content, raw } = await read(FROM, 'Date: x', 'Subject: Hi', 'no header', 'Subject: hidden', '', 'x')
  assert.equal(content.subject, 'Hi')
  assert.ok(raw.endsWith('Subject: Hi\r\n\r\nno header\r\nSubject: hidden\r\n\r\nx\r\n'))
})

test('the first line of a mailbox file is dropped, and headers may be folded', async () => {
  const { content, raw } = await read(
    'From shop Mon Jan 1',
    FROM,
    'Date: x',
    'Subject: one',
    '\ttwo',
    ' three',
    '',
    'x',
  )
  assert.equal(content.subject, 'one\ttwo three'.replace('\t', ' '))
  assert.equal(raw, `${FROM}\r\nDate: x\r\nSubject: one\r\n\ttwo\r\n three\r\n\r\nx\r\n`)
})

test('only headers that must not be sent on are dropped', async () => {
  const kept = [
    FROM,
    'date : x',
    'X-Mailer: y',
    'Resent-To: z@acme.example',
    'List-Unsubscribe: <https://acme.example>',
  ]
  const dropped = [
    'BCC: a@b.example,',
    ' c@d.example',
    'Return-Path: <x@y>',
    'X-SES-CONFIGURATION-SET: z',
    'X-PM-Tag: t',
  ]
  const { raw } = await read(...dropped, ...kept, 'X-Pombo-Attempt: 1', '', 'Bcc: in the body')
  assert.equal(raw, `${kept.join('\r\n')}\r\n\r\nBcc: in the body\r\n`)
})

test('tags, metadata and lane come from our headers, whatever their case', async () => {
  const mail = await read(
    FROM,
    'x-pombo-tag: invoice, june',
    'X-POMBO-TAG: =?utf-8?q?m=C3=A4rz?=',
    'X-Pombo-Metadata-Order: 1138',
    'X-Pombo-Metadata-order: 1139',
    'X-Pombo-Lane: Bulk',
    '',
    'x',
  )
  assert.deepEqual(
    [mail.content.tags, mail.content.metadata, mail.isBulk],
    [['invoice', 'june', 'märz'], { order: '1139' }, true],
  )
  assert.equal(await flawOf(FROM, 'X-Pombo-Lane: otp', '', 'x'), 'headers')
  assert.equal(await flawOf(FROM, `X-Pombo-Metadata-a: ${'x'.repeat(513)}`, '', 'x'), 'headers')
})

test('the sender is one address, with an international domain in ASCII', async () => {
  const { content } = await read('From: =?utf-8?q?M=C3=BCller?= <info@müller.example>', '', 'x')
  assert.deepEqual(content.from, { address: 'info@xn--mller-kva.example', name: 'Müller' })
  for (const from of ['a@b.example, c@d.example', 'nobody', '', 'team: a@b.example, c@d.example;', 'josé@b.example']) {
    assert.equal(await flawOf(`From: ${from}`, '', 'x'), 'sender', from)
  }
  assert.equal(await flawOf(FROM, 'From : other@acme.example', '', 'x'), 'sender')
})

test('what a server might take for a line break is refused', async () => {
  for (const odd of ['a\nb', 'a\rb', 'a\0b', 'a\n']) assert.equal(await flawOf(FROM, '', odd), 'line_breaks')
  assert.equal(await flawOf(`${FROM}\nBcc: x@y.example`, '', 'x'), 'line_breaks')
})

test('a mail that goes in circles, is nested too deeply or has too much html is refused', async () => {
  assert.equal(await flawOf(FROM, ...Array<string>(51).fill('Received: by relay; now'), '', 'x'), 'loop')
  const nested = Array.from({ length: 60 }, (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\r\n\r\n--b${at}`)
  assert.equal(await flawOf(FROM, ...nested, '', 'x'), 'headers')
  assert.equal(await flawOf(FROM, 'Content-Type: text/html', '', '<p>'.repeat(200_000)), 'too_large')
  assert.equal(await flawOf(FROM, `X-Long: ${'x'.repeat(300_000)}`, '', 'x'), 'headers')
})

test('the identity of a mail is what it says, and neither its trace nor its encoding', async () => {
  const id = 'Message-ID: <one@acme.example>'
  const said = (...lines: readonly string[]) => read(FROM, id, ...lines).then(({ identity }) => identity)
  const first = await said('Subject: Hi', '', 'Hello')
  assert.equal(await said('Received: by relay; now', 'Date: later', 'Subject: =?utf-8?q?Hi?=', '', 'Hello'), first)
  const encoded = ['Content-Transfer-Encoding: base64', 'Content-Type: text/plain', '', 'SGVsbG8NCg==']
  assert.equal(await said('Subject: Hi', ...encoded), first)
  for (const other of [
    ['Subject: Ho', '', 'Hello'],
    ['Subject: Hi', '', 'Hullo'],
    ['Subject: Hi', 'X-Pombo-Tag: a', '', 'Hello'],
  ]) {
    assert.notEqual(await said(...other), first)
  }
})

test('without a Message-ID the bytes are the identity, and without a Date too there is none', async () => {
  const dated = await read(FROM, 'Date: x', '', 'Hello')
  assert.equal((await read('Received: by relay; now', FROM, 'Date: x', '', 'Hello')).identity, dated.identity)
  assert.notEqual((await read(FROM, 'Date: y', '', 'Hello')).identity, dated.identity)
  assert.equal((await read(FROM, '', 'Hello')).identity, undefined)
})

test('large mails are read in a thread, with the same result', async () => {
  await using reader = openMailReader()
  const raw = toRaw(
    FROM,
    'Message-ID: <a@b>',
    'Content-Type: text/plain',
    '',
    'x'.repeat(70).concat('\r\n').repeat(2_000),
  )
  assert.deepEqual(await reader.read(raw, ENVELOPE, 'north' as TenantId), await readMail(raw, ENVELOPE))
})
