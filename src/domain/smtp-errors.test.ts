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
  ['rcpt', '550 5.1.10000 is no code', 'rejected of the message SMTP_550'],
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
  ['data', '454 Throttling failure: Maximum sending rate exceeded.', 'deferred RATE_LIMITED'],
  ['mail', '454 Throttling failure: Daily message quota exceeded.', 'deferred of the account QUOTA_EXCEEDED'],
  ['mail', '421 4.7.28 too much of it', 'deferred RATE_LIMITED'],
  ['rcpt', '550 4.1.1 of two minds', 'rejected of the message SMTP_550'],
  ['data', '599 what', 'rejected of the message SMTP_599'],
] as const) {
  test(`at ${command} "${text.replace('\n', ' ')}" is ${meaning}`, () => {
    assert.equal(summary(meaningOf(text, command)), meaning)
  })
}

const BOUNCED = 'rejected of the message HARD_BOUNCE, and suppresses'
const FORBIDDEN = 'rejected of the message POLICY_REJECTED'
const NO_RELAY = 'rejected of the provider RELAY_DENIED'
const SENDER = 'rejected of the provider INVALID_SENDER'
const FULL = 'deferred of the recipient MAILBOX_FULL'
const QUOTA = 'deferred of the account QUOTA_EXCEEDED'
const TOO_FAST = 'deferred RATE_LIMITED'

