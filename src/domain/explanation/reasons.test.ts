import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { ProviderName } from '../ids.ts'
import type { Fact } from '../message/events.ts'
import type { Circumstances } from './circumstances.ts'
import {
  accepted,
  at,
  attempted,
  deferred,
  failed,
  open,
  report,
  SMSC,
  story,
  unknown,
  up,
} from './explanation.fixture.ts'
import { explain } from './explanation.ts'

describe('the reasons', () => {
  const textsOf = (facts: readonly Fact[], around: Partial<Circumstances> = {}) =>
    explain(story(facts, around)).reasons.map(({ text }) => text)

  test('tell each attempt and what followed from it', () => {
    const excluded = deferred(2, { code: 'INSUFFICIENT_FUNDS', exclude: 'twilio' as ProviderName })
    const advised = deferred(90, { code: 'RATE_LIMITED', retryAfterSeconds: 90 })
    assert.deepEqual(textsOf([attempted(), excluded, attempted(SMSC), advised, attempted(SMSC), unknown(99)]), [
      'Pombo accepted and stored the message.',
      'Attempt 1 with twilio failed: the balance of the account is too low; twilio is not tried again in this cycle.',
      'Attempt 2 with smsc failed: the provider limits the request rate; the provider asked to wait 1 min 30 s.',
      'Attempt 3 with smsc has an unknown outcome: the provider did not answer in time.',
    ])
  })

  test('tell of the newest cycle, and that an earlier one was delivered', () => {
    const resent: Fact = { kind: 'ResendRequested', by: 'replay' }
    assert.deepEqual(textsOf([attempted(), accepted, report('ProviderDelivered'), resent, attempted(), accepted]), [
      'Cycle 1 was delivered too, so the recipient may have received it more than once.',
      'It was replayed from the dead letters: cycle 2 began.',
      'twilio accepted attempt 2.',
    ])
  })

  test('tell apart what a provider refused and what never reached one', () => {
    assert.equal(
      textsOf([attempted(), failed('INVALID_NUMBER')]).at(-1),
      'twilio refused attempt 1 for good: the number is not valid, or cannot receive SMS.',
    )
    const dead: Fact = { kind: 'DeadLettered', code: 'SERVICE_UNAVAILABLE', detail: 'x' }
    assert.equal(
      textsOf([attempted(), deferred(2), attempted(), dead]).at(-1),
      'Attempt 2 with twilio failed: the provider is temporarily unavailable; it became a dead letter.',
    )
    assert.equal(
      textsOf([attempted(), deferred(2), { ...dead, code: 'NO_PROVIDER_AVAILABLE' }]).at(-1),
      'It became a dead letter: no provider of the route can be called for now.',
    )
    const never = textsOf([attempted(), deferred(2), failed('NO_ROUTE_FOUND')]).at(-1)
    assert.equal(never, 'It failed before a provider was called: no route matches the message.')
  })

  test('end with what holds now', () => {
    const around = { providers: [open(2, 32), up(SMSC)], lane: { ready: 4, taken: 1 }, now: at(5) }
    assert.deepEqual(textsOf([attempted(), deferred(3)], around).slice(-2), [
      'twilio cannot be called: its circuit breaker has been open since 12:00:02 UTC.',
      '4 messages of the tenant are due in the lane transactional.',
    ])
  })

  test('have the time, the event, the provider and the code that they tell of', () => {
    const { reasons } = explain(story([attempted(), deferred(30)]))
    assert.deepEqual(reasons.at(-1), {
      text: 'Attempt 1 with twilio failed: the provider is temporarily unavailable.',
      at: at(2),
      eventType: 'RetryScheduled',
      provider: 'twilio',
      errorCode: 'SERVICE_UNAVAILABLE',
    })
  })
})
