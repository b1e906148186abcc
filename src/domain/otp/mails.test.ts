import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type DefaultTreeAdapterTypes, parse } from 'parse5'
import { findFlaws } from '../../engines/html/flaws.ts'
import type { EmailAddress } from '../email/address.ts'
import { integrityProblem, templateProblem } from '../email/checks.ts'
import { toBuiltInMail } from './mails.ts'
import { OTP_LOCALES } from './texts.ts'

const CODE = '012345'
const WORDS = { code: CODE, minutes: 5 }

/** The parsed document: every element with its attributes, and every text. */
function read(html: string) {
  const elements: { name: string; attributes: Readonly<Record<string, string>> }[] = []
  const texts: string[] = []
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if ('tagName' in node) {
      const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]))
      elements.push({ name: node.tagName, attributes })
    }
    if ('value' in node && node.value.trim() !== '') texts.push(node.value.trim())
    if ('childNodes' in node) node.childNodes.forEach(visit)
  }
  visit(parse(html))
  return { elements, texts }
}

test('the email contains the code, the app name and the lifetime in text and HTML', () => {
  const { subject, html, text } = toBuiltInMail({ ...WORDS, appName: 'Acme' })
  const sentences = [
    'Your Acme code is:',
    CODE,
    'It expires in 5 minutes. Do not share it with anyone.',
    'If you did not ask for it, you can ignore this email.',
  ]
  assert.equal(subject, 'Your Acme code')
  assert.equal(text, `${sentences.join('\n\n')}\n`)
  assert.deepEqual(read(html).texts, [subject, ...sentences])
  assert.deepEqual(toBuiltInMail(WORDS).subject, 'Your code')
})

const LOCALES: readonly [locale: string, subject: string, minutes: RegExp][] = [
  ['en-GB', 'Your Acme code', /in 1 minute\./],
  ['pt-BR', 'Seu código Acme', /em 1 minuto\./],
  ['es-419', 'Tu código de Acme', /en 1 minuto\./],
  ['ja', 'Your Acme code', /in 1 minute\./],
]
for (const [locale, subject, minutes] of LOCALES) {
  test(`the email for ${locale} is in the nearest available language and declares it`, () => {
    const mail = toBuiltInMail({ ...WORDS, minutes: 1, appName: 'Acme', locale })
    assert.equal(mail.subject, subject)
    assert.match(mail.text, minutes)
    const language = locale === 'ja' ? 'en' : locale.slice(0, 2)
    assert.equal(read(mail.html).elements[0]?.attributes['lang'], language)
  })
}

test('falls back to the default locale', () => {
  assert.equal(toBuiltInMail({ ...WORDS, locale: 'ja' }, 'pt').subject, 'Seu código')
})

test('no subject contains the code, and every email passes all checks', () => {
  const words = fc.record({
    appName: fc
      .string({ minLength: 1, maxLength: 40, unit: 'binary' })
      .filter((name) => !/[\p{Cc}\p{Zl}\p{Zp}]/u.test(name)),
    locale: fc.constantFrom(...OTP_LOCALES),
    minutes: fc.integer({ min: 1, max: 60 }),
  })
  fc.assert(
    fc.property(words, (words) => {
      const mail = toBuiltInMail({ ...words, code: CODE })
      const content = { ...mail, channel: 'email', kind: 'email', metadata: {}, tags: [] } as const
      assert.ok(!mail.subject.includes(CODE))
      assert.equal(templateProblem(mail), undefined)
      assert.deepEqual(findFlaws(mail.html), [])
      assert.equal(integrityProblem({ ...content, to: 'ann@example.com' as EmailAddress }), undefined)
    }),
  )
})

test('escapes the app name', () => {
  const plain = read(toBuiltInMail({ ...WORDS, appName: 'Acme' }).html)
  for (const appName of [
    '<script>x()</script>',
    '</title><img src=x>',
    '"><a href="//x">',
    '&lt;b&gt; & Co',
    "' onload='x",
  ]) {
    const { elements, texts } = read(toBuiltInMail({ ...WORDS, appName }).html)
    assert.deepEqual(elements, plain.elements)
    assert.deepEqual(texts.slice(0, 2), [`Your ${appName} code`, `Your ${appName} code is:`])
  }
})

test('the email has no images, links or colours, and supports dark mode', () => {
  const { elements } = read(toBuiltInMail(WORDS).html)
  const names = new Set(elements.map(({ name }) => name))
  assert.deepEqual([...names].toSorted(), ['body', 'head', 'html', 'meta', 'p', 'title'])
  assert.ok(elements.some(({ attributes: { name, content } }) => name === 'color-scheme' && content === 'light dark'))
  const styles = elements.map(({ attributes }) => attributes['style'] ?? '').join(';')
  assert.ok(!/(?:^|;)\s*(?:color|background[a-z-]*)\s*:|url\(|user-select/.test(styles), styles)
})
