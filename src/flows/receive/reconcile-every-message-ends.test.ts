/** Every message reaches a final status even without any response, and late reports still count. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageId } from '../../domain/ids.ts'
import { toStatus } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { millis, seconds } from '../../lib/time.ts'
import type { Provider } from '../../ports/provider.ts'
import { erase } from '../admin/erase.ts'
import { UNBROKEN } from '../email.fixture.ts'
import {
  ACCEPTS,
  DEFERS,
  fakeProvider,
  type Gateway,
  OUTCOME_UNKNOWN,
  receiptOf,
  SUBMISSION,
  TENANT,
  TRACE,
} from '../gateway.fixture.ts'
import { resend } from '../send/resend.ts'
import { applyReceipt } from './apply-receipt.ts'
import { DAY, HOUR, live, opener, submitTo } from './reconcile.fixture.ts'
import { type Resolution, resolveUnknown } from './resolve-unknown.ts'

const open = opener({ openEngine: openMemoryEngine, ids: openIds() })

async function finalState(gateway: Gateway, id: MessageId) {
  const state = await gateway.stateOf(id)
  return { status: toStatus(state), code: state.errorCode, dead: state.dead }
}

const GIVEN_UP = { status: 'failed', code: 'OUTCOME_UNKNOWN', dead: true }

describe('an unknown outcome, by lane', () => {
  test('a one-time code fails over to the next provider after five seconds', async () => {
    const [one, two] = [fakeProvider([OUTCOME_UNKNOWN]), fakeProvider([ACCEPTS], { name: 'two' })]
    const gateway = open([one, two])
    const id = await submitTo(gateway, 'otp', seconds(300))
    await live(gateway, seconds(4))
    assert.equal(two.calls.length, 0)
    await live(gateway, seconds(1))
    assert.deepEqual([two.calls.length, toStatus(await gateway.stateOf(id))], [1, 'sent'])
    assert.deepEqual(two.calls[0]?.content, one.calls[0]?.content)
  })

  test('a one-time code goes to the same provider again when there is no other', async () => {
    const provider = fakeProvider([OUTCOME_UNKNOWN, ACCEPTS])
    const gateway = open([provider])
    const id = await submitTo(gateway, 'otp', seconds(300))
    await live(gateway, seconds(6))
    assert.deepEqual([provider.calls.length, toStatus(await gateway.stateOf(id))], [2, 'sent'])
  })

  test('a one-time code without any response fails after its attempts or at its deadline', async () => {
    const provider = fakeProvider(Array.from({ length: 5 }, () => OUTCOME_UNKNOWN))
    const gateway = open([provider], { deps: { breakers: UNBROKEN } })
    const id = await submitTo(gateway, 'otp', seconds(300))
    await live(gateway, seconds(30))
    assert.deepEqual([provider.calls.length, await finalState(gateway, id)], [5, GIVEN_UP])

    const late = fakeProvider([OUTCOME_UNKNOWN])
    const short = open([late])
    const code = await submitTo(short, 'otp', seconds(4))
    await live(short, seconds(4))
    assert.deepEqual([late.calls.length, await finalState(short, code)], [1, GIVEN_UP])
  })

  for (const lane of ['transactional', 'bulk'] as const) {
    test(`a ${lane} message is held, and dead-lettered after 72 hours`, async () => {
      const provider = fakeProvider([OUTCOME_UNKNOWN])
      const gateway = open([provider])
      const id = await submitTo(gateway, lane)
      await live(gateway, millis(3 * DAY - HOUR), HOUR)
      assert.equal(toStatus(await gateway.stateOf(id)), 'sending')
      await live(gateway, HOUR, HOUR)
      assert.deepEqual([await finalState(gateway, id), provider.calls.length], [GIVEN_UP, 1])
      assert.equal((await gateway.kindsOf(id)).at(-1), 'DeadLettered')
      assert.equal(await gateway.work(), undefined)
    })
  }

  test("a route can set a shorter hold, and a hold ends at the message's deadline", async () => {
    const brief = open([fakeProvider([OUTCOME_UNKNOWN])], { route: { unknown: { giveUp: seconds(600) } } })
    const id = await submitTo(brief, 'transactional')
    await live(brief, seconds(600), seconds(10))
    assert.deepEqual(await finalState(brief, id), GIVEN_UP)

    const due = open([fakeProvider([OUTCOME_UNKNOWN])])
    const other = await submitTo(due, 'transactional', seconds(60))
    await live(due, seconds(60))
    assert.deepEqual(await finalState(due, other), GIVEN_UP)
  })

  test('an erased message is not looked up and is dead-lettered', async () => {
    let questions = 0
    const lookup: NonNullable<Provider['lookup']> = async () => {
      questions += 1
      return { kind: 'undetermined' }
    }
    const gateway = open([fakeProvider([OUTCOME_UNKNOWN], { lookup })])
    const id = await submitTo(gateway, 'transactional')
    await gateway.work()
    await erase(gateway.deps, { tenantId: TENANT, id, traceId: TRACE })
    await live(gateway, seconds(5))
    assert.deepEqual([questions, await finalState(gateway, id)], [0, GIVEN_UP])
  })
})

/** A message that was given up, with the provider's answers to a resend. */
async function givenUp(answers: readonly (typeof ACCEPTS)[] = []) {
  const provider = fakeProvider([OUTCOME_UNKNOWN, ...answers])
  const gateway = open([provider], { route: { unknown: { giveUp: seconds(60) } } })
  const id = await submitTo(gateway, 'transactional')
  await live(gateway, seconds(60))
  assert.deepEqual(await finalState(gateway, id), GIVEN_UP)
  const resolve = (as: Resolution) =>
    resolveUnknown(gateway.deps, { tenantId: TENANT, accountId: SUBMISSION.accountId, id, as, traceId: TRACE })
  return { ...gateway, gateway, id, provider, resolve }
}

