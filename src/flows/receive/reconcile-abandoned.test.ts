/** Attempts whose worker crashed, is slow, or completes after another worker took over. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, millis, seconds } from '../../lib/time.ts'
import {
  ACCEPTS,
  asOther,
  CONTENT,
  DEFERS,
  jobFor,
  OUTCOME_UNKNOWN,
  openGateway,
  overtaken,
  REJECTS,
  START,
  slowProvider,
} from '../gateway.fixture.ts'
import { dispatch } from '../send/dispatch.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

test('an attempt of a crashed worker becomes unknown at once when there is a single process', async () => {
  const { provider, called } = slowProvider()
  const gateway = openGateway(world, { providers: [provider] })
  const id = await gateway.submit()
  void gateway.work()
  await called
  gateway.pass(seconds(1))
  assert.deepEqual(await asOther(gateway.deps, id), { kind: 'gone' })
  const { fact } = (await gateway.eventsOf(id)).at(-1) ?? {}
  const detail = 'the attempt was begun and its outcome never recorded'
  const reconcileAt = later(START, seconds(31))
  assert.deepEqual(fact, { kind: 'HandoffUnknown', code: 'ABANDONED', detail, reconcileAt })
  gateway.pass(millis(29_999))
  assert.equal(await gateway.take(), undefined)
  gateway.pass(millis(1))
  assert.equal((await gateway.take())?.job.messageId, id)
})

test('an attempt in flight is left alone until its lease ends', async () => {
  const { provider, called } = slowProvider()
  const gateway = openGateway(world, { providers: [provider] })
  const id = await gateway.submit()
  void gateway.work()
  await called
  const untilLease = { kind: 'later', at: later(START, seconds(60)) }
  gateway.pass(millis(59_999))
  assert.deepEqual(await asOther(gateway.deps, id, false), untilLease)
  assert.deepEqual(await dispatch(gateway.deps, jobFor(id)), untilLease)
  gateway.pass(millis(1))
  assert.deepEqual(await asOther(gateway.deps, id, false), { kind: 'gone' })
  assert.equal((await gateway.stateOf(id)).phase, 'unknown')
})

test('a response that arrives after the attempt was marked unknown still counts', async () => {
  for (const [outcome, kind] of [
    [ACCEPTS, 'HandoffAccepted'],
    [REJECTS, 'HandoffFailed'],
    [DEFERS, 'RetryScheduled'],
  ] as const) {
    const { provider, called, answer } = slowProvider()
    const gateway = openGateway(world, { providers: [provider] })
    const id = await gateway.submit()
    const working = gateway.work()
    await called
    await asOther(gateway.deps, id)
    answer(outcome)
    assert.deepEqual(await working, { kind: 'gone' })
    assert.deepEqual((await gateway.kindsOf(id)).slice(2), ['HandoffUnknown', kind])
    assert.equal((await gateway.stateOf(id)).phase, 'closed')
  }
})

test('the reconciliation job does nothing once the outcome is known', async () => {
  const { provider, called, answer } = slowProvider()
  const gateway = openGateway(world, { providers: [provider] })
  const id = await gateway.submit()
  const working = gateway.work()
  await called
  await asOther(gateway.deps, id)
  answer(ACCEPTS)
  await working
  const tip = await gateway.log.tip()
  gateway.pass(seconds(30))
  assert.deepEqual(await gateway.work(), { kind: 'done' })
  assert.equal(await gateway.log.tip(), tip)
})

test('a concurrent response or claim prevents marking the attempt unknown or the message expired', async () => {
  const lost = slowProvider()
  const taken = openGateway(world, { providers: [lost.provider] })
  const lostId = await taken.submit()
  const working = taken.work()
  await lost.called
  const answered = overtaken(taken.log, async () => {
    lost.answer(DEFERS)
    await working
  })
  await asOther({ ...taken.deps, log: answered }, lostId)
  assert.deepEqual((await taken.kindsOf(lostId)).slice(1), ['HandoffAttempted', 'RetryScheduled'])

  const claimedLate = openGateway(world, { providers: [slowProvider().provider] })
  const expiring = await claimedLate.submit({ content: { ...CONTENT, expiresAt: later(START, seconds(5)) } })
  const rival = claimedLate.deps
  claimedLate.pass(seconds(5))
  const claimed = overtaken(claimedLate.log, async () => {
    const early = { ...rival, clock: () => START }
    void dispatch(early, jobFor(expiring))
    await setImmediate()
  })
  await asOther({ ...claimedLate.deps, log: claimed }, expiring)
  assert.deepEqual((await claimedLate.kindsOf(expiring)).slice(1), ['HandoffAttempted'])
})

test('a late response with an unknown outcome changes nothing', async () => {
  const { provider, called, answer } = slowProvider()
  const gateway = openGateway(world, { providers: [provider] })
  const id = await gateway.submit()
  const working = gateway.work()
  await called
  await asOther(gateway.deps, id)
  answer(OUTCOME_UNKNOWN)
  await working
  assert.deepEqual((await gateway.kindsOf(id)).slice(1), ['HandoffAttempted', 'HandoffUnknown'])
  gateway.pass(seconds(30))
  assert.equal((await gateway.take())?.job.messageId, id)
})
