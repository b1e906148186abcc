import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type EmailAddress, maskEmailAddress, parseEmailAddress, toComparableAddress } from './address.ts'

const good = [
  'a@b.co',
  'ana.souza+tag@mail.example.com',
  "o'neil_!#$%&*/=?^`{|}~-@example.org",
  '1@2.example',
  'x@xn--bcher-kva.example',
  `${'l'.repeat(64)}@example.com`,
  `a@${'d'.repeat(63)}.com`,
  'a@1.2.3.4e',
]

const bad = [
  '',
  '@',
  'ana',
  'ana@',
  '@example.com',
  'ana@localhost',
  'ana@example',
  'ana@@example.com',
  'a na@example.com',
  '.ana@example.com',
  'ana.@example.com',
  'an..a@example.com',
  'ana@.example.com',
  'ana@example..com',
  'ana@example.com.',
  'ana@-example.com',
  'ana@example-.com',
  'ana@exa_mple.com',
  'ana@127.0.0.1',
  'ana@[127.0.0.1]',
  'Ana <ana@example.com>',
  'ana@example.com\n',
  'ana@example.com\r\nBcc: x@example.com',
  'ana\0@example.com',
  'ána@example.com',
  'ana@exämple.com',
  `${'l'.repeat(65)}@example.com`,
  `a@${'d'.repeat(64)}.com`,
  `a@${'d.'.repeat(125)}example`,
]

test('accepts valid addresses', () => {
  for (const text of good) assert.equal(parseEmailAddress(text), text, text)
})

test('refuses everything that is not exactly one address', () => {
  for (const text of bad) assert.equal(parseEmailAddress(text), undefined, JSON.stringify(text))
})

test('converts the domain to lower case and keeps the local part', () => {
  assert.equal(parseEmailAddress('Ana.Souza@Mail.EXAMPLE.com'), 'Ana.Souza@mail.example.com')
})

test('accepts at most 254 characters', () => {
  const domain = `${'d'.repeat(63)}.${'d'.repeat(63)}.${'d'.repeat(59)}.co`
  assert.equal(parseEmailAddress(`${'l'.repeat(63)}@${domain}`)?.length, 254)
  assert.equal(parseEmailAddress(`${'l'.repeat(64)}@${domain}`), undefined)
})

test('an accepted address is one line with one domain and parses to itself', () => {
  const text = fc.oneof(fc.emailAddress(), fc.string({ unit: fc.constantFrom(...'aB1.-_@ <>\n,') }))
  fc.assert(
    fc.property(text, (text) => {
      const address = parseEmailAddress(text)
      if (address === undefined) return
      assert.match(address, /^[^\s@<>,]+@[^\s@<>,A-Z]+$/)
      assert.equal(parseEmailAddress(address), address)
    }),
    { numRuns: 500 },
  )
})

test('accepts any ordinary address', () => {
  fc.assert(fc.property(fc.emailAddress(), (text) => assert.notEqual(parseEmailAddress(text), undefined)))
})

test('S1-P14 a masked address shows its first letter and its domain, and nothing else', () => {
  fc.assert(
    fc.property(fc.emailAddress(), (text) => {
      const [local = '', domain = ''] = text.split('@')
      assert.equal(maskEmailAddress(text as EmailAddress), `${local.charAt(0)}***@${domain}`)
    }),
  )
})

test('compares addresses case-insensitively', () => {
  assert.equal(toComparableAddress('Ana.Souza@example.com' as EmailAddress), 'ana.souza@example.com')
})
