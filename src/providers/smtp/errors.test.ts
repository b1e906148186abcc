import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { REPLIES_BY_CODE, REPLIES_OF_SERVERS } from '../../../test/support/smtp-replies.ts'
import { isTooFast, type SmtpCommand, type SmtpError, toBounce, toSmtpError, waitAfter } from './errors.ts'

const COMMANDS = ['connect', 'auth', 'mail', 'rcpt', 'data'] as const

const meaningOf = (text: string, command: SmtpCommand): SmtpError =>
  toSmtpError({ status: Number(text.slice(0, 3)), text }, command)

function summary(error: SmtpError): string {
  const blame = error.blame === undefined ? '' : ` ${error.blame}`
  const suppresses = error.kind === 'rejected' && error.suppresses !== undefined ? ', suppresses' : ''
  return `${error.kind}${blame} ${error.code}${suppresses}`
}

for (const [server, command, text, words] of [...REPLIES_BY_CODE, ...REPLIES_OF_SERVERS]) {
  test(`"${text.replaceAll('\n', ' ')}" of ${server} server at ${command}: ${words}`, () => {
    assert.equal(summary(meaningOf(text, command)), words)
  })
}

test('a quoted address never changes the meaning', () => {
  const names = ['relay.not.allowed', 'no-such-user', 'spam', 'daily.quota', 'sender', 'blocked', 'relay denied']
  for (const command of COMMANDS) {
    for (const start of ['550', '550 5.1.1', '550 5.7.1', '554 5.0.0', '451 4.7.1', '452']) {
      for (const end of ['no such user', 'mailbox full', 'too many messages', 'no']) {
        const ofPlain = meaningOf(`${start} <maria@example.org>: ${end}`, command)
        for (const name of names) {
          assert.equal(summary(meaningOf(`${start} <${name}@example.org>: ${end}`, command)), summary(ofPlain))
          if (name.includes(' ')) continue
          assert.equal(summary(meaningOf(`${start} ${name}@spam.example: ${end}`, command)), summary(ofPlain))
        }
      }
    }
  }
})

test('a text about a block list, spam or a policy suppresses nobody', () => {
  const blaming = fc.constantFrom('blocked', 'on a blacklist', 'spam', 'bad reputation', 'our policy', 'listed by RBL')
  const naming = fc.constantFrom('mailbox unavailable', 'no such user', 'user unknown', 'recipient rejected')
  const status = fc.constantFrom('550', '551', '553', '554', '550 5.0.0', '550 5.1.0', '554 5.7.1', '550 5.5.0')
  fc.assert(
    fc.property(status, fc.tuple(blaming, naming), fc.boolean(), (begin, both, isReversed) => {
      const words = (isReversed ? both.toReversed() : both).join(', ')
      assert.equal(summary(meaningOf(`${begin} ${words}`, 'rcpt')), 'rejected message POLICY_REJECTED')
    }),
  )
})

test('only a quota has a wait, and only throttling slows down other mails', () => {
  for (const [text, wait, slows] of [
    ['454 Daily message quota exceeded', 600_000, false],
    ['454 Throttling failure', 0, true],
    ['451 4.7.1 rate limited', 0, true],
    ['451 busy', 0, false],
  ] as const) {
    const error = meaningOf(text, 'data')
    assert.ok(error.kind === 'deferred')
    assert.deepEqual([waitAfter(error), isTooFast(error)], [wait, slows])
  }
})

for (const [status, bounce] of [
  ['5.1.1', { code: 'HARD_BOUNCE', suppresses: 'hard_bounce' }],
  ['5.1.10', { code: 'HARD_BOUNCE', suppresses: 'hard_bounce' }],
  ['5.1.8', { code: 'HARD_BOUNCE' }],
  ['5.7.1', { code: 'HARD_BOUNCE' }],
  ['5.0.0', { code: 'HARD_BOUNCE' }],
  ['5.2.2', { code: 'SOFT_BOUNCE' }],
  ['4.4.7', { code: 'SOFT_BOUNCE' }],
  ['', { code: 'SOFT_BOUNCE' }],
] as const) {
  test(`a delivery status ${status || 'that is missing'} is a ${bounce.code}`, () =>
    assert.deepEqual(toBounce(status), bounce))
}

test('any refusal has one meaning at any command, without the text of the server', () => {
  const enhanced = fc.tuple(fc.constantFrom(2, 4, 5), fc.nat(9), fc.nat(30)).map((numbers) => numbers.join('.'))
  const reply = fc.record({
    status: fc.oneof(fc.integer({ min: 400, max: 599 }), fc.integer()),
    words: fc.oneof(
      enhanced,
      fc.tuple(enhanced, fc.string()).map((parts) => parts.join(' ')),
      fc.string(),
    ),
  })
  fc.assert(
    fc.property(reply, fc.constantFrom(...COMMANDS), ({ status, words }, command) => {
      const given = { status, text: `${status} ${words} <maria@example.org>` }
      const error = toSmtpError(given, command)
      assert.deepEqual(toSmtpError(given, command), error)
      assert.match(error.code, /^[A-Z][A-Z0-9_-]*$/)
      assert.ok(!error.detail.includes('maria'))
      assert.ok(status >= 500 || error.kind === 'deferred')
      assert.ok(error.blame !== 'account' || (error.kind === 'deferred' && waitAfter(error) > 0))
      assert.ok(!('suppresses' in error) || command === 'rcpt' || command === 'data')
    }),
    { numRuns: 2000 },
  )
})
