import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { AccountId, MessageId, TenantId, TraceId } from '../../domain/ids.ts'
import { toStatus } from '../../domain/message/states.ts'
import { RETRY, type RetryPolicy } from '../../domain/routing/retry.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, seconds } from '../../lib/time.ts'
import { erase } from '../admin/erase.ts'
import {
  ACCEPTS,
  type Answer,
  CONTENT,
  DEFERS,
  fakeProvider,
  fixed,
  OUTCOME_UNKNOWN,
  openGateway,
  overtaken,
  receiptOf,
  START,
  TENANT,
  TRACE,
} from '../gateway.fixture.ts'
import type { Submission } from '../send/accept.ts'
import { retryPolicyFor } from '../send/find-route.ts'
import { resend } from '../send/resend.ts'
import { applyReceipt } from './apply-receipt.ts'
import { type ResolveUnknown, resolveUnknown } from './resolve-unknown.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const BY_A_PERSON = '00000000000000000000000000000001' as TraceId
const DESK = 'desk' as AccountId
const wish = (id: MessageId, as: ResolveUnknown['as']): ResolveUnknown => ({
  tenantId: TENANT,
  accountId: DESK,
  id,
  as,
  traceId: BY_A_PERSON,
})
const conflict = (message: RegExp) => ({ code: 'CONFLICT', message })

type Given = Readonly<{ answers?: readonly Answer[]; retry?: RetryPolicy; submission?: Partial<Submission> }>

/** A message of which nobody knows whether the provider has it, and which its route holds. */
async function inDoubt({ answers = [OUTCOME_UNKNOWN, ACCEPTS], retry = RETRY.sms, submission = {} }: Given = {}) {
  const provider = fakeProvider(answers)
  const gateway = openGateway(world, { providers: [provider], route: { retry } })
  const id = await gateway.submit(submission)
  await gateway.work()
  return { ...gateway, id, provider, state: () => gateway.stateOf(id), kinds: () => gateway.kindsOf(id) }
}

test('a message that a person knows to be sent is sent, and says in whose name', async () => {
  const { deps, id, state, eventsOf, pass, work, provider } = await inDoubt()
  pass(seconds(9))
  const settled = await resolveUnknown(deps, wish(id, 'sent'))
  assert.deepEqual(settled, await state())
  const { handoffState, phase, errorCode, providerMessageId, handedOffAt } = settled
  assert.deepEqual(
    [toStatus(settled), handoffState, phase, errorCode, providerMessageId, handedOffAt],
    ['sent', 'handed_off', 'closed', undefined, undefined, later(START, seconds(9))],
  )
  const event = (await eventsOf(id)).at(-1)
  assert.deepEqual(event?.fact, { kind: 'HandoffAccepted', by: 'person', resolvedBy: DESK })
  assert.deepEqual([event?.attempt, event?.previousStatus, event?.traceId], [1, 'sending', BY_A_PERSON])

  pass(seconds(30))
  assert.deepEqual(await work(), { kind: 'done' })
  assert.equal(provider.calls.length, 1)
})

test('what the provider calls a message that a person knew to be sent comes with its report', async () => {
  const { deps, id, state, kinds } = await inDoubt()
  await resolveUnknown(deps, wish(id, 'sent'))
  await applyReceipt(deps, receiptOf(await state(), 'delivered', { providerMessageId: 'SM7' }))
  assert.deepEqual([toStatus(await state()), (await state()).providerMessageId], ['delivered', 'SM7'])
  assert.deepEqual((await kinds()).slice(3), ['HandoffAccepted', 'ProviderDelivered'])
})

test('a message that the provider certainly does not have has failed, and can be sent again like any other', async () => {
  const { deps, id, state, eventsOf, work, provider } = await inDoubt()
  const settled = await resolveUnknown(deps, wish(id, 'not_sent'))
  assert.deepEqual(
    [toStatus(settled), settled.errorCode, settled.dead, settled.phase],
    ['failed', 'RESOLVED_NOT_SENT', false, 'closed'],
  )
  const detail = 'a person says that the provider does not have it'
  assert.deepEqual((await eventsOf(id)).at(-1)?.fact, {
    kind: 'HandoffFailed',
    code: 'RESOLVED_NOT_SENT',
    detail,
    resolvedBy: DESK,
  })
  await resend(deps, { tenantId: TENANT, id, by: 'resend', traceId: TRACE })
  await work()
  assert.deepEqual([toStatus(await state()), (await state()).cycle, provider.calls.length], ['sent', 2, 2])
})

test('a report that comes after all outranks the person who said that it was not sent', async () => {
  const { deps, id, state } = await inDoubt()
  await resolveUnknown(deps, wish(id, 'not_sent'))
  await applyReceipt(deps, receiptOf(await state(), 'delivered'))
  assert.deepEqual([toStatus(await state()), (await state()).errorCode], ['delivered', undefined])
})

test('a message sent again by a person is attempted at once, in its cycle', async () => {
  const { deps, id, state, eventsOf, work, provider } = await inDoubt()
  const settled = await resolveUnknown(deps, wish(id, 'resend'))
  assert.deepEqual([toStatus(settled), settled.cycle, settled.phase, settled.dueAt], ['sending', 1, 'closed', START])
  const { fact } = (await eventsOf(id)).at(-1) ?? {}
  assert.deepEqual(fact, {
    kind: 'RetryScheduled',
    code: 'RESOLVED_RESEND',
    detail: 'a person requested another attempt and accepts a possible duplicate',
    dueAt: START,
    resolvedBy: DESK,
  })
  await work()
  assert.deepEqual([toStatus(await state()), (await state()).attempt, provider.calls.length], ['sent', 2, 2])
})

