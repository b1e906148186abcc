import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openSmtpWorld, type SmtpWorld } from '../../../test/support/smtp-world.ts'
import { until } from '../../../test/support/until.ts'
import { toReference } from '../../domain/message/attempt-reference.ts'
import { address, someMailAttempt } from '../mail.fixture.ts'

const PATIENT = (): AbortSignal => AbortSignal.timeout(60_000)

/** Whose names begin with what the server is to say of them. */
const COPIES = {
  cc: [{ address: address('taken@example.org') }, { address: address('gone@example.org') }],
  bcc: [{ address: address('busy@example.org') }, { address: address('denied@example.org') }],
}
const REPLIES = { gone: '550 5.1.1 unknown', busy: '450 4.2.0 greylisted', denied: '550 5.7.1 not from you' } as const

function refuseCopies({ sink }: SmtpWorld): void {
  sink.react('rcpt', (_nth, to) => REPLIES[to.slice(0, to.indexOf('@')) as keyof typeof REPLIES] ?? 'take')
}

/** Without the attempt, which is the same for all. */
const refusalsOf = ({ receipts }: SmtpWorld) =>
  receipts
    .filter(({ state }) => state === 'bounced')
    .map(({ about, reportId, code, suppresses, copy, noDeliveryReports: quiet }) => [
      about,
      reportId,
      code,
      suppresses,
      copy,
      quiet,
    ])

const REFUSALS = [
  ['gone@example.org', 'copy 2', 'HARD_BOUNCE', 'hard_bounce', true, true],
  ['denied@example.org', 'copy 4', 'POLICY_REJECTED', undefined, true, true],
]
const TOLD = ['warn: copies of a mail were not taken, and are not sent again {"copies":2}']

describe('copies that a mail server does not take', { timeout: 120_000 }, () => {
  for (const hidePIPELINING of [true, false]) {
    test(`are reported by their addresses${hidePIPELINING ? ', also one command at a time' : ''}`, async () => {
      await using world = await openSmtpWorld({ sink: { hidePIPELINING } })
      refuseCopies(world)
      const attempt = someMailAttempt(COPIES)
      const outcome = await world.provider.send(attempt, PATIENT())
      const providerMessageId = `${toReference(attempt.ref)}@acme.example`
      assert.deepEqual(outcome, { kind: 'accepted', providerMessageId, noDeliveryReports: true })
      assert.deepEqual(
        world.sink.mails[0]?.to.map((to) => to.address),
        [attempt.content.to, 'taken@example.org'],
      )
      assert.deepEqual(refusalsOf(world), REFUSALS)
      for (const { ref, providerMessageId: name } of world.receipts) {
        assert.deepEqual([ref, name], [attempt.ref, providerMessageId])
      }
      assert.deepEqual(world.told, TOLD)
    })
  }

  test('are reported when the answer comes too late', async () => {
    await using world = await openSmtpWorld()
    refuseCopies(world)
    world.sink.react('end', 'hold')
    const impatience = new AbortController()
    const sent = world.provider.send(someMailAttempt(COPIES), impatience.signal)
    await until('the mail', () => world.sink.received === 1)
    impatience.abort()
    assert.equal((await sent).kind, 'unknown')
    assert.deepEqual([world.receipts, world.told], [[], []])
    world.sink.release()
    await until('the operator to be told', () => world.told.length > 0)
    assert.equal(world.receipts[0]?.state, 'accepted')
    assert.deepEqual([refusalsOf(world), world.told], [REFUSALS, TOLD])
  })

  test('say nothing of a mail that the server does not have: they would prove that it has it', async () => {
    for (const reply of ['550 5.7.1 spam', '451 4.3.0 later', 'hang up'] as const) {
      await using world = await openSmtpWorld()
      refuseCopies(world)
      world.sink.react('end', reply)
      assert.notEqual((await world.provider.send(someMailAttempt(COPIES), PATIENT())).kind, 'accepted')
      assert.deepEqual([world.receipts, world.told], [[], []])
    }
  })

  test('that cannot be noted are told of, and the mail was sent all the same', async () => {
    const report = async (): Promise<never> => {
      throw new Error('the log is away')
    }
    const told: unknown[] = []
    await using world = await openSmtpWorld({ place: { report, tell: (...words) => told.push(words) } })
    world.sink.react('rcpt', (_nth, to) => (to.startsWith('gone') ? REPLIES.gone : 'take'))
    assert.equal((await world.provider.send(someMailAttempt(COPIES), PATIENT())).kind, 'accepted')
    const sentence = 'what the mail server told of a mail could not be stored'
    assert.deepEqual(told, [['warn', sentence, { reason: 'the log is away' }]])
  })
})
