/** Failover after a Retry-After or a transient error: when another provider gets the message, and when the same one again. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { toStatus } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, type Millis, seconds } from '../../lib/time.ts'
import { ACCEPTS, DEFERS, type FakeProvider, fakeProvider, OUTCOME_UNKNOWN, START } from '../gateway.fixture.ts'
import { DAY, HOUR, live, opener, submitTo } from '../receive/reconcile.fixture.ts'

const open = opener({ openEngine: openMemoryEngine, ids: openIds() })

describe('a Retry-After of the provider', () => {
  const BUSY = (retryAfter: Millis) => ({ ...DEFERS, retryAfter })

  test('fails over at once when another provider is free', async () => {
    const [one, two] = [fakeProvider([BUSY(seconds(600))]), fakeProvider([ACCEPTS], { name: 'two' })]
    const gateway = open([one, two])
    const id = await submitTo(gateway, 'otp', seconds(300))
    await live(gateway, seconds(0))
    assert.equal(toStatus(await gateway.stateOf(id)), 'sent')
    const retry = (await gateway.eventsOf(id)).find(({ fact }) => fact.kind === 'RetryScheduled')
    const asked = { code: 'BUSY', detail: 'later', retryAfterSeconds: 600 }
    assert.deepEqual(retry?.fact, { kind: 'RetryScheduled', ...asked, dueAt: START, avoid: 'one' })
  })

  test('is waited for when the breaker of the other provider is open', async () => {
    const [one, two] = [fakeProvider([BUSY(seconds(600)), ACCEPTS]), fakeProvider([], { name: 'two' })]
    const gateway = open([one, two])
    await gateway.breakers.force(two.name, 'open', gateway.clock(), DAY)
    const id = await submitTo(gateway, 'transactional')
    await live(gateway, seconds(600))
    assert.deepEqual([toStatus(await gateway.stateOf(id)), one.calls.length], ['sent', 2])
  })

  test('is capped at one hour and at the deadline', async () => {
    const gateway = open([fakeProvider([BUSY(seconds(999_999_999))])])
    const id = await submitTo(gateway, 'transactional')
    await gateway.work()
    assert.equal((await gateway.stateOf(id)).dueAt, later(START, HOUR))

    const provider = fakeProvider([BUSY(seconds(600)), ACCEPTS])
    const hurried = open([provider])
    const code = await submitTo(hurried, 'otp', seconds(300))
    await live(hurried, seconds(2))
    assert.deepEqual([toStatus(await hurried.stateOf(code)), provider.calls.length], ['sent', 2])
  })
})

test('a route with failover sends through the next provider at once after a transient error', async () => {
  const retry = { delays: [seconds(60)], maxAttempts: 3, jitter: 0, failover: true } as const
  const [one, two] = [fakeProvider([DEFERS, ACCEPTS]), fakeProvider([DEFERS], { name: 'two' })]
  const gateway = open([one, two], { route: { retry } })
  const id = await submitTo(gateway, 'transactional')
  await live(gateway, seconds(0))
  assert.deepEqual([one.calls.length, two.calls.length], [1, 1])
  await live(gateway, seconds(60))
  assert.deepEqual([toStatus(await gateway.stateOf(id)), one.calls.length], ['sent', 2])
})

describe('a provider with a transient failure', () => {
  const BUSY = (retryAfter: Millis) => ({ ...DEFERS, retryAfter })
  const cutOff = (provider: FakeProvider) => ({ ...provider, connections: () => ({ wanted: 1, up: 0 }) })

  test('is called again after the others have failed too', async () => {
    const one = fakeProvider([BUSY(seconds(5)), ACCEPTS])
    const two = fakeProvider([DEFERS], { name: 'two' })
    const gateway = open([one, two])
    const id = await submitTo(gateway, 'transactional')
    await live(gateway, seconds(10))
    assert.deepEqual([toStatus(await gateway.stateOf(id)), one.calls.length, two.calls.length], ['sent', 2, 1])
  })

  test('is called again when the other cannot be reached, whatever the failure', async () => {
    for (const failure of [OUTCOME_UNKNOWN, BUSY(seconds(60)), { ...BUSY(seconds(60)), blame: 'account' as const }]) {
      const one = fakeProvider([failure, ACCEPTS])
      const gateway = open([one, cutOff(fakeProvider([], { name: 'two' }))])
      const id = await submitTo(gateway, 'otp', seconds(300))
      await live(gateway, seconds(120))
      assert.deepEqual([toStatus(await gateway.stateOf(id)), one.calls.length], ['sent', 2])
    }
  })
})
