import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import PostalMime, { decodeWords, type Email } from 'postal-mime'
import { headerProblem } from '../domain/email/headers.ts'
import type { Mailbox } from '../domain/email/mailbox.ts'
import { parseReference } from '../domain/message/attempt-reference.ts'
import type { EmailContent } from '../domain/message/message.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { instant } from '../lib/time.ts'
import { envelopeOf } from './envelope.ts'
import { address, SENDER, someMailAttempt } from './mail.fixture.ts'
import { toMail } from './mime.ts'

const NOON = instant(Date.UTC(2026, 6, 1, 12, 0, 0))

const sourceOf = async (content: Partial<EmailContent>): Promise<string> =>
  (await toMail(someMailAttempt(content), SENDER, NOON)).raw.toString('latin1')
const readBack = async (content: Partial<EmailContent>): Promise<Email> =>
  PostalMime.parse((await toMail(someMailAttempt(content), SENDER, NOON)).raw)

/** The header names of the mail itself. */
const headersOf = (source: string): readonly string[] =>
  (source.split('\r\n\r\n', 1)[0] ?? '')
    .split('\r\n')
    .filter((line) => !/^[ \t]/.test(line))
    .map((line) => line.slice(0, line.indexOf(':')))

const countOf = (names: readonly string[], name: string): number =>
  names.filter((one) => one.toLowerCase() === name.toLowerCase()).length

const toLf = (text = ''): string => text.replace(/\r\n?/g, '\n')
const withoutEnd = (text = ''): string => toLf(text).replace(/\n+$/, '')

/** A non-empty line of any Unicode text. */
const line = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 150 })
  .map((text) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, '').trim())
  .filter((text) => text !== '' && text.isWellFormed())
const body = fc
  .array(fc.string({ unit: 'grapheme', maxLength: 1500 }), { minLength: 1, maxLength: 5 })
  .map((lines) => lines.map((text) => text.toWellFormed().replaceAll('\0', '')).join('\n'))
  .filter((text) => text.trim() !== '')
const mailbox = (at: string): fc.Arbitrary<Mailbox> =>
  fc.record({ address: fc.constant(address(at)), name: line.map((name) => name.slice(0, 100).toWellFormed().trim()) })

