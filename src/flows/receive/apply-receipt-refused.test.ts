import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { toStatus } from '../../domain/message/states.ts'
import type { Route } from '../../domain/routing/routing.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Instant, later, seconds } from '../../lib/time.ts'
import {
  ACCEPTS,
  type Answer,
  CONTENT,
  DEFERS,
  fakeProvider,
  OUTCOME_UNKNOWN,
  openGateway,
  overtaken,
  receiptOf,
  START,
} from '../gateway.fixture.ts'
import { applyReceipt } from './apply-receipt.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const REASON = { code: 'INVALID_NUMBER', detail: 'there is no such number' }
const UNKNOWN = ['MessageCreated', 'HandoffAttempted', 'HandoffUnknown']
const HOLD = { wait: seconds(30), policy: 'hold', giveUp: seconds(60) } as const

type Given = Readonly<{ answers?: readonly Answer[]; route?: Partial<Route>; expiresAt?: Instant }>

/** A message after its first attempt, whose outcome is unknown by default. */
async function sent({ answers = [OUTCOME_UNKNOWN, ACCEPTS], route, expiresAt }: Given = {}) {
  const provider = fakeProvider(answers)
  const gateway = openGateway(world, { providers: [provider], route: { unknown: HOLD, ...route } })
  const id = await gateway.submit({ content: omitUndefined({ ...CONTENT, expiresAt }) })
  await gateway.work()
  const state = () => gateway.stateOf(id)
  const refused = receiptOf(await state(), 'refused', REASON)
  return { ...gateway, id, provider, state, refused, kinds: () => gateway.kindsOf(id) }
}

test("a late refusal of an unknown attempt schedules a retry by the route's policy", async () => {
  const retry = { delays: [seconds(7)], maxAttempts: 2, jitter: 0 }
  const { deps, id, refused, state, eventsOf, kinds, pass, work, provider } = await sent({ route: { retry } })
  assert.equal(await applyReceipt(deps, refused), 'applied')
  const { fact } = (await eventsOf(id)).at(-1) ?? {}
  assert.deepEqual(fact, { kind: 'RetryScheduled', ...REASON, dueAt: later(START, seconds(7)) })
  assert.deepEqual([(await state()).phase, (await state()).errorCode], ['closed', 'INVALID_NUMBER'])
  pass(seconds(7))
  await work()
  assert.equal(provider.calls.length, 2)
  assert.equal(toStatus(await state()), 'sent')
  assert.deepEqual(await kinds(), [...UNKNOWN, 'RetryScheduled', 'HandoffAttempted', 'HandoffAccepted'])
})

test('records a repeated refusal once, sequential or concurrent', async () => {
  const { deps, refused, kinds } = await sent()
  await Promise.all(Array.from({ length: 5 }, () => applyReceipt(deps, refused)))
  await applyReceipt(deps, refused)
  assert.deepEqual(await kinds(), [...UNKNOWN, 'RetryScheduled'])
})

test("after the last attempt the message is dead-lettered with the provider's reason", async () => {
  const retry = { delays: [seconds(1)], maxAttempts: 1, jitter: 0 }
  const { deps, refused, state, kinds } = await sent({ route: { retry } })
  await applyReceipt(deps, refused)
  assert.deepEqual(await kinds(), [...UNKNOWN, 'DeadLettered'])
  const { dead, phase, errorCode } = await state()
  assert.deepEqual([dead, phase, errorCode], [true, 'closed', 'INVALID_NUMBER'])
})

test('expires a message whose deadline is before the next attempt', async () => {
  const { deps, refused, state, kinds } = await sent({ expiresAt: later(START, seconds(1)) })
  await applyReceipt(deps, refused)
  assert.deepEqual(await kinds(), [...UNKNOWN, 'MessageExpired'])
  assert.equal(toStatus(await state()), 'expired')
})

test('a refusal after the message was given up records the failure and does not resend', async () => {
  const { deps, refused, state, kinds, pass, work, provider } = await sent()
  pass(seconds(60))
  await work()
  assert.deepEqual([(await state()).handoffState, (await state()).phase], ['failed', 'unknown'])
  await applyReceipt(deps, refused)
  assert.deepEqual(await kinds(), [...UNKNOWN, 'DeadLettered', 'HandoffFailed'])
  assert.deepEqual([(await state()).phase, (await state()).errorCode], ['closed', 'INVALID_NUMBER'])
  await work()
  assert.equal(provider.calls.length, 1)
})

test('changes nothing when the outcome is known', async () => {
  for (const answer of [ACCEPTS, DEFERS]) {
    const { deps, refused, kinds } = await sent({ answers: [answer] })
    const before = await kinds()
    assert.equal(await applyReceipt(deps, refused), 'applied')
    assert.deepEqual(await kinds(), before)
  }
})

test('changes nothing when a newer attempt is unknown', async () => {
  const unknown = { ...HOLD, policy: 'resend' } as const
  const { deps, refused, state, pass, work } = await sent({
    answers: [OUTCOME_UNKNOWN, OUTCOME_UNKNOWN],
    route: { unknown },
  })
  for (const wait of [30, 0]) {
    pass(seconds(wait))
    await work()
  }
  const before = await state()
  assert.deepEqual([before.attempt, before.phase], [2, 'unknown'])
  await applyReceipt(deps, refused)
  assert.deepEqual(await state(), before)
})

test('a concurrent delivery receipt wins', async () => {
  const { deps, log, refused, state, kinds } = await sent()
  const delivered = receiptOf(await state(), 'delivered')
  await applyReceipt({ ...deps, log: overtaken(log, () => applyReceipt(deps, delivered)) }, refused)
  assert.deepEqual(await kinds(), [...UNKNOWN, 'HandoffAccepted', 'ProviderDelivered'])
})
