/** Attempts that were begun and not ended: whose owner is gone, or slow, or faster than whoever takes it for gone. */
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
  OUTCOME_UNKNOWN,
  openGateway,
  overtaken,
  REJECTS,
  START,
  slowProvider,
  spare,
} from '../gateway.fixture.ts'
import { dispatch } from '../send/dispatch.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

test('an attempt whose owner is gone is with an unknown outcome at once where nobody else shares the work', async () => {
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

test('an attempt that its owner may still be making is left alone until its lease is over', async () => {
  const { provider, called } = slowProvider()
  const gateway = openGateway(world, { providers: [provider] })
  const id = await gateway.submit()
  void gateway.work()
  await called
  const untilLease = { kind: 'later', at: later(START, seconds(60)) }
  gateway.pass(millis(59_999))
  assert.deepEqual(await asOther(gateway.deps, id, false), untilLease)
  assert.deepEqual(await dispatch(gateway.deps, spare(id)), untilLease)
  gateway.pass(millis(1))
  assert.deepEqual(await asOther(gateway.deps, id, false), { kind: 'gone' })
  assert.equal((await gateway.stateOf(id)).phase, 'unknown')
})

test('an answer that comes after the attempt was given up for lost still counts', async () => {
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

test('the job that was to look into a doubt does nothing once the doubt is gone', async () => {
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

test('what moves on while it is taken for lost, or for expired, is neither', async () => {
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

  const begun = openGateway(world, { providers: [slowProvider().provider] })
  const mortal = await begun.submit({ content: { ...CONTENT, expiresAt: later(START, seconds(5)) } })
  const rival = begun.deps
  begun.pass(seconds(5))
  const claimed = overtaken(begun.log, async () => {
    const early = { ...rival, clock: () => START }
    void dispatch(early, spare(mortal))
    await setImmediate()
  })
  await asOther({ ...begun.deps, log: claimed }, mortal)
  assert.deepEqual((await begun.kindsOf(mortal)).slice(1), ['HandoffAttempted'])
})

test('an answer that nobody knows either leaves the doubt as it is', async () => {
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