describe('a message that was given up', () => {
  test('becomes sent or delivered on a late receipt, and is no longer a dead letter', async () => {
    for (const [reported, status] of [
      ['accepted', 'sent'],
      ['delivered', 'delivered'],
    ] as const) {
      const { gateway, id, deps, stateOf } = await givenUp()
      await applyReceipt(deps, receiptOf(await stateOf(id), reported))
      assert.deepEqual(await finalState(gateway, id), { status, code: undefined, dead: false })
      assert.equal((await stateOf(id)).handoffState, 'handed_off')
    }
  })

  test('can be resolved as sent, as not sent, or by a resend', async () => {
    const sent = await givenUp()
    await sent.resolve('sent')
    assert.deepEqual(await finalState(sent.gateway, sent.id), { status: 'sent', code: undefined, dead: false })

    const notSent = await givenUp()
    await notSent.resolve('not_sent')
    assert.deepEqual(await finalState(notSent.gateway, notSent.id), {
      status: 'failed',
      code: 'RESOLVED_NOT_SENT',
      dead: true,
    })
    await assert.rejects(notSent.resolve('sent'), { code: 'CONFLICT' })

    const again = await givenUp([ACCEPTS])
    await again.resolve('resend')
    await again.work()
    const { cycle, attempt } = await again.stateOf(again.id)
    assert.deepEqual([cycle, attempt, (await finalState(again.gateway, again.id)).status], [2, 2, 'sent'])
  })

  test('can be replayed from the dead letters', async () => {
    const { gateway, deps, id, work, provider } = await givenUp([ACCEPTS])
    await resend(deps, { tenantId: TENANT, id, by: 'replay', traceId: TRACE })
    await work()
    assert.deepEqual([provider.calls.length, (await finalState(gateway, id)).status], [2, 'sent'])
  })
})

