import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import PostalMime from 'postal-mime'
import type { Point, Reaction } from '../../../test/support/smtp-sink.ts'
import { openSmtpWorld, type SmtpWorld } from '../../../test/support/smtp-world.ts'
import { until } from '../../../test/support/until.ts'
import { toReference } from '../../domain/message/attempt-reference.ts'
import type { EmailContent } from '../../domain/message/message.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { instant } from '../../lib/time.ts'
import { address, privateWords, someMailAttempt } from '../mail.fixture.ts'

const timeout = (): AbortSignal => AbortSignal.timeout(60_000)
/** Larger than the socket buffers. */
const LARGE = { html: `<p>${'Pombo. '.repeat(4_000_000)}</p>` }

function toWords(outcome: SendOutcome): string {
  const blame = 'blame' in outcome && outcome.blame !== undefined ? ` ${outcome.blame}` : ''
  const suppresses = 'suppresses' in outcome ? ', suppresses' : ''
  return outcome.kind + blame + ('code' in outcome ? ` ${outcome.code}` : '') + suppresses
}

/** Also checks that the outcome and the log contain nothing private. */
async function wordsOf({ provider, logs }: SmtpWorld, content: Partial<EmailContent> = {}, signal = timeout()) {
  const attempt = someMailAttempt(content)
  const outcome = await provider.send(attempt, signal)
  const text = JSON.stringify([outcome, logs])
  for (const word of privateWords(attempt.content)) assert.ok(!text.includes(word), text)
  return toWords(outcome)
}

describe('a mail that is sent', { timeout: 120_000 }, () => {
  test('reaches every recipient with our Message-ID', async () => {
    await using world = await openSmtpWorld()
    const attempt = someMailAttempt({
      cc: [{ address: address('copy@example.org') }],
      bcc: [{ address: address('hidden@example.org') }],
    })
    const outcome = await world.provider.send(attempt, timeout())
    const [mail] = world.sink.mails
    const reference = toReference(attempt.ref)
    assert.deepEqual(outcome, {
      kind: 'accepted',
      providerMessageId: `${reference}@acme.example`,
      noDeliveryReports: true,
    })
    assert.equal(mail?.from.address, 'no-reply@acme.example')
    assert.deepEqual(
      mail?.to.map((to) => to.address),
      [attempt.content.to, 'copy@example.org', 'hidden@example.org'],
    )
    const read = await PostalMime.parse(mail?.raw ?? '')
    assert.deepEqual([read.messageId, read.subject], [`<${reference}@acme.example>`, attempt.content.subject])
  })

  test('requests notifications of failures and delays with our reference', async () => {
    await using world = await openSmtpWorld()
    const attempt = someMailAttempt()
    await world.provider.send(attempt, timeout())
    const [mail] = world.sink.mails
    const args = mail?.from.args as Readonly<Record<string, string>>
    assert.deepEqual([args['RET'], args['ENVID']], ['HDRS', toReference(attempt.ref)])
    assert.match(JSON.stringify(mail?.to[0]), /FAILURE.*DELAY/)
  })

  test('arrives unchanged, also with lines that begin with a dot', async () => {
    await using world = await openSmtpWorld()
    const text = '.\n..\n.x\nFrom here\n\n.'
    await wordsOf(world, { text })
    const read = await PostalMime.parse(world.sink.mails[0]?.raw ?? '')
    assert.equal(read.text?.trimEnd(), text)
  })

  test('may be large', async () => {
    await using world = await openSmtpWorld()
    assert.equal(await wordsOf(world, { html: 'x'.repeat(1_000_000) }), 'accepted')
    assert.ok((world.sink.mails[0]?.raw.length ?? 0) > 1_000_000)
  })

  test('reaches a server without pipelining', async () => {
    await using world = await openSmtpWorld({ sink: { hidePIPELINING: true, hideDSN: true } })
    assert.deepEqual([await wordsOf(world), await wordsOf(world)], ['accepted', 'accepted'])
  })

  test('is not sent after its deadline', async () => {
    await using world = await openSmtpWorld({ context: { clock: () => instant(1_000_000) } })
    const attempt = { ...someMailAttempt(), expiresAt: instant(999_999) }
    assert.equal(toWords(await world.provider.send(attempt, timeout())), 'rejected message EXPIRED')
    assert.equal(world.sink.connected, 0)
  })

  test('is not sent by a process that does not send', async () => {
    await using world = await openSmtpWorld({ context: { sends: false } })
    assert.equal(await wordsOf(world), 'deferred NOT_CONNECTED')
    assert.deepEqual(world.provider.connections?.(), { wanted: 0, up: 0 })
  })

  test('is never an SMS', async () => {
    await using world = await openSmtpWorld()
    const outcome = await world.provider.send({ ...someMailAttempt(), channel: 'sms' } as never, timeout())
    assert.equal(toWords(outcome), 'rejected provider WRONG_CHANNEL')
  })
})

