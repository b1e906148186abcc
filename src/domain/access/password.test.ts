import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { EmailAddress } from '../email/address.ts'
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH, passwordProblem, toComparablePassword } from './password.ts'

const ANA = 'ana.souza@example.com' as EmailAddress
const problem = (password: string, email: EmailAddress = ANA) => passwordProblem(password, email)

test('counts characters, not bytes or UTF-16 units', () => {
  assert.equal(problem('kz8!pq-w2rt'), 'must have at least 12 characters')
  assert.equal(problem('kz8!pq-w2rtm'), undefined)
  assert.match(problem('👍🕊🎈🌵🍕🚲🎻🧩🛶🔭🪁') ?? '', /at least 12/)
  assert.equal(problem('👍🕊🎈🌵🍕🚲🎻🧩🛶🔭🪁🧵'), undefined)
  const long = Array.from({ length: 128 }, (_, index) => String.fromCharCode(33 + ((index * 37) % 90))).join('')
  assert.equal(problem(long), undefined)
  assert.equal(problem(`${long}x`), 'must have at most 128 characters')
})

test('refuses the address and the name in it', () => {
  for (const password of ['my ANA.Souza 2030', 'ana.souza@example.com'])
    assert.match(problem(password) ?? '', /must not contain your email address/)
  assert.equal(problem('savannah rivers', 'ana@example.com' as EmailAddress), undefined)
})

test('refuses common passwords, also with digits at the end, repetitions and sequences', () => {
  const common = ['Password2030!', 'qwertyuiop123', 'correcthorsebatterystaple', 'aaaaaaaaaaaa', 'abcabcabcabc']
  for (const password of [...common, 'passwordpassword', '123456789012', 'ABCDEFGHIJKL', 'zyxwvutsrqpo'])
    assert.match(problem(password) ?? '', /first that others would guess/, password)
})

test('accepts or refuses any text without throwing, and the same in every composition of its characters', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 140 }), (text) => {
      const found = problem(text)
      const { length } = [...toComparablePassword(text)]
      assert.equal(found === undefined || found !== '', true)
      if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH) assert.match(found ?? '', /must have at/)
      assert.equal(problem(text.normalize('NFD')), problem(text.normalize('NFC')))
    }),
  )
})
