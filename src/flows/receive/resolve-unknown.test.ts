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
const resolution = (id: MessageId, as: ResolveUnknown['as']): ResolveUnknown => ({
  tenantId: TENANT,
  accountId: DESK,
  id,
  as,
  traceId: BY_A_PERSON,
})
const conflict = (message: RegExp) => ({ code: 'CONFLICT', message })

type Given = Readonly<{ answers?: readonly Answer[]; retry?: RetryPolicy; submission?: Partial<Submission> }>

/** A message with an unknown outcome that its route holds. */
async function openUnknown({ answers = [OUTCOME_UNKNOWN, ACCEPTS], retry = RETRY.sms, submission = {} }: Given = {}) {
  const provider = fakeProvider(answers)
  const gateway = openGateway(world, { providers: [provider], route: { retry } })
  const id = await gateway.submit(submission)
  await gateway.work()
  return { ...gateway, id, provider, state: () => gateway.stateOf(id), kinds: () => gateway.kindsOf(id) }
}

test('resolving as sent marks the message sent and records the account', async () => {
  const { deps, id, state, eventsOf, pass, work, provider } = await openUnknown()
  pass(seconds(9))
  const resolved = await resolveUnknown(deps, resolution(id, 'sent'))
  assert.deepEqual(resolved, await state())
  const { handoffState, phase, errorCode, providerMessageId, handedOffAt } = resolved
  assert.deepEqual(
    [toStatus(resolved), handoffState, phase, errorCode, providerMessageId, handedOffAt],
    ['sent', 'handed_off', 'closed', undefined, undefined, later(START, seconds(9))],
  )
  const event = (await eventsOf(id)).at(-1)
  assert.deepEqual(event?.fact, { kind: 'HandoffAccepted', by: 'person', resolvedBy: DESK })
  assert.deepEqual([event?.attempt, event?.previousStatus, event?.traceId], [1, 'sending', BY_A_PERSON])

  pass(seconds(30))
  assert.deepEqual(await work(), { kind: 'done' })
  assert.equal(provider.calls.length, 1)
})

test("the first report after resolving as sent supplies the provider's message id", async () => {
  const { deps, id, state, kinds } = await openUnknown()
  await resolveUnknown(deps, resolution(id, 'sent'))
  await applyReceipt(deps, receiptOf(await state(), 'delivered', { providerMessageId: 'SM7' }))
  assert.deepEqual([toStatus(await state()), (await state()).providerMessageId], ['delivered', 'SM7'])
  assert.deepEqual((await kinds()).slice(3), ['HandoffAccepted', 'ProviderDelivered'])
})