test('a message with an unknown outcome that has no attempt left in its cycle is sent again in a new one', async () => {
  const { deps, id, state, eventsOf, work, pass, provider } = await inDoubt({
    answers: [DEFERS, OUTCOME_UNKNOWN, ACCEPTS],
    retry: { delays: [seconds(1)], maxAttempts: 2, jitter: 0 },
  })
  pass(seconds(1))
  await work()
  const settled = await resolveUnknown(deps, wish(id, 'resend'))
  assert.deepEqual([toStatus(settled), settled.cycle, settled.attempt], ['queued', 2, 2])
  assert.deepEqual((await eventsOf(id)).at(-1)?.fact, { kind: 'ResendRequested', by: 'person', resolvedBy: DESK })
  await work()
  assert.deepEqual([toStatus(await state()), (await state()).attempt, provider.calls.length], ['sent', 3, 3])
})

test('how many attempts there are is said by the route, and where it is gone by the channel', async () => {
  const retry = { delays: [seconds(1)], maxAttempts: 2, jitter: 0 }
  const { deps, state } = await inDoubt({ retry })
  assert.deepEqual(retryPolicyFor(deps.routes, await state()), retry)
  assert.deepEqual(retryPolicyFor(fixed([]), await state()), RETRY.sms)
})

test('a message that is not with an unknown outcome is refused, with the status it has', async () => {
  const { submit, deps, work } = await inDoubt({ answers: [OUTCOME_UNKNOWN, ACCEPTS, DEFERS] })
  const [sent, deferred, queued] = [await submit(), await submit(), await submit()]
  await work()
  await work()
  for (const [id, status] of [
    [sent, 'sent'],
    [deferred, 'sending'],
    [queued, 'queued'],
  ] as const) {
    for (const as of ['sent', 'not_sent', 'resend'] as const) {
      await assert.rejects(
        resolveUnknown(deps, wish(id, as)),
        conflict(new RegExp(`outcome of the message is known: its status is ${status}`)),
      )
    }
  }
})

test('a message that was erased, or whose deadline has passed, is settled but not sent again', async () => {
  const mortal = await inDoubt({
    answers: [OUTCOME_UNKNOWN],
    submission: { content: { ...CONTENT, expiresAt: later(START, seconds(60)) } },
  })
  mortal.pass(seconds(60))
  await assert.rejects(resolveUnknown(mortal.deps, wish(mortal.id, 'resend')), conflict(/expires_at/))
  assert.equal(toStatus(await resolveUnknown(mortal.deps, wish(mortal.id, 'sent'))), 'sent')

  const erased = await inDoubt({ answers: [OUTCOME_UNKNOWN] })
  await erase(erased.deps, { tenantId: TENANT, id: erased.id, traceId: TRACE })
  await assert.rejects(resolveUnknown(erased.deps, wish(erased.id, 'resend')), conflict(/erased/))
  assert.equal(toStatus(await resolveUnknown(erased.deps, wish(erased.id, 'not_sent'))), 'failed')
})

test("another tenant's message, and one that never was, are not found", async () => {
  const { deps, id } = await inDoubt()
  const stranger = { ...wish(id, 'sent'), tenantId: 'south' as TenantId }
  await assert.rejects(resolveUnknown(deps, stranger), { code: 'NOT_FOUND' })
  await assert.rejects(resolveUnknown(deps, wish(world.ids.messageId(START), 'sent')), { code: 'NOT_FOUND' })
})

test('a receipt that is faster than the person wins, and the person is told what it says', async () => {
  const { deps, id, log, state, kinds, work, pass, provider } = await inDoubt()
  const receipt = receiptOf(await state(), 'delivered')
  const rival = overtaken(log, () => applyReceipt(deps, receipt))
  await assert.rejects(
    resolveUnknown({ ...deps, log: rival }, wish(id, 'resend')),
    conflict(/outcome of the message is known: its status is delivered/),
  )
  pass(seconds(60))
  while ((await work()) !== undefined);
  assert.deepEqual([(await kinds()).slice(3), provider.calls.length], [['HandoffAccepted', 'ProviderDelivered'], 1])
})

test('what does not end the doubt does not keep a person from settling it', async () => {
  const { deps, id, log } = await inDoubt()
  const rival = overtaken(log, () => erase(deps, { tenantId: TENANT, id, traceId: TRACE }))
  const settled = await resolveUnknown({ ...deps, log: rival }, wish(id, 'sent'))
  assert.deepEqual([toStatus(settled), settled.erased], ['sent', true])
})

test('what a person decided of one attempt is not applied to the next one', async () => {
  const { deps, id, log, work, kinds } = await inDoubt({ answers: [OUTCOME_UNKNOWN, OUTCOME_UNKNOWN] })
  const rival = overtaken(log, async () => {
    await resolveUnknown(deps, wish(id, 'resend'))
    await work()
  })
  await assert.rejects(resolveUnknown({ ...deps, log: rival }, wish(id, 'sent')), conflict(/newer attempt/))
  assert.equal((await kinds()).at(-1), 'HandoffUnknown')
})
