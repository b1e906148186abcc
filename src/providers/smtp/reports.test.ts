import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openSmtpWorld, type SmtpWorld } from '../../../test/support/smtp-world.ts'
import { until } from '../../../test/support/until.ts'
import { toReference } from '../../domain/message/attempt-reference.ts'
import { address, someMailAttempt } from '../mail.fixture.ts'

const timeout = (): AbortSignal => AbortSignal.timeout(60_000)

/** The local parts select the reply. */
const COPIES = {
  cc: [{ address: address('taken@example.org') }, { address: address('gone@example.org') }],
  bcc: [{ address: address('busy@example.org') }, { address: address('denied@example.org') }],
}
const REPLIES = { gone: '550 5.1.1 unknown', busy: '450 4.2.0 greylisted', denied: '550 5.7.1 not from you' } as const

function refuseCopies({ sink }: SmtpWorld): void {
  sink.react('rcpt', (_nth, to) => REPLIES[to.slice(0, to.indexOf('@')) as keyof typeof REPLIES] ?? 'take')
}

const refusalsOf = ({ receipts }: SmtpWorld) =>
  receipts
    .filter(({ state }) => state === 'bounced')
    .map(({ about, reportId, code, suppresses, copy, noDeliveryReports }) => [
      about,
      reportId,
      code,
      suppresses,
      copy,
      noDeliveryReports,
    ])

const REFUSALS = [
  ['gone@example.org', 'copy 2', 'HARD_BOUNCE', 'hard_bounce', true, true],
  ['denied@example.org', 'copy 4', 'POLICY_REJECTED', undefined, true, true],
]
const LOGGED = ['warn: smtp: copies of a mail refused, not retried {"copies":2}']

describe('copies that a mail server refuses', { timeout: 120_000 }, () => {
  for (const hidePIPELINING of [true, false]) {
    test(`are reported with their addresses${hidePIPELINING ? ', also without pipelining' : ''}`, async () => {
      await using world = await openSmtpWorld({ sink: { hidePIPELINING } })
      refuseCopies(world)
      const attempt = someMailAttempt(COPIES)
      const outcome = await world.provider.send(attempt, timeout())
      const providerMessageId = `${toReference(attempt.ref)}@acme.example`
      assert.deepEqual(outcome, { kind: 'accepted', providerMessageId, noDeliveryReports: true })
      assert.deepEqual(
        world.sink.mails[0]?.to.map((to) => to.address),
        [attempt.content.to, 'taken@example.org'],
      )
      assert.deepEqual(refusalsOf(world), REFUSALS)
      for (const { ref, providerMessageId: id } of world.receipts) {
        assert.deepEqual([ref, id], [attempt.ref, providerMessageId])
      }
      assert.deepEqual(world.logs, LOGGED)
    })
  }

  test('are reported after a late answer', async () => {
    await using world = await openSmtpWorld()
    refuseCopies(world)
    world.sink.react('end', 'hold')
    const controller = new AbortController()
    const sent = world.provider.send(someMailAttempt(COPIES), controller.signal)
    await until('the mail', () => world.sink.received === 1)
    controller.abort()
    assert.equal((await sent).kind, 'unknown')
    assert.deepEqual([world.receipts, world.logs], [[], []])
    world.sink.release()
    await until('the log line', () => world.logs.length > 0)
    assert.equal(world.receipts[0]?.state, 'accepted')
    assert.deepEqual([refusalsOf(world), world.logs], [REFUSALS, LOGGED])
  })

  test('are not reported if the server refused the mail', async () => {
    for (const reply of ['550 5.7.1 spam', '451 4.3.0 later', 'hang up'] as const) {
      await using world = await openSmtpWorld()
      refuseCopies(world)
      world.sink.react('end', reply)
      assert.notEqual((await world.provider.send(someMailAttempt(COPIES), timeout())).kind, 'accepted')
      assert.deepEqual([world.receipts, world.logs], [[], []])
    }
  })

  test('that cannot be stored are logged', async () => {
    const report = async (): Promise<never> => {
      throw new Error('the log is unavailable')
    }
    const logged: unknown[] = []
    await using world = await openSmtpWorld({ context: { report, log: (...line) => logged.push(line) } })
    world.sink.react('rcpt', (_nth, to) => (to.startsWith('gone') ? REPLIES.gone : 'take'))
    assert.equal((await world.provider.send(someMailAttempt(COPIES), timeout())).kind, 'accepted')
    const event = 'smtp: report of the mail server could not be stored'
    assert.deepEqual(logged, [['warn', event, { reason: 'the log is unavailable' }]])
  })
})
