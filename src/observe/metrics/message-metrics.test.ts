import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountId } from '../../domain/ids.ts'
import { toStatus } from '../../domain/message/states.ts'
import {
  ACCEPTS,
  DEFERS,
  fakeProvider,
  OUTCOME_UNKNOWN,
  REJECTS,
  receiptOf,
  TENANT,
  TRACE,
} from '../../flows/gateway.fixture.ts'
import { applyReceipt } from '../../flows/receive/apply-receipt.ts'
import { resolveUnknown } from '../../flows/receive/resolve-unknown.ts'
import { seconds } from '../../lib/time.ts'
import { openMeasured } from './metrics.fixture.ts'

test('a message that is deferred, has an unknown outcome and is then delivered is in every metric', async () => {
  const gateway = openMeasured({ providers: [fakeProvider([DEFERS, OUTCOME_UNKNOWN])] })
  const { counts, measured, pass, work, deps } = gateway
  const id = await gateway.submit()
  await work()
  pass(seconds(2))
  await work()
  pass(seconds(1))
  const attempted = await gateway.stateOf(id)
  await applyReceipt(deps, receiptOf(attempted, 'accepted'))
  assert.deepEqual(await measured('pombo_handoff_latency_seconds'), [1, 3])
  assert.deepEqual(await counts('pombo_messages_ended_total'), {})
  pass(seconds(4))
  await applyReceipt(deps, receiptOf(attempted, 'delivered'))

  assert.deepEqual(await counts('pombo_status_changes_total'), {
    'sms  queued': 1,
    'sms queued sending': 1,
    'sms sending sent': 1,
    'sms sent delivered': 1,
  })
  assert.deepEqual(await counts('pipeline_unknown_total'), { 'one TIMEOUT': 1 })
  assert.deepEqual(await counts('pombo_unknown_ended_total'), { 'one receipt': 1 })
  assert.deepEqual(await counts('pombo_messages_ended_total'), { 'sms one delivered': 1 })
  assert.deepEqual(await measured('pombo_message_duration_seconds'), [1, 7])
  assert.deepEqual(await counts('pombo_message_failures_total'), {})
})

test('without delivery reports a message is final once the provider has accepted it', async () => {
  const { submit, work, counts, measured } = openMeasured({
    providers: [fakeProvider([{ ...ACCEPTS, noDeliveryReports: true }])],
  })
  await submit()
  await work()
  assert.deepEqual(await counts('pombo_messages_ended_total'), { 'sms one sent': 1 })
  assert.deepEqual((await measured('pombo_message_duration_seconds'))[0], 1)
})

test('counts failures by provider, code and category, and dead letters by code', async () => {
  const { submit, work, pass, counts, measured } = openMeasured({
    providers: [fakeProvider([REJECTS, REJECTS, DEFERS])],
    route: { retry: { delays: [seconds(1)], maxAttempts: 1, jitter: 0 } },
  })
  for (let n = 0; n < 3; n += 1) {
    await submit()
    await work()
    pass(seconds(1))
  }
  assert.deepEqual(await counts('pombo_message_failures_total'), {
    'sms one INVALID_NUMBER PERMANENT_ERROR': 2,
    'sms one BUSY PERMANENT_ERROR': 1,
  })
  assert.deepEqual(await counts('pombo_dead_letters_total'), { 'sms BUSY': 1 })
  assert.deepEqual(await counts('pombo_messages_ended_total'), { 'sms one failed': 3 })
  assert.deepEqual((await measured('pombo_message_duration_seconds'))[0], 3)
})

test('the changes scraped are those of the events in the log', async () => {
  const answers = [ACCEPTS, REJECTS, DEFERS, OUTCOME_UNKNOWN, ACCEPTS, ACCEPTS]
  const { submit, work, eventsOf, stateOf, deps, counts } = openMeasured({ providers: [fakeProvider(answers)] })
  const ids = []
  for (const _ of answers) {
    const id = await submit()
    await work()
    ids.push(id)
    await applyReceipt(deps, receiptOf(await stateOf(id), 'delivered'))
  }
  const events = (await Promise.all(ids.map(eventsOf))).flat()
  const expected: Record<string, number> = {}
  for (const { previousStatus = '', state } of events) {
    const status = toStatus(state)
    if (status === previousStatus) continue
    const name = `sms ${previousStatus} ${status}`
    expected[name] = (expected[name] ?? 0) + 1
  }
  assert.ok(Object.keys(expected).length > 4)
  assert.deepEqual(await counts('pombo_status_changes_total'), expected)
})

test('measures by lane how long an attempt that was due has waited', async () => {
  const { submit, work, pass, measured } = openMeasured({ providers: [fakeProvider([DEFERS, ACCEPTS])] })
  await submit({ lane: 'otp' })
  pass(seconds(3))
  await work()
  pass(seconds(61))
  await work()
  const [count, sum] = await measured('pombo_queue_wait_seconds', 'otp')
  assert.equal(count, 2)
  assert.ok(Number(sum) > 60 && Number(sum) < 64, `${sum}`)
  assert.deepEqual(await measured('pombo_queue_wait_seconds', 'bulk'), [undefined, undefined])
})

test('an unknown outcome ends once, by a person or by the policy of its route', async () => {
  const { submit, work, pass, deps, counts } = openMeasured({
    providers: [fakeProvider([OUTCOME_UNKNOWN, OUTCOME_UNKNOWN, ACCEPTS])],
    route: { unknown: { wait: seconds(30), policy: 'resend', giveUp: seconds(300) } },
  })
  const id = await submit()
  await work()
  const request = { tenantId: TENANT, accountId: 'shop' as AccountId, traceId: TRACE, id }
  await resolveUnknown(deps, { ...request, as: 'not_sent' })
  await submit({ lane: 'otp' })
  for (let n = 0; n < 4; n += 1) {
    await work()
    pass(seconds(30))
  }
  assert.deepEqual(await counts('pipeline_unknown_total'), { 'one TIMEOUT': 2 })
  assert.deepEqual(await counts('pombo_unknown_ended_total'), { 'one person': 1, 'one sent_again': 1 })
})
