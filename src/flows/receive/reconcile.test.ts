/** Reconciling an unknown outcome: the provider's lookup, and the route's policy when the lookup is inconclusive. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { AttemptId, AttemptRef } from '../../domain/ids.ts'
import { toStatus } from '../../domain/message/states.ts'
import type { UnknownPolicy } from '../../domain/routing/unknown.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, millis, seconds } from '../../lib/time.ts'
import type { LookupResult, Provider } from '../../ports/provider.ts'
import {
  ACCEPTS,
  type Answer,
  CONTENT,
  DEFERS,
  fakeProvider,
  fixed,
  type GatewayOptions,
  OUTCOME_UNKNOWN,
  openGateway,
  receiptOf,
  START,
} from '../gateway.fixture.ts'
import { dispatch } from '../send/dispatch.ts'
import { applyReceipt } from './apply-receipt.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const WAIT = seconds(30)
const ABSENT = { kind: 'absent' } as const
const UNDETERMINED = { kind: 'undetermined' } as const
const UNKNOWN_EVENTS = ['MessageCreated', 'HandoffAttempted', 'HandoffUnknown']
const BY = (policy: UnknownPolicy): GatewayOptions => ({ route: { unknown: { wait: WAIT, policy } } })

/** A provider whose first call has an unknown outcome, with scripted lookups. */
function asked(lookups: readonly (LookupResult | typeof found)[], then: readonly Answer[] = []) {
  const left = [...lookups]
  const questions: [AttemptRef, AttemptId][] = []
  const lookup: NonNullable<Provider['lookup']> = async (ref, id) => {
    questions.push([ref, id])
    const result = left.shift() ?? UNDETERMINED
    return typeof result === 'function' ? result(ref) : result
  }
  return { provider: fakeProvider([OUTCOME_UNKNOWN, ...then], { lookup }), questions }
}

/** A message whose unknown outcome is due for reconciliation. */
async function openUnknown(options: GatewayOptions, expiresAt = later(START, seconds(3600))) {
  const gateway = openGateway(world, options)
  const id = await gateway.submit({ content: { ...CONTENT, expiresAt } })
  await gateway.work()
  gateway.pass(WAIT)
  return { ...gateway, id, reason: async () => (await gateway.stateOf(id)).errorCode }
}

const found = (ref: AttemptRef): LookupResult => ({
  kind: 'found',
  receipt: { ref, providerMessageId: 'SM9', state: 'delivered', reportId: 'looked up' },
})

async function present<T>(promise: Promise<T | undefined>): Promise<T> {
  const value = await promise
  assert.ok(value !== undefined)
  return value
}

test("a lookup that finds the message marks it handed off and records the provider's report", async () => {
  const { provider, questions } = asked([found])
  const { id, work, eventsOf, stateOf } = await openUnknown({ providers: [provider] })
  assert.deepEqual(await work(), { kind: 'done' })
  const [accepted, delivered] = (await eventsOf(id)).slice(3)
  assert.deepEqual(accepted?.fact, { kind: 'HandoffAccepted', providerMessageId: 'SM9', by: 'lookup' })
  assert.equal(delivered?.fact.kind, 'ProviderDelivered')
  assert.equal(toStatus(await stateOf(id)), 'delivered')
  assert.equal(await work(), undefined)

  const ref = { messageId: id, cycle: 1, attempt: 1 }
  assert.deepEqual(questions, [[ref, world.ids.attemptId(ref)]])
})

test('retries a message the provider never received, under every policy', async () => {
  for (const policy of ['hold', 'resend', 'failover'] as const) {
    const { provider } = asked([ABSENT], [ACCEPTS])
    const { id, work, pass, stateOf, kindsOf, reason } = await openUnknown({ providers: [provider], ...BY(policy) })
    assert.deepEqual(await work(), { kind: 'done' })
    assert.deepEqual(await kindsOf(id), [...UNKNOWN_EVENTS, 'RetryScheduled'])
    assert.equal(await reason(), 'NOT_RECEIVED')
    pass(millis(1_999))
    assert.equal(await work(), undefined)
    pass(millis(1))
    await work()
    assert.equal(toStatus(await stateOf(id)), 'sent')
    assert.deepEqual(
      provider.calls.map(({ ref }) => ref.attempt),
      [1, 2],
    )
  }
})

test('an attempt the provider never received counts against the maximum', async () => {
  const { provider } = asked([ABSENT])
  const retry = { delays: [seconds(1)], maxAttempts: 1, jitter: 0 }
  const { id, work, stateOf } = await openUnknown({ providers: [provider], route: { retry } })
  await work()
  const { dead, errorCode } = await stateOf(id)
  assert.deepEqual([dead, errorCode], [true, 'NOT_RECEIVED'])
  assert.equal(await work(), undefined)
})

test('expires a message the provider never received when no retry fits before the deadline', async () => {
  const { provider } = asked([ABSENT])
  const { id, work, stateOf } = await openUnknown({ providers: [provider] }, later(START, seconds(31)))
  await work()
  assert.equal(toStatus(await stateOf(id)), 'expired')
})

