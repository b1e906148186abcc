import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type EmailAddress, parseEmailAddress } from '../email/address.ts'
import type { Content, EmailContent, SmsContent } from '../message/message.ts'
import type { PhoneNumber } from '../message/phone-number.ts'
import { parseSenderId, type SenderId } from '../message/sender-id.ts'
import { domainsOf, parseSenderRule, toSender } from './senders.ts'

const SMS: SmsContent = {
  channel: 'sms',
  kind: 'sms',
  to: '+15005550100' as PhoneNumber,
  body: 'hi',
  metadata: {},
  tags: [],
}
const MAIL: EmailContent = {
  channel: 'email',
  kind: 'email',
  to: 'ana@example.org' as EmailAddress,
  subject: 'hi',
  html: 'hi',
  metadata: {},
  tags: [],
}
const bySms = (from: string): Content => ({ ...SMS, from: from as SenderId })
const byMail = (address: string): Content => ({ ...MAIL, from: { address: address as EmailAddress, name: 'Acme' } })

/** Whether the rule covers the sender. */
function covers(rule: string, content: Content): boolean {
  const key = parseSenderRule(rule)
  assert.ok(key !== undefined, `${rule} is a rule`)
  return toSender(content)?.keys.includes(key) === true
}

const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9 ]{0,9}[A-Za-z]$/)
const label = fc.stringMatching(/^[a-z][a-z0-9]{0,8}$/)
const domain = fc.array(label, { minLength: 2, maxLength: 5 }).map((labels) => labels.join('.'))
const local = fc.stringMatching(/^[A-Za-z0-9]{1,8}(?:[.+-][A-Za-z0-9]{1,8})?$/)
const anyCase = (text: string) =>
  fc
    .array(fc.boolean(), { minLength: text.length, maxLength: text.length })
    .map((upper) => [...text].map((char, index) => (upper[index] ? char.toUpperCase() : char.toLowerCase())).join(''))

test('a sender id covers itself in any case, and no other id', () => {
  const spelled = word.chain((id) => fc.tuple(fc.constant(id), anyCase(id), anyCase(id)))
  fc.assert(fc.property(spelled, ([, rule, sender]) => assert.ok(covers(rule, bySms(sender)))))
  const different = fc.tuple(word, word).filter(([one, other]) => one.toLowerCase() !== other.toLowerCase())
  fc.assert(fc.property(different, ([rule, sender]) => assert.ok(!covers(rule, bySms(sender)))))
})

test('compatibility forms of letters are the same sender, and letters of other scripts are not', () => {
  for (const sender of ['ACME', 'ᴬCME', 'ᵃcme', 'Ⓐcme'].filter((text) => parseSenderId(text) !== undefined)) {
    assert.ok(covers('Acme', bySms(sender)), sender)
  }
  assert.ok(covers('Acme', bySms('Ａｃｍｅ')))
  assert.ok(!covers('Acme', bySms('Асме')), 'in Cyrillic letters')
})

test('a number covers itself with and without plus and separators, and no other number', () => {
  const digits = fc.stringMatching(/^[1-9]\d{5,13}$/)
  const spelled = digits.chain((number) =>
    fc.tuple(
      fc.constant(number),
      fc.array(fc.constantFrom('', '', '', ' ', '-', '.'), { minLength: number.length, maxLength: number.length }),
    ),
  )
  fc.assert(
    fc.property(spelled, fc.boolean(), ([number, separators], hasPlus) => {
      const written = [...number]
        .map((digit, index) => (index === 0 ? digit : (separators[index] ?? '') + digit))
        .join('')
      fc.pre(parseSenderId(written) !== undefined)
      assert.ok(covers(`+${number}`, bySms(hasPlus ? `+${number}` : written)))
      assert.ok(covers(number, bySms(`+${number}`)))
    }),
  )
  const different = fc.tuple(digits, digits).filter(([one, other]) => one !== other)
  fc.assert(fc.property(different, ([rule, sender]) => assert.ok(!covers(`+${rule}`, bySms(`+${sender}`)))))
  assert.ok(!covers('11', bySms('1&1')), 'a name')
})

test('an address covers itself in any case, and no other address of its domain', () => {
  const spelled = fc.tuple(local, domain).chain(([name, host]) => {
    const address = `${name}@${host}`
    return fc.tuple(anyCase(address), anyCase(address))
  })
  fc.assert(
    fc.property(spelled, ([rule, sender]) => {
      const address = parseEmailAddress(sender)
      assert.ok(address !== undefined && covers(rule, byMail(address)))
      assert.ok(!covers(rule, byMail(`x${address}`)))
    }),
  )
})

test('a domain covers every address at exactly it, and a wildcard those at its subdomains only', () => {
  fc.assert(
    fc.property(local, domain, label, (name, host, sub) => {
      const [at, below, beside] = [`${name}@${host}`, `${name}@${sub}.${host}`, `${name}@${sub}${host}`].map(byMail)
      assert.ok(at && below && beside)
      assert.deepEqual(
        [at, below, beside].map((content) => covers(host, content)),
        [true, false, false],
      )
      assert.deepEqual(
        [at, below, beside].map((content) => covers(`*.${host}`, content)),
        [false, true, false],
      )
      assert.ok(covers(host.toUpperCase(), at))
    }),
  )
  assert.ok(covers('*.acme.example', byMail('a@b.c.acme.example')))
  assert.ok(!covers('acme.example', byMail('acme.example@evil.example')))
})

test('rules of email cover no SMS, except a sender id that looks like the domain', () => {
  assert.ok(!covers('hello@acme.example', bySms('hello')))
  assert.ok(!covers('*.acme.example', bySms('mail.acme.example')))
  assert.ok(covers('acme.example', bySms('Acme.Example')))
  assert.ok(!covers('Acme', byMail('acme@acme.example')))
})

test('refuses what is no rule', () => {
  const wrong = ['', ' ', '+', '*', '*.', '*.com.', '*acme.example', '@acme.example', 'a b@acme.example', 'a@b@c', '_x']
  for (const text of [...wrong, 'x'.repeat(21), 'mail..acme-shop.example', '*.*.example', '**.acme.example', 'a\nb']) {
    assert.equal(parseSenderRule(text), undefined, JSON.stringify(text))
  }
  fc.assert(
    fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
      const key = parseSenderRule(text)
      if (key !== undefined) assert.equal(parseSenderRule(key), key, 'a key is a rule for itself')
    }),
  )
})

test('a message without a sender of its own has none', () => {
  assert.deepEqual([toSender(SMS), toSender(MAIL)], [undefined, undefined])
})

test('lists the domain of an address and its parents, the closest first', () => {
  assert.deepEqual(domainsOf('a@b.acme.example'), ['b.acme.example', 'acme.example', 'example'])
})
