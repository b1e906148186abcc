import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { later, seconds } from '../../lib/time.ts'
import { sentEmail, someEmailMessage, someHistory, toEvents } from '../../ports/email-histories.contract.ts'
import { ATTEMPTED, DEAD } from '../../ports/samples.contract.ts'
import type { Fact } from '../message/events.ts'
import { failedAtOf, toEmailLog } from './email-log.ts'
import { toEmailEvents } from './pipeline.ts'

const MAIL = someEmailMessage()

/** One fact per second. */
const eventsOf = (...facts: readonly Fact[]) =>
  toEvents(
    MAIL,
    facts.map((fact) => ({ fact, wait: seconds(1), back: 0 })),
  )

test("an email log has the message id under two names and the provider's message id", () => {
  const [state] = sentEmail()
    .events.map((event) => event.state)
    .slice(-1)
  assert.ok(state !== undefined)
  const { outboxId, requestId, sesMessageId, durationMs, to } = toEmailLog(state, undefined)
  assert.deepEqual([outboxId, requestId, sesMessageId, durationMs, to], [state.id, state.id, 'SM1', 2, undefined])
})

test('the failure time is that of the newest cycle, whatever follows', () => {
  const failed = eventsOf(ATTEMPTED, DEAD, { kind: 'MessageErased' })
  assert.equal(failedAtOf(failed), later(MAIL.createdAt, seconds(2)))
  const again: Fact = { kind: 'ResendRequested', by: 'replay' }
  assert.equal(failedAtOf(eventsOf(ATTEMPTED, DEAD, again)), undefined)
  assert.equal(failedAtOf(eventsOf(ATTEMPTED, DEAD, again, ATTEMPTED, DEAD)), later(MAIL.createdAt, seconds(5)))
})

test('S4-PIPE sentAt, failedAt and durationMs match the status and the events, for any history', () => {
  fc.assert(
    fc.property(someHistory, ({ events, searchable }) => {
      const state = events.at(-1)?.state
      assert.ok(state !== undefined)
      const log = toEmailLog(state, searchable, failedAtOf(events))
      assert.equal(log.sentAt !== undefined, log.status === 'SENT')
      assert.equal(log.failedAt !== undefined, log.status === 'FAILED')
      assert.equal(log.durationMs !== undefined, log.status === 'SENT' || log.status === 'FAILED')
      const entries = toEmailEvents(events).filter(({ type }) => type === log.status)
      const endedAt = log.sentAt ?? log.failedAt
      if (endedAt !== undefined) assert.ok(entries.some(({ at }) => at === endedAt))
    }),
    { numRuns: 500 },
  )
})