test('policy hold repeats the lookup on the polling schedule and sends nothing', async () => {
  const { provider, questions } = asked([UNDETERMINED, UNDETERMINED, ABSENT])
  const { id, work, pass, kindsOf } = await openUnknown({ providers: [provider], ...BY('hold') })
  assert.deepEqual(await work(), { kind: 'later', at: later(START, seconds(150)) })
  pass(millis(119_999))
  assert.equal(await work(), undefined)
  pass(millis(1))
  assert.deepEqual(await work(), { kind: 'later', at: later(START, seconds(750)) })
  assert.deepEqual(await kindsOf(id), UNKNOWN_EVENTS)
  assert.equal(provider.calls.length, 1)
  pass(seconds(600))
  await work()
  assert.deepEqual(await kindsOf(id), [...UNKNOWN_EVENTS, 'RetryScheduled'])
  assert.equal(questions.length, 3)
})

test('a provider without lookup, or no longer configured, counts as undetermined', async () => {
  const mute = await openUnknown({ providers: [fakeProvider([OUTCOME_UNKNOWN])] })
  assert.equal((await mute.work())?.kind, 'later')

  const { provider, questions } = asked([ABSENT])
  const { deps, take } = await openUnknown({ providers: [provider] })
  assert.equal((await dispatch({ ...deps, providers: new Map() }, await present(take()))).kind, 'later')
  assert.deepEqual(questions, [])
})

test('policy resend sends again through the same provider', async () => {
  const { provider } = asked([UNDETERMINED], [ACCEPTS])
  const { id, work, stateOf, reason } = await openUnknown({ providers: [provider], ...BY('resend') })
  assert.deepEqual(await work(), { kind: 'done' })
  assert.equal(await reason(), 'OUTCOME_UNKNOWN')
  await work()
  assert.equal(toStatus(await stateOf(id)), 'sent')
  assert.equal(provider.calls.length, 2)
})

test('policy failover sends through the next provider at once', async () => {
  const { provider } = asked([UNDETERMINED])
  const two = fakeProvider([ACCEPTS], { name: 'two' })
  const { id, work, stateOf } = await openUnknown({ providers: [provider, two], ...BY('failover') })
  await work()
  assert.deepEqual((await stateOf(id)).avoided, ['one'])
  await work()
  assert.equal(toStatus(await stateOf(id)), 'sent')
  assert.deepEqual([provider.calls.length, two.calls.length], [1, 1])
})

test('policy failover uses the same provider again when there is no other', async () => {
  const { provider } = asked([UNDETERMINED], [ACCEPTS])
  const { id, work, stateOf } = await openUnknown({ providers: [provider], ...BY('failover') })
  await work()
  await work()
  assert.equal(toStatus(await stateOf(id)), 'sent')
  assert.equal(provider.calls.length, 2)
})

test('holds a message whose route was removed, whatever the policy was', async () => {
  const { provider } = asked([])
  const { id, deps, take, kindsOf } = await openUnknown({ providers: [provider], ...BY('resend') })
  assert.equal((await dispatch({ ...deps, routes: fixed([]) }, await present(take()))).kind, 'later')
  assert.deepEqual(await kindsOf(id), UNKNOWN_EVENTS)
})

test('a receipt that arrives during the lookup wins', async () => {
  for (const answer of [ABSENT, UNDETERMINED]) {
    const lookup: NonNullable<Provider['lookup']> = async () => {
      await applyReceipt(opened.deps, receiptOf(await opened.stateOf(opened.id), 'delivered'))
      return answer
    }
    const providers = [fakeProvider([OUTCOME_UNKNOWN], { lookup })]
    const opened = await openUnknown({ providers, ...BY('resend') })
    assert.deepEqual(await opened.work(), { kind: 'done' })
    assert.deepEqual(await opened.kindsOf(opened.id), [...UNKNOWN_EVENTS, 'HandoffAccepted', 'ProviderDelivered'])
    assert.equal(await opened.work(), undefined)
  }
})

test('reconciles a second unknown attempt separately', async () => {
  const { provider, questions } = asked([ABSENT, ABSENT], [OUTCOME_UNKNOWN, DEFERS])
  const { id, work, pass, stateOf } = await openUnknown({ providers: [provider] })
  await work()
  pass(seconds(2))
  await work()
  assert.equal((await stateOf(id)).phase, 'unknown')
  pass(WAIT)
  await work()
  assert.deepEqual(
    questions.map(([ref]) => ref.attempt),
    [1, 2],
  )
  assert.equal((await stateOf(id)).dueAt, later(START, seconds(30 + 2 + 30 + 4)))
})

test('looks up by attempt only, so a provider cannot match another message', async () => {
  const asked: unknown[] = []
  const lookup: NonNullable<Provider['lookup']> = async (...given) => {
    asked.push(given)
    return UNDETERMINED
  }
  const { id, work } = await openUnknown({ providers: [fakeProvider([OUTCOME_UNKNOWN], { lookup })] })
  await work()
  const ref = { messageId: id, cycle: 1, attempt: 1 }
  assert.deepEqual(asked, [[ref, world.ids.attemptId(ref)]])
})

test('a lookup that times out counts as undetermined', async (t) => {
  const lookup: NonNullable<Provider['lookup']> = () => new Promise(() => undefined)
  const provider = fakeProvider([OUTCOME_UNKNOWN, ACCEPTS], { lookup })
  const { id, work, stateOf } = await openUnknown({ providers: [provider], ...BY('resend') })
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const working = work()
  await setImmediate()
  t.mock.timers.tick(3_000)
  await working
  await work()
  assert.equal(toStatus(await stateOf(id)), 'sent')
})