describe('a mail that is refused', { timeout: 120_000 }, () => {
  for (const [point, reply, words] of [
    ['connect', '421 too busy', 'deferred SMTP_421'],
    ['connect', '554 not you', 'rejected provider SMTP_554'],
    ['mail', '451 4.3.0 later', 'deferred SMTP_451'],
    ['mail', '421 4.3.2 closing', 'deferred SMTP_421'],
    ['mail', '553 5.1.8 whose domain', 'rejected provider INVALID_SENDER'],
    ['mail', '454 Throttling failure: Daily message quota exceeded.', 'deferred account QUOTA_EXCEEDED'],
    ['rcpt', '450 4.2.0 greylisted', 'deferred recipient MAILBOX_UNAVAILABLE'],
    ['rcpt', '550 5.1.1 maria.silva@example.org unknown', 'rejected message HARD_BOUNCE, suppresses'],
    ['rcpt', '550 maria.silva@example.org unknown', 'rejected message HARD_BOUNCE, suppresses'],
    ['rcpt', '554 5.7.1 Relay access denied', 'rejected provider RELAY_DENIED'],
    ['rcpt', '421 closing', 'deferred SMTP_421'],
    ['end', '452 4.3.1 no space', 'deferred SMTP_452'],
    ['end', '421 4.3.2 closing', 'deferred SMTP_421'],
    ['end', '552 5.3.4 too large', 'rejected message TOO_LARGE'],
    ['end', '550 5.1.1 unknown', 'rejected message HARD_BOUNCE, suppresses'],
    ['end', '554 5.7.1 spam', 'rejected message POLICY_REJECTED'],
  ] as const) {
    for (const pipelining of [true, false]) {
      test(`at ${point} by "${reply}" is ${words}${pipelining ? '' : ', also without pipelining'}`, async () => {
        await using world = await openSmtpWorld({ sink: { hidePIPELINING: !pipelining } })
        world.sink.react(point, (nth) => (nth === 1 ? reply : 'take'))
        assert.equal(await wordsOf(world), words)
        assert.equal(await wordsOf(world), 'accepted', 'the next one is accepted')
        assert.equal(world.sink.received, point === 'end' ? 2 : 1)
      })
    }
  }

  test('is not sent to the copies if the recipient is refused', async () => {
    for (const hidePIPELINING of [true, false]) {
      await using world = await openSmtpWorld({ sink: { hidePIPELINING } })
      const copies = { cc: [{ address: address('copy@example.org') }], bcc: [{ address: address('b@example.org') }] }
      world.sink.react('rcpt', (_nth, to) => (to.startsWith('maria') ? '550 5.1.1 unknown' : 'take'))
      assert.equal(await wordsOf(world, copies), 'rejected message HARD_BOUNCE, suppresses')
      world.sink.react('rcpt', (_nth, to) => (to.startsWith('maria') ? '451 4.7.1 later' : 'take'))
      assert.equal(await wordsOf(world, copies), 'deferred recipient MAILBOX_UNAVAILABLE')
      world.sink.react('rcpt', (_nth, to) => (to.startsWith('maria') ? '550 5.1.1 unknown' : '451 later'))
      assert.equal(await wordsOf(world, copies), 'rejected message HARD_BOUNCE, suppresses')
      world.sink.react('rcpt', 'take')
      assert.equal(await wordsOf(world), 'accepted')
      assert.deepEqual(
        world.sink.mails.map(({ to }) => to.length),
        [1],
      )
    }
  })

  test('for one copy is sent to the others', async () => {
    await using world = await openSmtpWorld()
    world.sink.react('rcpt', (_nth, to) => (to.startsWith('copy') ? '550 5.1.1 unknown' : 'take'))
    assert.equal(await wordsOf(world, { cc: [{ address: address('copy@example.org') }] }), 'accepted')
    assert.equal(world.sink.mails[0]?.to.length, 1)
  })

  test('as a whole suppresses nobody if there are copies', async () => {
    await using world = await openSmtpWorld()
    world.sink.react('end', '550 5.1.1 one of them')
    const copies = { cc: [{ address: address('copy@example.org') }] }
    assert.equal(await wordsOf(world, copies), 'rejected message HARD_BOUNCE')
  })

  test('because of the announced size limit is not sent', async () => {
    await using world = await openSmtpWorld({ sink: { size: 500 } })
    assert.equal(await wordsOf(world), 'rejected message TOO_LARGE')
    assert.equal(world.sink.received, 0)
  })

  test('because of the quota of the account is retried after a wait', async () => {
    await using world = await openSmtpWorld()
    world.sink.react('end', '454 Throttling failure: Daily message quota exceeded.')
    const outcome = await world.provider.send(someMailAttempt(), timeout())
    assert.ok(outcome.kind === 'deferred' && outcome.retryAfter >= 60_000, JSON.stringify(outcome))
  })
})