for (const [server, command, text, meaning] of [
  ['Postfix', 'rcpt', '550 5.1.1 <x@y>: Recipient address rejected: User unknown in relay recipient table', BOUNCED],
  ['Postfix', 'rcpt', '550 <x@y>: Recipient address rejected: User unknown in relay recipient table', BOUNCED],
  ['Postfix', 'rcpt', '554 5.7.1 <x@y>: Recipient address rejected: Access denied', FORBIDDEN],
  [
    'Postfix',
    'rcpt',
    '554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.example.org',
    FORBIDDEN,
  ],
  ['Postfix', 'rcpt', '450 4.7.1 Error: too much mail from 192.0.2.1', TOO_FAST],
  ['Postfix', 'mail', '421 4.7.0 relay.example.org Error: too many connections from 192.0.2.1', TOO_FAST],
  ['Exim', 'rcpt', '550 Unrouteable address', BOUNCED],
  ['Exim', 'rcpt', '550 Unknown user', BOUNCED],
  ['Exim', 'rcpt', '550 No Such User Here', BOUNCED],
  ['Exim', 'rcpt', '550 relay not permitted', NO_RELAY],
  ['Exim', 'rcpt', '550 Authentication required', 'rejected of the provider AUTHENTICATION_FAILED'],
  ['Exim', 'rcpt', '550-Verification failed for <x@y>\n550-No Such User Here\n550 Sender verify failed', SENDER],
  ['Sendmail', 'rcpt', '553 5.3.0 <x@y>... No such user here', BOUNCED],
  ['Sendmail', 'rcpt', '553 Domain of sender address x@y does not exist', SENDER],
  ['Sendmail', 'rcpt', '551 User not local; please try <x@z>', NO_RELAY],
  ['Sendmail', 'rcpt', '551 no such user', BOUNCED],
  ['qmail', 'rcpt', '550 sorry, no mailbox here by that name. (#5.1.1)', BOUNCED],
  ['qmail', 'rcpt', "553 sorry, that domain isn't in my list of allowed rcpthosts (#5.7.1)", NO_RELAY],
  ['Exchange', 'rcpt', '550 5.7.54 SMTP; Unable to relay recipient in non-accepted domain', NO_RELAY],
  ['Exchange', 'rcpt', '550 5.7.1 Unable to relay', NO_RELAY],
  ['Exchange', 'rcpt', '550 5.4.1 Recipient address rejected: Access denied.', BOUNCED],
  ['Exchange', 'rcpt', '550 5.4.1 Relay Access Denied', NO_RELAY],
  ['Outlook', 'rcpt', '550 5.5.0 Requested action not taken: mailbox unavailable', BOUNCED],
  ['Outlook', 'mail', '550 5.7.1 Unfortunately, messages from [192.0.2.1] were not sent: on our block list', SENDER],
  ['Gmail', 'rcpt', '550-5.1.1 The email account that you tried to reach does\n550 5.1.1 not exist', BOUNCED],
  ['Gmail', 'data', '552-5.7.0 This message was blocked because its content presents\n552 5.7.0 a risk', FORBIDDEN],
  ['Gmail', 'data', '452-4.2.2 Quota exceeded (mailbox for user is full)', FULL],
  [
    'Gmail',
    'rcpt',
    '450 4.2.1 The user is receiving mail at a rate that is too high',
    'deferred of the recipient MAILBOX_UNAVAILABLE',
  ],
  ['Gmail', 'data', '421 4.7.0 Our system has detected an unusual rate of unsolicited mail', TOO_FAST],
  ['Gmail', 'data', '550 5.4.5 Daily user sending limit exceeded', QUOTA],
  ['Gmail', 'mail', '421 4.7.0 Daily SMTP relay limit exceeded for customer', QUOTA],
  ['Yahoo', 'data', "554 delivery error: dd This user doesn't have a yahoo.com account (x@y) [0]", BOUNCED],
  ['Yahoo', 'rcpt', '552 1 Requested mail action aborted, mailbox not found', BOUNCED],
  ['Yahoo', 'data', '554 5.7.9 Message not accepted for policy reasons', FORBIDDEN],
  ['GMX', 'rcpt', '550 Requested action not taken: mailbox unavailable', BOUNCED],
  ['GMX', 'rcpt', '550 mailbox unavailable\n550 Reject due to policy restrictions', FORBIDDEN],
  ['Mail.ru', 'data', '550 Message was not accepted -- invalid mailbox. Local mailbox x@y is unavailable', BOUNCED],
  ['a filter', 'rcpt', '550 Blocked, your IP 192.0.2.1 is listed by Spamhaus', FORBIDDEN],
  ['a filter', 'rcpt', '550 5.1.0 this address is on a block list: no such user', FORBIDDEN],
  ['a filter', 'rcpt', '550 5.7.1 no such user', FORBIDDEN],
  ['a filter', 'data', '552 mailbox full', FULL],
  ['a filter', 'rcpt', '501 invalid address', 'rejected of the provider PROTOCOL_ERROR'],
  ['a filter', 'rcpt', '550 go away', 'rejected of the message SMTP_550'],
  ['a filter', 'rcpt', '553 go away', 'rejected of the message SMTP_553'],
] as const) {
  test(`of ${server} at ${command} "${text.replaceAll('\n', ' ')}" is ${meaning}`, () => {
    assert.equal(summary(meaningOf(text, command)), meaning)
  })
}

test('an address that is quoted never decides', () => {
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

test('words that blame a list, spam or a policy suppress nobody, whatever else is said', () => {
  const blaming = fc.constantFrom('blocked', 'on a blacklist', 'spam', 'bad reputation', 'our policy', 'listed by RBL')
  const naming = fc.constantFrom('mailbox unavailable', 'no such user', 'user unknown', 'recipient rejected')
  const status = fc.constantFrom('550', '551', '553', '554', '550 5.0.0', '550 5.1.0', '554 5.7.1', '550 5.5.0')
  fc.assert(
    fc.property(status, fc.tuple(blaming, naming), fc.boolean(), (begin, both, turned) => {
      const words = (turned ? both.toReversed() : both).join(', ')
      assert.equal(summary(meaningOf(`${begin} ${words}`, 'rcpt')), FORBIDDEN)
    }),
  )
})

test('only a quota of our account has a wait, of minutes, and only too fast slows down the rest', () => {
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