describe('waits are bounded', () => {
  const PAUSED = { ...DEFERS, code: 'ACCOUNT_PAUSED', blame: 'account' } as const

  test("gives up a message of a paused account after 72 hours, with the provider's code", async () => {
    const paused = Array.from({ length: 90 }, () => ({ ...PAUSED, retryAfter: HOUR }))
    const gateway = open([fakeProvider(paused)], { deps: { breakers: UNBROKEN } })
    const id = await submitTo(gateway, 'transactional')
    await live(gateway, millis(3 * DAY + HOUR), HOUR)
    assert.deepEqual(await finalState(gateway, id), { status: 'failed', code: 'ACCOUNT_PAUSED', dead: true })
  })

  test("expires a message of a paused account at its deadline, with the provider's code", async () => {
    const gateway = open([fakeProvider([PAUSED, PAUSED])])
    const id = await submitTo(gateway, 'transactional', seconds(90))
    await live(gateway, seconds(90))
    assert.deepEqual(await finalState(gateway, id), { status: 'expired', code: 'ACCOUNT_PAUSED', dead: false })
  })

  test('gives up a message whose provider is unreachable after 72 hours', async () => {
    const absent = { ...fakeProvider([]), connections: () => ({ wanted: 1, up: 0 }) }
    const gateway = open([absent])
    const id = await submitTo(gateway, 'transactional')
    await live(gateway, millis(3 * DAY - HOUR), HOUR)
    assert.equal(toStatus(await gateway.stateOf(id)), 'queued')
    await live(gateway, HOUR, HOUR)
    assert.deepEqual(await finalState(gateway, id), { status: 'failed', code: 'NO_PROVIDER_AVAILABLE', dead: true })
  })
})

test('a lookup that reports the message as absent leads to a retry', async () => {
  const lookup: NonNullable<Provider['lookup']> = async () => ({ kind: 'absent' })
  const provider = fakeProvider([OUTCOME_UNKNOWN, ACCEPTS], { lookup })
  const gateway = open([provider])
  const id = await submitTo(gateway, 'transactional')
  await live(gateway, seconds(8))
  assert.deepEqual([toStatus(await gateway.stateOf(id)), provider.calls.length], ['sent', 2])
})

describe('a report on an attempt that was never made', () => {
  const reportOn = async (gateway: Gateway, id: MessageId, cycle: number, attempt: number) => {
    const before = await gateway.kindsOf(id)
    const receipt = { ...receiptOf(await gateway.stateOf(id), 'delivered'), ref: { messageId: id, cycle, attempt } }
    assert.equal(await applyReceipt(gateway.deps, receipt), 'unmatched')
    assert.deepEqual(await gateway.kindsOf(id), before)
  }

  test('changes nothing before the first attempt or beyond the newest', async () => {
    const gateway = open([fakeProvider([DEFERS])])
    const id = await submitTo(gateway, 'transactional')
    for (const [cycle, attempt] of [
      [1, 0],
      [1, 1],
      [2, 1],
    ] as const)
      await reportOn(gateway, id, cycle, attempt)
    await gateway.work()
    for (const [cycle, attempt] of [
      [1, 0],
      [1, 2],
      [2, 1],
      [2, 2],
      [0, 1],
    ] as const) {
      await reportOn(gateway, id, cycle, attempt)
    }
  })

  test('changes nothing after a resend, before and after its attempt', async () => {
    const gateway = open([fakeProvider([ACCEPTS, ACCEPTS])])
    const id = await submitTo(gateway, 'transactional')
    await gateway.work()
    await resend(gateway.deps, { tenantId: TENANT, id, by: 'resend', traceId: TRACE })
    await reportOn(gateway, id, 2, 1)
    await gateway.work()
    await reportOn(gateway, id, 1, 2)
    await reportOn(gateway, id, 2, 1)
    const real = { ...receiptOf(await gateway.stateOf(id), 'delivered'), ref: { messageId: id, cycle: 1, attempt: 1 } }
    assert.equal(await applyReceipt(gateway.deps, real), 'applied')
  })
})

test('a message that was not processed for days is not given up at the first look', async () => {
  let up = 0
  const late = { ...fakeProvider([ACCEPTS]), connections: () => ({ wanted: 1, up }) }
  const gateway = open([late])
  const id = await submitTo(gateway, 'transactional')
  gateway.pass(millis(4 * DAY))
  await gateway.work()
  assert.equal(toStatus(await gateway.stateOf(id)), 'queued')
  up = 1
  await live(gateway, millis(3 * HOUR), seconds(60))
  assert.equal(toStatus(await gateway.stateOf(id)), 'sent')
})
