import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { later, millis, seconds } from '../../lib/time.ts'
import { someEmailMessage, someSteps, toEvents } from '../../ports/email-histories.contract.ts'
import { ACCEPTED, ATTEMPTED, DEAD, delivered, retryAt, unknownUntil } from '../../ports/samples.contract.ts'
import { CHECKS, type Fact } from '../message/events.ts'
import { type EmailState, toEmailEvents, toEmailStatus } from './pipeline.ts'

const VALID: Fact = { kind: 'MessageValidated', checks: CHECKS }
const INVALID: Fact = { kind: 'ValidationFailed', check: 'RECIPIENT', code: 'RECIPIENT_NOT_FOUND', detail: 'gone' }
const MAIL = someEmailMessage()

/** The pipeline events of these facts, one fact per second. */
const pipelineOf = (...facts: readonly Fact[]) =>
  toEmailEvents(
    toEvents(
      MAIL,
      facts.map((fact) => ({ fact, wait: seconds(1), back: 0 })),
    ),
  )
const typesOf = (...facts: readonly Fact[]): readonly EmailState[] => pipelineOf(...facts).map(({ type }) => type)

const RETRY = retryAt(later(MAIL.createdAt, seconds(30)))

describe('S4-PIPE the events of an email that', () => {
  const PATHS: readonly (readonly [string, readonly Fact[], string])[] = [
    ['is sent at the first attempt', [VALID, ATTEMPTED, ACCEPTED], 'RECEIVED VALIDATED SENT_ATTEMPT SENT'],
    [
      'is sent at the second attempt',
      [VALID, ATTEMPTED, RETRY, VALID, ATTEMPTED, ACCEPTED],
      'RECEIVED VALIDATED SENT_ATTEMPT RETRY_SCHEDULED RECEIVED VALIDATED SENT_ATTEMPT SENT',
    ],
    ['fails a check', [INVALID], 'RECEIVED VALIDATION_FAILED FAILED'],
    [
      'fails a check before its second attempt',
      [VALID, ATTEMPTED, RETRY, INVALID],
      'RECEIVED VALIDATED SENT_ATTEMPT RETRY_SCHEDULED RECEIVED VALIDATION_FAILED FAILED',
    ],
    ['is dead-lettered', [VALID, ATTEMPTED, DEAD], 'RECEIVED VALIDATED SENT_ATTEMPT FAILED'],
    ['expires', [{ kind: 'MessageExpired' }], 'RECEIVED FAILED'],
    [
      'has an unknown outcome, is then accepted, delivered and erased',
      [VALID, ATTEMPTED, unknownUntil(MAIL.createdAt), ACCEPTED, delivered(), { kind: 'MessageErased' }],
      'RECEIVED VALIDATED SENT_ATTEMPT SENT',
    ],
    [
      'is replayed',
      [VALID, ATTEMPTED, DEAD, { kind: 'ResendRequested', by: 'replay' }, VALID, ATTEMPTED, ACCEPTED],
      'RECEIVED VALIDATED SENT_ATTEMPT FAILED RECEIVED VALIDATED SENT_ATTEMPT SENT',
    ],
  ]
  for (const [name, facts, path] of PATHS) {
    test(name, () => assert.equal(typesOf(...facts).join(' '), path))
  }
})

test('each event has the duration of the previous state and its metadata', () => {
  const [received, validated, attempted, put, again, , , sent] = pipelineOf(
    VALID,
    ATTEMPTED,
    RETRY,
    VALID,
    ATTEMPTED,
    ACCEPTED,
  )
  assert.deepEqual(
    [received, validated, attempted, put, again, sent].map((event) => event?.durationMs),
    [0, 1000, 1000, 1000, 1000, 1000],
  )
  assert.deepEqual(validated?.metadata, { attempt: 1, cycle: 1, checks: CHECKS })
  assert.deepEqual(attempted?.metadata, { attempt: 1, cycle: 1, provider: 'acme' })
  assert.deepEqual(put?.metadata, {
    attempt: 1,
    cycle: 1,
    provider: 'acme',
    errorCode: 'BUSY',
    errorCategory: 'TRANSIENT_ERROR',
    errorMessage: 'later',
    willRetry: true,
    nextAttemptNumber: 2,
    backoffDelay: 27_000,
  })
  assert.deepEqual(again?.metadata, { attempt: 2, cycle: 1 })
  assert.deepEqual(sent?.metadata, { attempt: 2, cycle: 1, provider: 'acme', sesMessageId: 'SM1' })
  assert.deepEqual(pipelineOf(INVALID).at(-1)?.metadata, {
    attempt: 1,
    cycle: 1,
    errorCode: 'RECIPIENT_NOT_FOUND',
    errorCategory: 'VALIDATION_ERROR',
    errorMessage: 'gone',
    willRetry: false,
  })
})

test('leaves out the outcome of an earlier attempt that changes nothing', () => {
  const steps = [ATTEMPTED, RETRY, ATTEMPTED].map((fact) => ({ fact, wait: millis(1), back: 0 }))
  const late: Fact = { kind: 'HandoffFailed', code: 'X', detail: 'x' }
  const types = toEmailEvents(toEvents(MAIL, [...steps, { fact: late, wait: millis(1), back: 1 }])).map(
    ({ type }) => type,
  )
  assert.deepEqual(types, ['RECEIVED', 'SENT_ATTEMPT', 'RETRY_SCHEDULED', 'SENT_ATTEMPT'])
})

test('S4-PIPE an email starts as received, and its last event matches its status, for any history', () => {
  fc.assert(
    fc.property(someSteps, (steps) => {
      const events = toEvents(MAIL, steps)
      // Only an open attempt can become unknown.
      fc.pre(events.every(({ fact }, nth) => fact.kind !== 'HandoffUnknown' || events[nth - 1]?.state.phase === 'open'))
      const types = toEmailEvents(events).map(({ type }) => type)
      assert.equal(types[0], 'RECEIVED')
      const [last, state] = [types.at(-1), events.at(-1)?.state]
      assert.ok(last !== undefined && state !== undefined)
      // A repeated validation changes no state.
      if (last !== 'VALIDATED') assert.equal(last, toEmailStatus(state))
    }),
    { numRuns: 500 },
  )
})

test('S4-PIPE durations add up and are never negative, and only a scheduled retry has willRetry, for any history', () => {
  fc.assert(
    fc.property(someSteps, (steps) => {
      const pipeline = toEmailEvents(toEvents(MAIL, steps))
      const total = pipeline.reduce((sum, { durationMs }) => sum + durationMs, 0)
      assert.equal(total, (pipeline.at(-1)?.at ?? 0) - MAIL.createdAt)
      for (const { type, durationMs, metadata } of pipeline) {
        assert.ok(durationMs >= 0)
        assert.equal(metadata.willRetry === true, type === 'RETRY_SCHEDULED')
        assert.equal(metadata.willRetry !== undefined, type.endsWith('FAILED') || type === 'RETRY_SCHEDULED')
        assert.equal(metadata.errorCategory === undefined, metadata.errorCode === undefined)
      }
    }),
    { numRuns: 500 },
  )
})
