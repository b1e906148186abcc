import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type EmailAddress, parseEmailAddress } from '../email/address.ts'
import type { Content, EmailContent, SmsContent } from '../message/message.ts'
import type { PhoneNumber } from '../message/phone-number.ts'
import { parseSenderId, type SenderId } from '../message/sender-id.ts'
import { domainsOf, lookalikeOf, parseSenderRule, toSender } from './senders.ts'

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

/** Whether others may not use the sender, because of the rule. */
function protects(rule: string, content: Content): boolean {
  const key = parseSenderRule(rule)
  assert.ok(key !== undefined, `${rule} is a rule`)
  return [key, lookalikeOf(key)].some((one) => toSender(content)?.lookalikes.includes(one) === true)
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
  assert.ok(covers('+15005550006', bySms('0015005550006')) && covers('00 1500-5550006', bySms('+15005550006')))
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

test('rules of email cover no SMS, except a sender id that is written like the domain or a subdomain', () => {
  assert.ok(!covers('hello@acme.example', bySms('hello')))
  assert.ok(covers('*.acme.example', bySms('mail.acme.example')))
  assert.ok(!covers('*.acme.example', bySms('Acme.Example')))
  assert.ok(covers('acme.example', bySms('Acme.Example')))
  assert.ok(!covers('Acme', byMail('acme@acme.example')))
})

/** The letters and digits of a text, with marks that a sender id may contain between and behind them. */
const withMarks = (text: string) =>
  fc
    .array(fc.stringMatching(/^[ ._&+-]{0,2}$/), { minLength: text.length, maxLength: text.length })
    .map((marks) => [...text].map((char, index) => char + (marks[index] ?? '')).join(''))

test('a rule protects every sender id with its letters and digits in this order, and no other', () => {
  const spelled = fc
    .stringMatching(/^[A-Za-z0-9]{1,9}$/)
    .chain((id) => fc.tuple(withMarks(id), anyCase(id).chain(withMarks)))
  fc.assert(
    fc.property(spelled, ([rule, sender]) => {
      const [listed, used] = [parseSenderId(rule), parseSenderId(sender)]
      fc.pre(listed !== undefined && used !== undefined)
      assert.ok(protects(listed, bySms(used)))
    }),
  )
  const different = fc
    .tuple(word, word)
    .filter(([one, other]) => one.replaceAll(' ', '').toLowerCase() !== other.replaceAll(' ', '').toLowerCase())
  fc.assert(fc.property(different, ([rule, sender]) => assert.ok(!protects(rule, bySms(sender)))))
})

test('a rule protects what it covers', () => {
  const rule = fc.oneof(
    word,
    domain,
    domain.map((host) => `*.${host}`),
    fc.tuple(local, domain).map((parts) => parts.join('@')),
  )
  const sender = fc.oneof(
    fc
      .oneof(word, domain)
      .filter((id) => parseSenderId(id) !== undefined)
      .map(bySms),
    fc.tuple(local, domain).map((parts) => byMail(parts.join('@').toLowerCase())),
  )
  const related = fc
    .tuple(local, label, domain)
    .filter(([, sub, host]) => parseSenderId(`${sub}.${host}`) !== undefined)
  fc.assert(fc.property(rule, sender, (text, content) => assert.ok(!covers(text, content) || protects(text, content))))
  fc.assert(
    fc.property(related, ([name, sub, host]) => {
      for (const content of [
        bySms(host),
        bySms(`${sub}.${host}`),
        byMail(`${name}@${host}`),
        byMail(`${name}@${sub}.${host}`),
      ]) {
        for (const text of [host, `*.${host}`]) assert.equal(protects(text, content), covers(text, content))
      }
    }),
  )
})

test('a number looks like itself with 00 or plus, and letters in both cases look alike', () => {
  for (const id of ['+15005550006', '0015005550006', '0+0-15005550006', '1&5005550006']) {
    assert.ok(protects('+15005550006', bySms(id)), id)
  }
  assert.ok(!protects('+15005550006', bySms('015005550006')))
  assert.ok(protects('ΣΑΣ', bySms('Σα.σ')))
  assert.ok(protects('Straße', bySms('STRASSE')))
})

test('every sender id has a letter or digit to be compared by', () => {
  for (let point = 0; point <= 0x10ffff; point += 1) {
    const id = parseSenderId(String.fromCodePoint(point))
    if (id === undefined) continue
    const [lookalike] = toSender(bySms(id))?.lookalikes ?? []
    assert.ok(lookalike !== undefined && lookalike !== '', `U+${point.toString(16)}`)
  }
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

test('a sender id that is written like a domain has that domain, whatever else is around its dots', () => {
  for (const id of [
    'acme-shop.example',
    'Acme-Shop.Example.',
    'acme-shop .-example',
    'acme-shop..example',
    'acme-shop.example_&',
  ]) {
    assert.deepEqual(toSender(bySms(id))?.domains, ['acme-shop.example', 'example'], id)
  }
  assert.deepEqual(toSender(bySms('Acme'))?.domains, ['acme'])
})

test('lists the domain of an address and its parents, the closest first', () => {
  assert.deepEqual(domainsOf('a@b.acme.example'), ['b.acme.example', 'acme.example', 'example'])
})
