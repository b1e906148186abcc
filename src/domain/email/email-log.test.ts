import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { later, seconds } from '../../lib/time.ts'
import { sentMail, someHistory, someMailMessage, toEvents } from '../../ports/email-histories.contract.ts'
import { ATTEMPTED, DEAD } from '../../ports/samples.contract.ts'
import type { Fact } from '../message/events.ts'
import { failedAtOf, toEmailLog } from './email-log.ts'
import { toEmailEvents } from './pipeline.ts'

const MAIL = someMailMessage()

/** One fact a second. */
const eventsOf = (...facts: readonly Fact[]) =>
  toEvents(
    MAIL,
    facts.map((fact) => ({ fact, wait: seconds(1), back: 0 })),
  )

test('a mail is known by one id under two names, and by what its provider calls it', () => {
  const [state] = sentMail()
    .events.map((event) => event.state)
    .slice(-1)
  assert.ok(state !== undefined)
  const { outboxId, requestId, sesMessageId, durationMs, to } = toEmailLog(state, undefined)
  assert.deepEqual([outboxId, requestId, sesMessageId, durationMs, to], [state.id, state.id, 'SM1', 2, undefined])
})

test('when a mail failed is when its newest cycle did, whatever comes after', () => {
  const failed = eventsOf(ATTEMPTED, DEAD, { kind: 'MessageErased' })
  assert.equal(failedAtOf(failed), later(MAIL.createdAt, seconds(2)))
  const again: Fact = { kind: 'ResendRequested', by: 'replay' }
  assert.equal(failedAtOf(eventsOf(ATTEMPTED, DEAD, again)), undefined)
  assert.equal(failedAtOf(eventsOf(ATTEMPTED, DEAD, again, ATTEMPTED, DEAD)), later(MAIL.createdAt, seconds(5)))
})

test('S4-PIPE whatever happens, a log says when a mail was sent or failed just where it says so, as its events do', () => {
  fc.assert(
    fc.property(someHistory, ({ events, searchable }) => {
      const state = events.at(-1)?.state
      assert.ok(state !== undefined)
      const log = toEmailLog(state, searchable, failedAtOf(events))
      assert.equal(log.sentAt !== undefined, log.status === 'SENT')
      assert.equal(log.failedAt !== undefined, log.status === 'FAILED')
      assert.equal(log.durationMs !== undefined, log.status === 'SENT' || log.status === 'FAILED')
      const told = toEmailEvents(events).filter(({ type }) => type === log.status)
      const endedAt = log.sentAt ?? log.failedAt
      if (endedAt !== undefined) assert.ok(told.some(({ at }) => at === endedAt))
    }),
    { numRuns: 500 },
  )
})
