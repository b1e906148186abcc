/** The events of an email attempt, by the checks before it and by its outcome. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { memoryRecipients } from '../../../test/memory/recipients.ts'
import { memorySuppressions } from '../../../test/memory/suppressions.ts'
import type { RecipientId } from '../../domain/directory/recipient.ts'
import type { EmailAddress } from '../../domain/email/address.ts'
import { toStatus } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { later, millis, seconds } from '../../lib/time.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import {
  CHECKED,
  fakeInspector,
  fakeMailer,
  MAIL_CONTENT,
  MAIL_SUBMISSION,
  openMailGateway,
  PAUSES,
  UNBROKEN,
} from '../email.fixture.ts'
import {
  ACCEPTS,
  asOther,
  BLAMES_ITSELF,
  DEFERS,
  jobFor,
  OUTCOME_UNKNOWN,
  overtaken,
  REJECTS,
  receiptOf,
  START,
  TENANT,
  TRACE,
} from '../gateway.fixture.ts'
import { applyReceipt } from '../receive/apply-receipt.ts'
import { dispatch } from './dispatch.ts'
import { resend } from './resend.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const HARD_BOUNCE = { ...REJECTS, code: 'NO_SUCH_MAILBOX', suppresses: 'hard_bounce' } as const

test('an email is validated, claimed and handed off, each with an event', async () => {
  const provider = fakeMailer([ACCEPTS])
  const gateway = openMailGateway(world, { providers: [provider] })
  const id = await gateway.submit(MAIL_SUBMISSION)
  assert.deepEqual(await gateway.work(), { kind: 'gone' })
  const facts = (await gateway.eventsOf(id)).map(({ fact }) => fact)
  assert.deepEqual(facts, [
    { kind: 'MessageCreated' },
    CHECKED,
    { kind: 'HandoffAttempted', provider: 'one', routeId: 'r1', owner: 'me' },
    { kind: 'HandoffAccepted', providerMessageId: 'SM1', by: 'answer' },
  ])
  const ref = { messageId: id, cycle: 1, attempt: 1 }
  const common = { tenantId: TENANT, traceId: TRACE, channel: 'email', content: MAIL_CONTENT }
  assert.deepEqual(provider.calls, [{ id: world.ids.attemptId(ref), ref, ...common }])
})

test('validates an email before every attempt, and does not send one that is no longer valid', async () => {
  const recipients = memoryRecipients()
  const recipientId = '3f1c9f0e-5f0a-8c6e-9d57-0b6f0a3c2e11' as RecipientId
  await recipients.add({
    id: recipientId,
    tenantId: TENANT,
    email: MAIL_CONTENT.to,
    createdAt: START,
    updatedAt: START,
  })
  const provider = fakeMailer([DEFERS])
  const gateway = openMailGateway(world, { providers: [provider], deps: { recipients } })
  const id = await gateway.submit({ ...MAIL_SUBMISSION, content: { ...MAIL_CONTENT, recipientId } })
  await gateway.work()
  await recipients.remove(TENANT, recipientId)
  gateway.pass(seconds(1))
  assert.deepEqual(await gateway.work(), { kind: 'gone' })
  const [, , , , last, ...others] = await gateway.eventsOf(id)
  const reason = { code: 'RECIPIENT_NOT_FOUND', detail: 'the recipient was removed from the directory' }
  assert.deepEqual(last?.fact, { kind: 'ValidationFailed', check: 'RECIPIENT', ...reason })
  assert.deepEqual(others, [])
  assert.equal(toStatus(await gateway.stateOf(id)), 'failed')
  assert.equal(provider.calls.length, 1)
})

test('an email that fails a check makes no attempt and leaves no job', async () => {
  const gateway = openMailGateway(world, {
    providers: [fakeMailer([])],
    deps: { inspector: fakeInspector(() => true) },
  })
  const id = await gateway.submit(MAIL_SUBMISSION)
  assert.deepEqual(await gateway.work(), { kind: 'gone' })
  const { attempt, errorCode, dead } = await gateway.stateOf(id)
  assert.deepEqual([attempt, errorCode, dead], [0, 'INVALID_TEMPLATE', false])
  assert.equal(await gateway.take(), undefined)
})

test('an email waits while the HTML inspector is unavailable, and records nothing', async () => {
  const inspector = { inspect: () => Promise.reject(new Unavailable('too many')) }
  const gateway = openMailGateway(world, { providers: [fakeMailer([])], deps: { inspector } })
  const id = await gateway.submit(MAIL_SUBMISSION)
  await assert.rejects(async () => dispatch(gateway.deps, jobFor(id)), Unavailable)
  assert.deepEqual(await gateway.kindsOf(id), ['MessageCreated'])
})

test('responses that blame the account are not counted as attempts', async () => {
  const provider = fakeMailer([...Array.from({ length: 9 }, () => PAUSES), DEFERS, DEFERS, DEFERS, DEFERS, DEFERS])
  const gateway = openMailGateway(world, { providers: [provider], deps: { breakers: UNBROKEN } })
  const id = await gateway.submit(MAIL_SUBMISSION)
  for (let round = 0; round < 9; round += 1) {
    await gateway.work()
    const dueAt = later(gateway.clock(), seconds(3_600))
    const { fact } = (await gateway.eventsOf(id)).at(-1) ?? {}
    const asked = { code: 'QUOTA', detail: 'used up', retryAfterSeconds: 3_600 }
    assert.deepEqual(fact, { kind: 'RetryScheduled', ...asked, dueAt, uncounted: true })
    gateway.pass(seconds(3_600))
  }
  for (const wait of [1, 5, 30, 120]) {
    await gateway.work()
    const { fact } = (await gateway.eventsOf(id)).at(-1) ?? {}
    const dueAt = later(gateway.clock(), seconds(wait))
    assert.deepEqual(fact, { kind: 'RetryScheduled', code: 'BUSY', detail: 'later', dueAt })
    gateway.pass(seconds(wait))
  }
  await gateway.work()
  assert.equal((await gateway.kindsOf(id)).at(-1), 'DeadLettered')
  assert.equal(provider.calls.length, 14)
})

test('fails over to another provider at once while the account may not send', async () => {
  const [one, two] = [fakeMailer([PAUSES]), fakeMailer([ACCEPTS], 'two')]
  const gateway = openMailGateway(world, { providers: [one, two] })
  const id = await gateway.submit(MAIL_SUBMISSION)
  await gateway.work()
  const { fact } = (await gateway.eventsOf(id)).at(-1) ?? {}
  const reason = { code: 'QUOTA', detail: 'used up' }
  const asked = { ...reason, retryAfterSeconds: 3_600 }
  assert.deepEqual(fact, { kind: 'RetryScheduled', ...asked, dueAt: START, avoid: 'one', uncounted: true })
  await gateway.work()
  assert.equal((await gateway.stateOf(id)).provider, 'two')
  assert.equal((await gateway.stateOf(id)).handoffState, 'handed_off')
})

test("shortens the wait for an account to the email's deadline, then expires it", async () => {
  const gateway = openMailGateway(world, { providers: [fakeMailer([PAUSES, PAUSES])] })
  const content = { ...MAIL_CONTENT, expiresAt: later(START, seconds(100)) }
  const id = await gateway.submit({ ...MAIL_SUBMISSION, content })
  await gateway.work()
  assert.equal((await gateway.stateOf(id)).dueAt, later(START, seconds(60)))
  gateway.pass(seconds(60))
  await gateway.work()
  const { fact } = (await gateway.eventsOf(id)).at(-1) ?? {}
  assert.deepEqual([fact?.kind, fact && 'code' in fact && fact.code], ['MessageExpired', 'QUOTA'])
})

test('a hard bounce suppresses the address, and the next email to it is not sent', async () => {
  const suppressions = memorySuppressions()
  const provider = fakeMailer([HARD_BOUNCE])
  const gateway = openMailGateway(world, { providers: [provider], deps: { suppressions } })
  const to = 'Ana@acme.example' as EmailAddress
  const first = await gateway.submit({ ...MAIL_SUBMISSION, content: { ...MAIL_CONTENT, to } })
  await gateway.work()
  assert.equal((await gateway.kindsOf(first)).at(-1), 'HandoffFailed')
  const [noted] = await suppressions.find(TENANT, [MAIL_CONTENT.to], START)
  assert.deepEqual([noted?.reason, noted?.messageId], ['hard_bounce', first])

  const next = await gateway.submit(MAIL_SUBMISSION)
  await gateway.work()
  assert.equal((await gateway.stateOf(next)).errorCode, 'RECIPIENT_SUPPRESSED')
  assert.deepEqual(await gateway.kindsOf(next), ['MessageCreated', 'ValidationFailed'])
  assert.equal(provider.calls.length, 1)
})

test('a hard bounce fails the email even while the suppression list is unavailable', async () => {
  const unavailable = () => Promise.reject(new Unavailable('unreachable'))
  const gateway = openMailGateway(world, {
    providers: [fakeMailer([HARD_BOUNCE])],
    deps: { suppressions: { find: unavailable, add: unavailable } },
  })
  const id = await gateway.submit(MAIL_SUBMISSION)
  assert.deepEqual(await gateway.work(), { kind: 'gone' })
  assert.equal((await gateway.stateOf(id)).errorCode, 'NO_SUCH_MAILBOX')
})

test('a crash between the checks and the claim duplicates nothing', async () => {
  const provider = fakeMailer([DEFERS, ACCEPTS])
  const gateway = openMailGateway(world, { providers: [provider] })
  const id = await gateway.submit(MAIL_SUBMISSION)
  for (const attempt of [1, 2]) {
    const crashing = { ...gateway.log, append: crashAt('HandoffAttempted') }
    await assert.rejects(async () => dispatch({ ...gateway.deps, log: crashing }, jobFor(id)), /crashed/)
    assert.equal((await gateway.stateOf(id)).attempt, attempt - 1)
    await gateway.work()
    gateway.pass(seconds(1))
  }
  assert.deepEqual(await gateway.kindsOf(id), [
    'MessageCreated',
    ...['MessageValidated', 'HandoffAttempted', 'RetryScheduled'],
    ...['MessageValidated', 'HandoffAttempted', 'HandoffAccepted'],
  ])
  assert.equal(provider.calls.length, 2)

  function crashAt(kind: string): typeof gateway.log.append {
    return async (entry) => {
      if (entry.event.fact.kind === kind) throw new Error('crashed')
      return gateway.log.append(entry)
    }
  }
})

test('of two workers that have validated an email concurrently, one sends it', async () => {
  const provider = fakeMailer([ACCEPTS])
  const gateway = openMailGateway(world, { providers: [provider] })
  const id = await gateway.submit(MAIL_SUBMISSION)
  const log = overtaken(gateway.log, () => asOther(gateway.deps, id))
  assert.deepEqual(await dispatch({ ...gateway.deps, log }, jobFor(id)), { kind: 'later', at: START })
  const expected = ['MessageCreated', 'MessageValidated', 'HandoffAttempted', 'HandoffAccepted']
  assert.deepEqual(await gateway.kindsOf(id), expected)
  assert.equal(provider.calls.length, 1)
})

test('validates a resent email again', async () => {
  const gateway = openMailGateway(world, { providers: [fakeMailer([REJECTS, ACCEPTS])] })
  const id = await gateway.submit(MAIL_SUBMISSION)
  await gateway.work()
  await resend(gateway.deps, { id, tenantId: TENANT, by: 'resend', traceId: TRACE })
  await gateway.work()
  assert.deepEqual((await gateway.kindsOf(id)).slice(3), [
    ...['HandoffFailed', 'ResendRequested', 'MessageValidated', 'HandoffAttempted', 'HandoffAccepted'],
  ])
})

test('a receipt resolves an unknown email without validating it again', async () => {
  const gateway = openMailGateway(world, { providers: [fakeMailer([OUTCOME_UNKNOWN])] })
  const id = await gateway.submit(MAIL_SUBMISSION)
  await gateway.work()
  await applyReceipt(gateway.deps, receiptOf(await gateway.stateOf(id), 'delivered'))
  gateway.pass(seconds(30))
  assert.deepEqual(await gateway.work(), { kind: 'done' })
  assert.deepEqual((await gateway.kindsOf(id)).slice(3), ['HandoffUnknown', 'HandoffAccepted', 'ProviderDelivered'])
})

test('a provider failure fails an email only when no other provider is left', async () => {
  const providers = [fakeMailer([BLAMES_ITSELF]), fakeMailer([BLAMES_ITSELF], 'two')]
  const gateway = openMailGateway(world, { providers })
  const id = await gateway.submit(MAIL_SUBMISSION)
  await gateway.work()
  await gateway.work()
  const kinds = (await gateway.kindsOf(id)).filter((kind) => kind !== 'MessageValidated' && kind !== 'HandoffAttempted')
  assert.deepEqual(kinds, ['MessageCreated', 'RetryScheduled', 'HandoffFailed'])
  assert.equal((await gateway.stateOf(id)).errorCode, 'NO_FUNDS')
})

test('events contain neither the recipients nor the content of an email', async () => {
  const content = { ...MAIL_CONTENT, cc: [{ address: 'bob@acme.example' as EmailAddress, name: 'Bob' }] }
  const gateway = openMailGateway(world, { providers: [fakeMailer([DEFERS, HARD_BOUNCE])] })
  const id = await gateway.submit({ ...MAIL_SUBMISSION, content })
  await gateway.work()
  gateway.pass(millis(1_250))
  await gateway.work()
  assert.doesNotMatch(JSON.stringify(await gateway.eventsOf(id)), /ana|bob|acme|parcel|on its way/i)
})