describe('a mail whose connection is lost', { timeout: 120_000 }, () => {
  test('before it is open is deferred', async () => {
    await using world = await openSmtpWorld()
    await world.sink.stop()
    assert.equal(await wordsOf(world), 'deferred NOT_CONNECTED')
  })

  for (const [point, words, content] of [
    ['connect', 'deferred NOT_CONNECTED', {}],
    ['mail', 'deferred CONNECTION_LOST', {}],
    ['rcpt', 'deferred CONNECTION_LOST', {}],
    ['data', 'deferred CONNECTION_LOST', LARGE],
    ['end', 'unknown CONNECTION_LOST', {}],
    ['end', 'unknown CONNECTION_LOST', { html: 'x'.repeat(200_000) }],
  ] as const) {
    test(`at ${point}${content === LARGE ? ' of a large mail' : ''} is ${words}`, async () => {
      await using world = await openSmtpWorld()
      world.sink.react(point, (nth) => (nth === 1 ? 'hang up' : 'take'))
      assert.equal(await wordsOf(world, content), words)
      assert.equal(world.sink.received, point === 'end' ? 1 : 0, 'we do not send it again')
      assert.equal(await wordsOf(world), 'accepted')
    })
  }

  for (const [point, words] of [
    ['connect', 'deferred TIMEOUT'],
    ['mail', 'deferred TIMEOUT'],
    ['rcpt', 'deferred TIMEOUT'],
    ['end', 'unknown TIMEOUT'],
  ] as const) {
    test(`by the abort of the signal at ${point} is ${words}`, async () => {
      await using world = await openSmtpWorld()
      world.sink.react(point, 'hold')
      const controller = new AbortController()
      const sent = wordsOf(world, {}, controller.signal)
      await until('the server to reach that point', () => world.sink.reached(point) === 1)
      controller.abort()
      assert.equal(await sent, words)
    })
  }

  for (const [settings, point, words] of [
    [{ answer_seconds: 1 }, 'end', 'unknown TIMEOUT'],
    [{ answer_seconds: 1 }, 'rcpt', 'deferred TIMEOUT'],
    [{ connect_seconds: 1 }, 'connect', 'deferred TIMEOUT'],
  ] as const) {
    test(`by a timeout at ${point} is ${words}`, async () => {
      await using world = await openSmtpWorld({ settings })
      world.sink.react(point, 'hold')
      assert.equal(await wordsOf(world), words)
    })
  }

  test('is reported as accepted after a late answer', async () => {
    await using world = await openSmtpWorld()
    world.sink.react('end', 'hold')
    const controller = new AbortController()
    const attempt = someMailAttempt()
    const sent = world.provider.send(attempt, controller.signal)
    await until('the mail', () => world.sink.received === 1)
    controller.abort()
    assert.equal(toWords(await sent), 'unknown TIMEOUT')
    world.sink.release()
    const receipt = await until('the receipt', () => world.receipts[0])
    assert.deepEqual([receipt.ref, receipt.state], [attempt.ref, 'accepted'])
    assert.equal(receipt.providerMessageId, `${toReference(attempt.ref)}@acme.example`)
  })

  for (const [reply, code] of [
    ['451 4.3.0 later', 'SMTP_451'],
    ['550 5.7.1 spam', 'POLICY_REJECTED'],
  ] as const) {
    test(`is reported as refused after a late ${reply}`, async () => {
      await using world = await openSmtpWorld()
      world.sink.react('end', 'hold')
      const controller = new AbortController()
      const attempt = someMailAttempt()
      const sent = world.provider.send(attempt, controller.signal)
      await until('the mail', () => world.sink.received === 1)
      controller.abort()
      assert.equal(toWords(await sent), 'unknown TIMEOUT')
      world.sink.release(reply)
      const receipt = await until('the receipt', () => world.receipts[0])
      assert.deepEqual([receipt.ref, receipt.state, receipt.code], [attempt.ref, 'refused', code])
    })
  }

  test('is not reported if the server hangs up late', async () => {
    await using world = await openSmtpWorld()
    world.sink.react('end', 'hold')
    const controller = new AbortController()
    const sent = wordsOf(world, {}, controller.signal)
    await until('the mail', () => world.sink.received === 1)
    controller.abort()
    await sent
    world.sink.react('end', 'take')
    world.sink.hangUp()
    assert.equal(await wordsOf(world), 'accepted')
    assert.deepEqual(world.receipts, [])
  })

  test('is not sent if the signal is already aborted', async () => {
    await using world = await openSmtpWorld()
    assert.equal(await wordsOf(world, {}, AbortSignal.abort()), 'deferred ABORTED')
    assert.equal(world.sink.reached('connect'), 0)
  })

  test('is not lost if the server is slow', async () => {
    await using world = await openSmtpWorld()
    for (const point of ['connect', 'mail', 'rcpt', 'end'] as const) world.sink.react(point, slowly(world, point))
    assert.equal(await wordsOf(world), 'accepted')
  })
})

/** Holds, and continues after a while. */
function slowly({ sink }: SmtpWorld, point: Point): () => Reaction {
  return () => {
    void until(`${point} to be held`, () => sink.reached(point) > 0, { everyMs: 60 }).then(() => sink.release())
    return 'hold'
  }
}

test('a lost connection at any point never sends a mail twice', {
  timeout: 120_000,
}, async () => {
  const points = ['connect', 'mail', 'rcpt', 'data', 'end'] as const
  for (const [index, first] of points.entries()) {
    for (const second of points) {
      await using world = await openSmtpWorld({ sink: { hidePIPELINING: index % 2 === 0 } })
      world.sink.react(first, (nth) => (nth === 1 ? 'hang up' : 'take'))
      const one = await wordsOf(world)
      world.sink.react(second, (nth) => (nth === 1 ? 'hang up' : 'take'))
      const two = await wordsOf(world)
      const mayHave = [one, two].filter((words) => !words.startsWith('deferred')).length
      assert.ok(world.sink.received <= mayHave, `${first} ${second}: ${one}, ${two}, ${world.sink.received}`)
    }
  }
})