test('resolving as not sent fails the message, which can then be resent', async () => {
  const { deps, id, state, eventsOf, work, provider } = await openUnknown()
  const resolved = await resolveUnknown(deps, resolution(id, 'not_sent'))
  assert.deepEqual(
    [toStatus(resolved), resolved.errorCode, resolved.dead, resolved.phase],
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

test('a later delivery report overrides a resolution as not sent', async () => {
  const { deps, id, state } = await openUnknown()
  await resolveUnknown(deps, resolution(id, 'not_sent'))
  await applyReceipt(deps, receiptOf(await state(), 'delivered'))
  assert.deepEqual([toStatus(await state()), (await state()).errorCode], ['delivered', undefined])
})

test('resolving with a resend schedules an attempt at once in the same cycle', async () => {
  const { deps, id, state, eventsOf, work, provider } = await openUnknown()
  const resolved = await resolveUnknown(deps, resolution(id, 'resend'))
  assert.deepEqual(
    [toStatus(resolved), resolved.cycle, resolved.phase, resolved.dueAt],
    ['sending', 1, 'closed', START],
  )
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

test('resolving with a resend opens a new cycle when no attempts are left', async () => {
  const { deps, id, state, eventsOf, work, pass, provider } = await openUnknown({
    answers: [DEFERS, OUTCOME_UNKNOWN, ACCEPTS],
    retry: { delays: [seconds(1)], maxAttempts: 2, jitter: 0 },
  })
  pass(seconds(1))
  await work()
  const resolved = await resolveUnknown(deps, resolution(id, 'resend'))
  assert.deepEqual([toStatus(resolved), resolved.cycle, resolved.attempt], ['queued', 2, 2])
  assert.deepEqual((await eventsOf(id)).at(-1)?.fact, { kind: 'ResendRequested', by: 'person', resolvedBy: DESK })
  await work()
  assert.deepEqual([toStatus(await state()), (await state()).attempt, provider.calls.length], ['sent', 3, 3])
})

test('takes the number of attempts from the route, or from the channel when the route was removed', async () => {
  const retry = { delays: [seconds(1)], maxAttempts: 2, jitter: 0 }
  const { deps, state } = await openUnknown({ retry })
  assert.deepEqual(retryPolicyFor(deps.routes, await state()), retry)
  assert.deepEqual(retryPolicyFor(fixed([]), await state()), RETRY.sms)
})

test('refuses a message whose outcome is known and names its status', async () => {
  const { submit, deps, work } = await openUnknown({ answers: [OUTCOME_UNKNOWN, ACCEPTS, DEFERS] })
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
        resolveUnknown(deps, resolution(id, as)),
        conflict(new RegExp(`outcome of the message is known: its status is ${status}`)),
      )
    }
  }
})

test('an erased or expired message can be resolved but not resent', async () => {
  const expiring = await openUnknown({
    answers: [OUTCOME_UNKNOWN],
    submission: { content: { ...CONTENT, expiresAt: later(START, seconds(60)) } },
  })
  expiring.pass(seconds(60))
  await assert.rejects(resolveUnknown(expiring.deps, resolution(expiring.id, 'resend')), conflict(/expires_at/))
  assert.equal(toStatus(await resolveUnknown(expiring.deps, resolution(expiring.id, 'sent'))), 'sent')

  const erased = await openUnknown({ answers: [OUTCOME_UNKNOWN] })
  await erase(erased.deps, { tenantId: TENANT, id: erased.id, traceId: TRACE })
  await assert.rejects(resolveUnknown(erased.deps, resolution(erased.id, 'resend')), conflict(/erased/))
  assert.equal(toStatus(await resolveUnknown(erased.deps, resolution(erased.id, 'not_sent'))), 'failed')
})

test("another tenant's message and an unknown id return NOT_FOUND", async () => {
  const { deps, id } = await openUnknown()
  const stranger = { ...resolution(id, 'sent'), tenantId: 'south' as TenantId }
  await assert.rejects(resolveUnknown(deps, stranger), { code: 'NOT_FOUND' })
  await assert.rejects(resolveUnknown(deps, resolution(world.ids.messageId(START), 'sent')), { code: 'NOT_FOUND' })
})

test('a concurrent receipt wins, and the resolution is refused with the new status', async () => {
  const { deps, id, log, state, kinds, work, pass, provider } = await openUnknown()
  const receipt = receiptOf(await state(), 'delivered')
  const rival = overtaken(log, () => applyReceipt(deps, receipt))
  await assert.rejects(
    resolveUnknown({ ...deps, log: rival }, resolution(id, 'resend')),
    conflict(/outcome of the message is known: its status is delivered/),
  )
  pass(seconds(60))
  while ((await work()) !== undefined);
  assert.deepEqual([(await kinds()).slice(3), provider.calls.length], [['HandoffAccepted', 'ProviderDelivered'], 1])
})

test('a concurrent event that keeps the outcome unknown does not block the resolution', async () => {
  const { deps, id, log } = await openUnknown()
  const rival = overtaken(log, () => erase(deps, { tenantId: TENANT, id, traceId: TRACE }))
  const resolved = await resolveUnknown({ ...deps, log: rival }, resolution(id, 'sent'))
  assert.deepEqual([toStatus(resolved), resolved.erased], ['sent', true])
})

test('a resolution of one attempt is not applied to a newer one', async () => {
  const { deps, id, log, work, kinds } = await openUnknown({ answers: [OUTCOME_UNKNOWN, OUTCOME_UNKNOWN] })
  const rival = overtaken(log, async () => {
    await resolveUnknown(deps, resolution(id, 'resend'))
    await work()
  })
  await assert.rejects(resolveUnknown({ ...deps, log: rival }, resolution(id, 'sent')), conflict(/newer attempt/))
  assert.equal((await kinds()).at(-1), 'HandoffUnknown')
})
