import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { Fact } from '../../domain/message/events.ts'
import { observedLog } from '../../engines/decorators/observed-log.ts'
import { ACCEPTS, DEFERS, fakeProvider, OUTCOME_UNKNOWN, REJECTS, receiptOf } from '../../flows/gateway.fixture.ts'
import { applyReceipt } from '../../flows/receive/apply-receipt.ts'
import { seconds } from '../../lib/time.ts'
import {
  ATTEMPTED,
  append,
  createdEntry,
  nextEntry,
  someMessage,
  stopped,
  VALIDATED,
} from '../../ports/samples.contract.ts'
import { openMeasured, openTestMetrics } from './metrics.fixture.ts'

const TRANSITIONS = 'pipeline_state_transitions_total'

test('counts every state that an SMS goes through, and each attempt again', async () => {
  const { counts, pass, work, submit } = openMeasured({ providers: [fakeProvider([DEFERS, ACCEPTS])] })
  await submit()
  await work()
  pass(seconds(60))
  await work()
  assert.deepEqual(await counts(TRANSITIONS), {
    'sms RECEIVED': 2,
    'sms VALIDATED': 2,
    'sms SENT_ATTEMPT': 2,
    'sms RETRY_SCHEDULED': 1,
    'sms SENT': 1,
  })
  assert.deepEqual(await counts('pipeline_retry_total'), { 'sms BUSY TRANSIENT_ERROR': 1 })
  assert.deepEqual(await counts('pipeline_final_state_total'), { 'sms SENT': 1 })
})

test('an email is validated once, by the event that says so', async () => {
  const { log, counts } = openLog()
  const created = await append(log, createdEntry({ ...someMessage(), channel: 'email', kind: 'email' }))
  const validated = nextEntry(created, VALIDATED).event
  const attempted = nextEntry({ ...created, event: validated }, ATTEMPTED)
  await append(log, { ...attempted, seen: created.revision, before: validated })
  assert.deepEqual(await counts(TRANSITIONS), { 'email RECEIVED': 1, 'email VALIDATED': 1, 'email SENT_ATTEMPT': 1 })
})

test('counts failed messages as final', async () => {
  const { submit, work, counts } = openMeasured({ providers: [fakeProvider([REJECTS, REJECTS, ACCEPTS])] })
  for (let n = 0; n < 3; n += 1) {
    await submit()
    await work()
  }
  assert.deepEqual(await counts('pipeline_final_state_total'), { 'sms FAILED': 2, 'sms SENT': 1 })
})

test('counts validation failures by check and code', async () => {
  const { log, counts } = openLog()
  const invalid: Fact = { kind: 'ValidationFailed', check: 'TEMPLATE', code: 'INVALID_TEMPLATE', detail: 'no html' }
  await append(log, nextEntry(await append(log, createdEntry()), invalid))
  assert.deepEqual(await counts('pipeline_validation_failures_total'), { 'TEMPLATE INVALID_TEMPLATE': 1 })
  assert.deepEqual(await counts(TRANSITIONS), { 'sms RECEIVED': 1, 'sms VALIDATION_FAILED': 1, 'sms FAILED': 1 })
})

test('an event that does not change the state is not counted', async () => {
  const { log, counts } = openLog()
  const attempted = await append(log, nextEntry(await append(log, createdEntry()), ATTEMPTED))
  const before = await counts(TRANSITIONS)
  await append(log, nextEntry(attempted, { kind: 'MessageErased' }))
  assert.deepEqual(await counts(TRANSITIONS), before)
})

test('measures the time in each state when it ends, and each attempt separately', async () => {
  const name = 'pipeline_processing_duration_seconds'
  const { submit, work, pass, stateOf, deps, measured } = openMeasured({
    providers: [fakeProvider([DEFERS, OUTCOME_UNKNOWN])],
  })
  const id = await submit()
  pass(seconds(3))
  await work()
  assert.deepEqual(await measured(name, 'RECEIVED'), [1, 3])
  assert.deepEqual(await measured(name, 'SENT_ATTEMPT'), [1, 0])
  pass(seconds(60))
  await work()
  assert.deepEqual(await measured(name, 'RETRY_SCHEDULED'), [1, 60])
  pass(seconds(5))
  await applyReceipt(deps, receiptOf(await stateOf(id), 'accepted'))
  assert.deepEqual(await measured(name, 'SENT_ATTEMPT'), [2, 5])
  pass(seconds(7))
  await applyReceipt(deps, receiptOf(await stateOf(id), 'delivered'))
  await applyReceipt(deps, receiptOf(await stateOf(id), 'complaint'))
  assert.deepEqual(await measured(name, 'SENT'), [1, 7])
  assert.deepEqual(await measured(name, 'RECEIVED'), [1, 3])
})

/** An empty log that is measured. */
function openLog() {
  const metrics = openTestMetrics()
  return { ...metrics, log: observedLog(openMemoryEngine({ clock: stopped }).log, metrics.observe) }
}
