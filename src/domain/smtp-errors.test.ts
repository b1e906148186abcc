import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isTooFast, type SmtpCommand, type SmtpError, toBounce, toSmtpError, waitAfter } from './smtp-errors.ts'

const COMMANDS = ['connect', 'auth', 'mail', 'rcpt', 'data'] as const

const meaningOf = (text: string, command: SmtpCommand): SmtpError =>
  toSmtpError({ status: Number(text.slice(0, 3)), text }, command)

function summary(error: SmtpError): string {
  const blame = error.blame === undefined ? '' : ` of the ${error.blame}`
  const suppresses = error.kind === 'rejected' && error.suppresses !== undefined ? ', and suppresses' : ''
  return `${error.kind}${blame} ${error.code}${suppresses}`
}

for (const [command, text, meaning] of [
  ['rcpt', '550 5.1.1 <x@y>: user unknown', 'rejected of the message HARD_BOUNCE, and suppresses'],
  ['rcpt', '550-5.1.1 in\n550 5.1.1 two lines', 'rejected of the message HARD_BOUNCE, and suppresses'],
  ['rcpt', '550 5.1.2 no such domain', 'rejected of the message HARD_BOUNCE, and suppresses'],
  ['rcpt', '501 5.1.3 bad syntax', 'rejected of the message HARD_BOUNCE, and suppresses'],
  ['rcpt', '550 5.1.6 moved', 'rejected of the message HARD_BOUNCE, and suppresses'],
  ['rcpt', '556 5.1.10 null MX', 'rejected of the message HARD_BOUNCE, and suppresses'],
  ['data', '550 5.1.1 user unknown', 'rejected of the message HARD_BOUNCE, and suppresses'],
  ['rcpt', '550 no such user', 'rejected of the message HARD_BOUNCE, and suppresses'],
  ['rcpt', '550 5.1.0 address rejected', 'rejected of the message INVALID_RECIPIENT'],
  ['data', '550 no', 'rejected of the message SMTP_550'],
  ['rcpt', '550 5.1.10000 is no code', 'rejected of the message HARD_BOUNCE, and suppresses'],
  ['rcpt', '553 5.1.8 sender domain', 'rejected of the provider INVALID_SENDER'],
  ['mail', '550 5.1.1 you', 'rejected of the provider INVALID_SENDER'],
  ['mail', '553 5.7.1 not owned by user', 'rejected of the provider INVALID_SENDER'],
  ['mail', '550 no', 'rejected of the provider INVALID_SENDER'],
  ['mail', '552 5.3.4 too big', 'rejected of the message TOO_LARGE'],
  ['mail', '552 too big', 'rejected of the message TOO_LARGE'],
  ['mail', '501 syntax', 'rejected of the provider PROTOCOL_ERROR'],
  ['data', '552 5.2.3 too big', 'rejected of the message TOO_LARGE'],
  ['rcpt', '552 over quota', 'deferred of the recipient MAILBOX_FULL'],
  ['rcpt', '552 5.2.2 mailbox full', 'deferred of the recipient MAILBOX_FULL'],
  ['rcpt', '550 5.2.1 disabled', 'rejected of the message MAILBOX_DISABLED'],
  ['rcpt', '550 5.7.1 relaying denied', 'rejected of the provider RELAY_DENIED'],
  ['rcpt', '554 5.7.1 <x@y>: Relay access denied', 'rejected of the provider RELAY_DENIED'],
  ['rcpt', '551 not local', 'rejected of the provider RELAY_DENIED'],
  ['rcpt', '550 5.7.1 blocked', 'rejected of the message POLICY_REJECTED'],
  ['data', '554 5.7.1 spam', 'rejected of the message POLICY_REJECTED'],
  ['data', '550 5.7.26 DMARC', 'rejected of the provider SENDER_UNPROVEN'],
  ['data', '554 5.6.0 content', 'rejected of the message CONTENT_REJECTED'],
  ['data', '554 no', 'rejected of the message SMTP_554'],
  ['data', '554 Message rejected: Email address is not verified.', 'rejected of the provider INVALID_SENDER'],
  ['rcpt', '550 5.4.4 no route', 'rejected of the message UNROUTABLE'],
  ['rcpt', '452 4.5.3 too many recipients', 'deferred SMTP_452'],
  ['rcpt', '550 5.5.3 too many recipients', 'rejected of the message TOO_MANY_RECIPIENTS'],
  ['mail', '530 5.7.0 authentication required', 'rejected of the provider AUTHENTICATION_FAILED'],
  ['rcpt', '530 authentication required', 'rejected of the provider AUTHENTICATION_FAILED'],
  ['auth', '535 5.7.8 bad credentials', 'rejected of the provider AUTHENTICATION_FAILED'],
  ['auth', '534 5.7.9 too weak', 'rejected of the provider AUTHENTICATION_FAILED'],
  ['auth', '502 what', 'rejected of the provider AUTHENTICATION_FAILED'],
  ['auth', '454 4.7.0 temporary', 'deferred AUTHENTICATION_DEFERRED'],
  ['connect', '554 no service', 'rejected of the provider SMTP_554'],
  ['connect', '421 busy', 'deferred SMTP_421'],
  ['mail', '421 4.4.2 bye', 'deferred SMTP_421'],
  ['rcpt', '450 4.2.0 greylisted', 'deferred of the recipient MAILBOX_UNAVAILABLE'],
  ['rcpt', '451 4.7.1 greylisted', 'deferred of the recipient MAILBOX_UNAVAILABLE'],
  ['rcpt', '452 4.3.1 no space', 'deferred SMTP_452'],
  ['rcpt', '452 4.2.2 quota exceeded', 'deferred of the recipient MAILBOX_FULL'],
  ['rcpt', '421 bye', 'deferred SMTP_421'],
  ['data', '451 4.3.0 later', 'deferred SMTP_451'],
  ['data', '454 Throttling failure: Maximum sending rate exceeded.', 'deferred of the account RATE_LIMITED'],
  ['mail', '454 Throttling failure: Daily message quota exceeded.', 'deferred of the account QUOTA_EXCEEDED'],
  ['mail', '421 4.7.28 rate limit', 'deferred of the account RATE_LIMITED'],
  ['rcpt', '550 4.1.1 of two minds', 'rejected of the message HARD_BOUNCE, and suppresses'],
  ['data', '599 what', 'rejected of the message SMTP_599'],
] as const) {
  test(`at ${command} "${text.replace('\n', ' ')}" is ${meaning}`, () => {
    assert.equal(summary(meaningOf(text, command)), meaning)
  })
}

test('what our account may not do for now has a wait, and only too fast slows down the rest', () => {
  const [quota, rate] = ['454 Daily message quota exceeded', '454 Throttling failure'].map((text) =>
    meaningOf(text, 'data'),
  )
  assert.ok(quota?.kind === 'deferred' && waitAfter(quota) >= 60_000 && !isTooFast(quota))
  assert.ok(rate?.kind === 'deferred' && waitAfter(rate) === 1_000 && isTooFast(rate))
  const busy = meaningOf('451 busy', 'data')
  assert.ok(busy.kind === 'deferred' && waitAfter(busy) === 0 && !isTooFast(busy))
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
  test(`a report by ${status || 'no status'} is a ${bounce.code}`, () => assert.deepEqual(toBounce(status), bounce))
}

test('any refusal has one meaning at any command, the same each time, and none of the words of the server', () => {
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