describe('a composed mail', { timeout: 120_000 }, () => {
  test('has our Message-ID, the date, the sender and the recipients', async () => {
    const attempt = someMailAttempt({
      cc: [{ address: address('copy@example.org'), name: 'Cópia' }],
      replyTo: [{ address: address('help@acme.example') }],
    })
    const { raw, messageId } = await toMail(attempt, SENDER, NOON)
    const mail = await PostalMime.parse(raw)
    assert.equal(mail.messageId, `<${messageId}>`)
    const [reference = '', domain] = messageId.split('@')
    assert.deepEqual([parseReference(reference), domain], [attempt.ref, 'acme.example'])
    assert.equal(mail.date, '2026-07-01T12:00:00.000Z')
    assert.deepEqual(mail.from, SENDER)
    assert.deepEqual(mail.to, [{ address: attempt.content.to, name: '' }])
    assert.deepEqual(mail.cc, [{ address: 'copy@example.org', name: 'Cópia' }])
    assert.deepEqual(mail.replyTo, [{ address: 'help@acme.example', name: '' }])
    assert.equal(mail.headers.find(({ key }) => key === 'auto-submitted')?.value, 'auto-generated')
  })

  test('has the sender of the message, and a Message-ID in that domain', async () => {
    const from = { address: address('shop@other.example'), name: 'Shop' }
    const { raw, messageId } = await toMail(someMailAttempt({ from }), SENDER, NOON)
    assert.deepEqual((await PostalMime.parse(raw)).from, from)
    assert.ok(messageId.endsWith('@other.example'))
    assert.equal(envelopeOf(someMailAttempt({ from }).content, SENDER).from, from.address)
  })

  test('preserves any subject, names and texts', async () => {
    const anyContent = fc.record({
      subject: line,
      from: mailbox('shop@acme.example'),
      cc: fc.array(mailbox('copy@example.org'), { maxLength: 3 }),
      html: body,
      text: body,
    })
    await fc.assert(
      fc.asyncProperty(anyContent, async (content) => {
        const mail = await readBack(content)
        assert.equal(mail.subject, content.subject)
        assert.equal(mail.from?.name, content.from.name?.replaceAll('=?', '= ?'))
        assert.deepEqual(
          mail.cc?.map(({ name }) => name) ?? [],
          content.cc.map(({ name = '' }) => name.replaceAll('=?', '= ?')),
        )
        assert.equal(withoutEnd(mail.html), withoutEnd(content.html))
        assert.equal(withoutEnd(mail.text), withoutEnd(content.text))
      }),
      { numRuns: 200 },
    )
  })

  test('contains attachments and inline images byte by byte', async () => {
    const file = fc.record({
      filename: line.map((name) => name.replace(/[/\\]/g, '_')),
      contentType: fc.constantFrom(
        'application/pdf',
        'image/png',
        'text/plain',
        'text/csv; charset=utf-8',
        'message/rfc822',
      ),
      bytes: fc.uint8Array({ maxLength: 3000 }),
      contentId: fc.option(fc.stringMatching(/^[a-z0-9.]{1,20}$/), { nil: undefined }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(file, { maxLength: 4 }), async (files) => {
        const attachments = files.map(({ bytes, ...rest }) =>
          omitUndefined({ ...rest, content: Buffer.from(bytes).toString('base64') }),
        )
        const mail = await readBack({ attachments })
        const shown = [...files.filter(({ contentId }) => contentId), ...files.filter(({ contentId }) => !contentId)]
        assert.deepEqual(
          mail.attachments.map(({ filename, content, contentId }) => [
            filename,
            Buffer.from(content as ArrayBuffer),
            contentId,
          ]),
          shown.map(({ filename, bytes, contentId }) => [
            filename.replaceAll('=?', '= ?'),
            Buffer.from(bytes),
            contentId && `<${contentId}>`,
          ]),
        )
      }),
      { numRuns: 100 },
    )
  })

  test('preserves file names that look like encoded words', async () => {
    const attached = (filename: string) => ({ filename, contentType: 'text/plain', content: 'aGk=' })
    const names = ['=?utf-8?B?YWJj?=.txt', '=?utf-8?Q?a=62c?=', 'ü =?utf-8?B?YWJj?=.txt']
    const { attachments } = await readBack({ attachments: names.map(attached) })
    assert.deepEqual(
      attachments.map(({ filename }) => filename),
      names.map((name) => name.replaceAll('=?', '= ?')),
    )
  })

  test('preserves content types, except for those that would be altered in transit', async () => {
    const types = ['application/vnd.ms-excel', 'image/svg+xml', 'message/rfc822', 'multipart/mixed', "a'b/c"]
    const { attachments } = await readBack({
      attachments: types.map((contentType) => ({ filename: 'a', contentType, content: 'aGk=' })),
    })
    const bytes = 'application/octet-stream'
    assert.deepEqual(
      attachments.map(({ mimeType }) => mimeType),
      [types[0], types[1], bytes, bytes, bytes],
    )
  })

  test('is ASCII, with CRLF and no line that is too long', async () => {
    const long = 'x'.repeat(5000)
    const source = await sourceOf({
      subject: 'é'.repeat(150),
      html: `<p>${long}</p>\n.\r\rlone`,
      text: `${long}\r.\n`,
      headers: { 'X-Long': 'y'.repeat(998), 'X-Words': 'zz '.repeat(300).trim() },
    })
    for (const part of source.split('\r\n')) {
      assert.ok(part.length <= 998, `${part.length}`)
      assert.match(part, /^[\t -~]*$/)
    }
  })

  test('has the custom headers of the message', async () => {
    const headers = {
      'X-Campaign': 'Verão & mar',
      'X-Word': '=?utf-8?q?plain?=',
      References: '<a@b.example> <c@d.example>',
    }
    const mail = await readBack({ headers })
    const read = (name: string) => decodeWords(mail.headers.find(({ key }) => key === name)?.value ?? '')
    assert.deepEqual(
      [read('x-campaign'), read('x-word'), read('references')],
      [headers['X-Campaign'], headers['X-Word'], headers.References],
    )
  })

  test('has unsubscribe headers, with one-click if there is a URL', async () => {
    const both = await readBack({
      unsubscribe: { url: 'https://acme.example/u?m=<1>', mailto: address('u?n@acme.example') },
    })
    const read = (mail: Email, name: string) => mail.headers.find(({ key }) => key === name)?.value
    assert.equal(read(both, 'list-unsubscribe'), '<https://acme.example/u?m=%3C1%3E>, <mailto:u%3Fn@acme.example>')
    assert.equal(read(both, 'list-unsubscribe-post'), 'List-Unsubscribe=One-Click')
    const byMail = await readBack({ unsubscribe: { mailto: address('u@acme.example') } })
    assert.equal(read(byMail, 'list-unsubscribe'), '<mailto:u@acme.example>')
    assert.equal(read(byMail, 'list-unsubscribe-post'), undefined)
    assert.equal(read(await readBack({}), 'list-unsubscribe'), undefined)
  })
})

describe('a malicious message', { timeout: 120_000 }, () => {
  test('Bcc recipients are only in the envelope', async () => {
    const content = {
      cc: [{ address: address('copy@example.org') }],
      bcc: [{ address: address('hidden@example.org'), name: 'Hidden Hand' }, { address: address('copy@example.org') }],
    }
    const source = await sourceOf(content)
    assert.ok(!/hidden|bcc/i.test(source), source)
    const attempt = someMailAttempt(content)
    assert.deepEqual(envelopeOf(attempt.content, SENDER), {
      from: SENDER.address,
      to: [attempt.content.to, 'copy@example.org', 'hidden@example.org'],
    })
  })

  test('cannot inject a header through any field', async () => {
    const breaking = fc
      .array(
        fc.oneof(
          fc.constantFrom(
            '\r\n',
            '\n',
            '\r',
            '\u2028',
            '\u0085',
            '\0',
            ':',
            ' ',
            '\r\n\r\n',
            'Bcc: evil@evil.example',
            '"',
            '<',
            '>',
            ',',
            ';',
            '=?utf-8?Q?=0D=0ABcc:_x?=',
          ),
          fc.string({ unit: 'binary', maxLength: 10 }),
        ),
        { minLength: 1, maxLength: 8 },
      )
      .map((parts) => parts.join(''))
    const content = fc.record({
      subject: breaking,
      from: fc.record({ address: breaking.map((text) => address(`a${text}@acme.example`)), name: breaking }),
      to: breaking.map((text) => address(`b${text}@acme.example`)),
      cc: fc.array(fc.record({ address: fc.constant(address('c@acme.example')), name: breaking }), { maxLength: 2 }),
      replyTo: fc.array(fc.record({ address: breaking.map(address), name: breaking }), { maxLength: 2 }),
      headers: fc.dictionary(
        fc.oneof(breaking, fc.constantFrom('Bcc', 'To', 'key', 'value', 'Content-Type')),
        fc.oneof(breaking, fc.constant('plain')),
      ),
      attachments: fc.array(
        fc.record({ filename: breaking, contentType: breaking, content: breaking, contentId: breaking }),
        { maxLength: 2 },
      ),
      unsubscribe: fc.record({ url: breaking, mailto: breaking.map(address) }),
    })
    const ours = new Set(
      ['subject auto-submitted list-unsubscribe list-unsubscribe-post from to cc reply-to message-id date']
        .concat('mime-version content-type content-transfer-encoding')
        .flatMap((names) => names.split(' ')),
    )
    await fc.assert(
      fc.asyncProperty(content, async (given) => {
        const source = await sourceOf(given)
        const names = headersOf(source)
        const theirs = Object.entries(given.headers).filter(([name, value]) => headerProblem(name, value) === undefined)
        for (const name of ours) assert.ok(countOf(names, name) <= 1, `${name} in ${JSON.stringify(names)}`)
        for (const name of names.filter((one) => !ours.has(one.toLowerCase()))) {
          assert.ok(
            theirs.some(([one]) => one.toLowerCase() === name.toLowerCase()),
            `${name} in ${JSON.stringify(names)}`,
          )
        }
        assert.ok(!/^bcc:/im.test(source), source)
        assert.match(source, /^[\t\r\n -~]*$/)
        assert.ok(!/(?<!\r)\n|\r(?!\n)|\0/.test(source), JSON.stringify(source))
      }),
      { numRuns: 300 },
    )
  })

  test('cannot inject a header with the names key and value', async () => {
    const names = headersOf(await sourceOf({ headers: { key: 'Bcc', value: 'evil@evil.example' } }))
    assert.deepEqual([countOf(names, 'bcc'), countOf(names, 'key'), countOf(names, 'value')], [0, 1, 1])
  })

  test('cannot make us read a file or fetch a URL', async () => {
    const malicious = { path: '/etc/hostname' } as unknown as string
    const mail = await readBack({
      attachments: [{ filename: 'a', contentType: 'text/plain', content: 'AAAA', ...{ path: '/etc/hostname' } }],
    })
    assert.deepEqual(Buffer.from(mail.attachments[0]?.content as ArrayBuffer), Buffer.from('AAAA', 'base64'))
    await assert.rejects(sourceOf({ html: malicious }))
  })
})
