import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant } from '../../lib/time.ts'
import type { AccountId, MessageId, OperatorId, ProviderName, RouteId, TenantId, TraceId } from '../ids.ts'
import type { Fact } from './events.ts'
import type { Message } from './message.ts'
import { FIRST_CYCLE, fold, type MessageState, toFirstState } from './state.ts'
import { toStatus } from './states.ts'

const MESSAGE: Message = {
  id: '018f4f5e-7c1a-7abc-9def-0123456789ab' as MessageId,
  tenantId: 'acme' as TenantId,
  accountId: 'shop' as AccountId,
  channel: 'sms',
  kind: 'sms',
  lane: 'transactional',
  segments: 1,
  encoding: 'gsm7',
  createdAt: instant(1_000),
  traceId: '0af7651916cd43dd8448eb211c80319c' as TraceId,
}
const FIRST = toFirstState(MESSAGE)

const [ONE, TWO] = ['one' as ProviderName, 'two' as ProviderName]
const attempted = (provider = ONE): Fact => ({
  kind: 'HandoffAttempted',
  provider,
  routeId: 'r' as RouteId,
  owner: 'w1',
})
const accepted = (id: string): Fact => ({ kind: 'HandoffAccepted', providerMessageId: id, by: 'answer' })
const resolvedAsSent: Fact = { kind: 'HandoffAccepted', by: 'person', resolvedBy: MESSAGE.accountId }
const unknown: Fact = { kind: 'HandoffUnknown', reconcileAt: instant(9_000), code: 'TIMEOUT', detail: 'no answer' }
const deferred: Fact = { kind: 'RetryScheduled', dueAt: instant(8_000), code: 'BUSY', detail: 'later' }
const failed: Fact = { kind: 'HandoffFailed', code: 'INVALID', detail: 'no such number' }
const dead: Fact = { kind: 'DeadLettered', code: 'BUSY', detail: 'too often' }
const resent: Fact = { kind: 'ResendRequested', by: 'resend' }
const report = (
  kind: Extract<Fact, { reportId: string }>['kind'],
  more: { code?: string; detail?: string } = {},
): Fact => ({
  kind,
  reportId: 'r1',
  ...more,
})

/** Folds facts in order, each on the newest attempt, as a flow records them. */
function after(facts: readonly Fact[], from = FIRST): MessageState {
  return facts.reduce((state, fact, index) => {
    const attempt = state.attempt + (fact.kind === 'HandoffAttempted' ? 1 : 0)
    return fold(state, fact, { at: instant(2_000 + index), cycle: state.cycle, attempt })
  }, from)
}

/** The given fields of a state. */
const pick = <Key extends keyof MessageState>(state: MessageState, ...keys: Key[]): Partial<MessageState> =>
  Object.fromEntries(keys.filter((key) => key in state).map((key) => [key, state[key]]))

/** A state without its update time. */
const still = (state: MessageState): MessageState => ({ ...state, updatedAt: FIRST.updatedAt })

test('a new message is queued and due at its creation', () => {
  const { handoffState, dueAt, cycle, attempt, phase } = FIRST
  assert.deepEqual(
    { handoffState, dueAt, cycle, attempt, phase },
    {
      handoffState: 'queued',
      dueAt: MESSAGE.createdAt,
      cycle: FIRST_CYCLE,
      attempt: 0,
      phase: 'none',
    },
  )
})

test('an attempt is open with its owner until its outcome is known', () => {
  const operated = { ...attempted(TWO), operatorId: 'o' as OperatorId } as Fact
  const open = after([attempted(), deferred, operated])
  assert.deepEqual(pick(open, 'attempt', 'phase', 'owner', 'provider', 'operatorId', 'attemptedAt', 'handoffState'), {
    attempt: 2,
    phase: 'open',
    owner: 'w1',
    provider: TWO,
    operatorId: 'o',
    attemptedAt: instant(2_002),
    handoffState: 'sending',
  })
  assert.deepEqual(pick(open, 'dueAt', 'errorCode', 'errorDetail'), {})
  assert.ok(!('operatorId' in after([operated, deferred, attempted()])))
})

test('an accepted attempt is handed off and clears earlier errors', () => {
  const state = after([attempted(), unknown, accepted('p1')])
  assert.deepEqual(pick(state, 'handoffState', 'phase', 'providerMessageId', 'handedOffAt', 'errorCode', 'dueAt'), {
    handoffState: 'handed_off',
    phase: 'closed',
    providerMessageId: 'p1',
    handedOffAt: instant(2_002),
  })
})

test("an attempt resolved as sent is handed off, and takes the provider's message id from its first report", () => {
  const state = after([attempted(), unknown, resolvedAsSent])
  const keys = ['handoffState', 'phase', 'providerMessageId', 'handedOffAt', 'errorCode', 'dueAt'] as const
  const over = { handoffState: 'handed_off', phase: 'closed', handedOffAt: instant(2_002) } as const
  assert.deepEqual(pick(state, ...keys), over)
  const reported = (id: string): Fact => ({ kind: 'ProviderAccepted', reportId: id, providerMessageId: id })
  assert.deepEqual(pick(after([reported('p1')], state), ...keys), { ...over, providerMessageId: 'p1' })
  const others = [reported('p2'), { ...reported('p3'), kind: 'ProviderDelivered' } as Fact]
  assert.equal(after([reported('p1'), ...others], state).providerMessageId, 'p1')
})

test('an unknown outcome keeps the attempt unknown until its reconciliation', () => {
  assert.deepEqual(pick(after([attempted(), unknown]), 'handoffState', 'phase', 'dueAt', 'errorCode', 'errorDetail'), {
    handoffState: 'sending',
    phase: 'unknown',
    dueAt: instant(9_000),
    errorCode: 'TIMEOUT',
    errorDetail: 'no answer',
  })
})

test('a retry stays in sending with a due time and a reason', () => {
  assert.deepEqual(pick(after([attempted(), deferred]), 'handoffState', 'phase', 'dueAt', 'errorCode', 'excluded'), {
    handoffState: 'sending',
    phase: 'closed',
    dueAt: instant(8_000),
    errorCode: 'BUSY',
  })
})

test('excluded providers are kept for the cycle and cleared with it', () => {
  const over = (name: ProviderName): Fact => ({ ...deferred, exclude: name }) as Fact
  const state = after([attempted(ONE), over(ONE), attempted(TWO), over(TWO)])
  assert.deepEqual(state.excluded, [ONE, TWO])
  assert.equal(after([resent], state).excluded, undefined)
})

test('avoided providers are kept for the cycle and cleared with it', () => {
  const state = after([attempted(), { ...deferred, avoid: ONE }])
  assert.deepEqual(state.avoided, [ONE])
  assert.equal(after([resent], state).avoided, undefined)
})

test('a failed check, a rejection, a dead letter and an expiry each end the hand-off with a reason', () => {
  const invalid: Fact = { kind: 'ValidationFailed', code: 'INVALID_EMAIL', detail: 'no' }
  const keys = ['handoffState', 'phase', 'errorCode', 'dead', 'expired', 'dueAt'] as const
  const over = { handoffState: 'failed', phase: 'closed', dead: false, expired: false } as const
  assert.deepEqual(pick(after([invalid]), ...keys), { ...over, errorCode: 'INVALID_EMAIL' })
  assert.deepEqual(pick(after([attempted(), failed]), ...keys), { ...over, errorCode: 'INVALID' })
  assert.deepEqual(pick(after([attempted(), dead]), ...keys), { ...over, errorCode: 'BUSY', dead: true })
  const expired = after([{ kind: 'MessageExpired' }])
  assert.deepEqual(pick(expired, ...keys), { ...over, errorCode: 'EXPIRED', expired: true })
  assert.equal(toStatus(expired), 'expired')
})

test('no later failure undoes a hand-off', () => {
  for (const fact of [{ kind: 'MessageExpired' } as const, dead, failed, deferred, attempted()]) {
    const state = after([attempted(), accepted('p1'), fact])
    assert.equal(toStatus(state), 'sent', fact.kind)
    assert.deepEqual(pick(state, 'dead', 'errorCode', 'phase', 'attempt'), { dead: false, phase: 'closed', attempt: 1 })
  }
})

test('the outcome of an earlier attempt does not close a newer open attempt', () => {
  const open = after([attempted(), unknown, deferred, attempted()])
  for (const fact of [unknown, deferred, failed, dead]) {
    const state = fold(open, fact, { at: instant(1), cycle: 1, attempt: 1 })
    assert.deepEqual(still(state), still(open), fact.kind)
  }
  assert.equal(fold(open, accepted('p1'), { at: instant(1), cycle: 1, attempt: 1 }).handoffState, 'handed_off')
})

test('reports raise the provider state, and the highest one sets the end time', () => {
  const sent = after([attempted(), accepted('p1'), report('ProviderAccepted')])
  assert.deepEqual(pick(sent, 'providerState', 'endedAt'), { providerState: 'accepted' })
  const bounced = after(
    [report('ProviderDelivered'), report('ProviderBounced', { code: 'FULL', detail: 'mailbox' })],
    sent,
  )
  assert.deepEqual(pick(bounced, 'providerState', 'endedAt', 'errorCode', 'errorDetail'), {
    providerState: 'bounced',
    endedAt: instant(2_001),
    errorCode: 'FULL',
    errorDetail: 'mailbox',
  })
  assert.equal(after([report('ProviderDropped', { code: 'X' })], sent).errorDetail, '')
})

test('a receipt replaces timed_out, and a delivered message has no error and is not a dead letter', () => {
  const given = [
    after([attempted(), accepted('p1'), report('ProviderTimedOut', { code: 'SILENT' })]),
    after([attempted(), dead]),
  ]
  for (const state of given.map((state) => after([report('ProviderDelivered')], state))) {
    assert.equal(toStatus(state), 'delivered')
    assert.deepEqual(pick(state, 'errorCode', 'errorDetail', 'dead'), { dead: false })
  }
})

test('of an earlier attempt only a delivery counts', () => {
  const second = after([attempted(), unknown, deferred, attempted()])
  const early = { at: instant(1), cycle: 1, attempt: 1 }
  assert.equal(fold(second, report('ProviderDropped'), early).providerState, 'unknown')
  assert.equal(fold(second, report('ProviderDelivered'), early).providerState, 'delivered')
})

test('a resend opens a cycle that continues the attempt numbers and clears the result of the last one', () => {
  const before = after([attempted(), accepted('p1'), report('ProviderBounced', { code: 'FULL' })])
  const state = after([resent], before)
  const forgotten = ['providerMessageId', 'errorCode', 'errorDetail', 'handedOffAt', 'endedAt'] as const
  assert.deepEqual(pick(state, 'cycle', 'attempt', 'attemptsBefore', 'phase', 'providerState', 'dueAt', ...forgotten), {
    cycle: 2,
    attempt: 1,
    attemptsBefore: 1,
    phase: 'none',
    providerState: 'unknown',
    dueAt: instant(2_000),
  })
  assert.equal(toStatus(state), 'queued')
  assert.deepEqual(pick(after([dead, resent]), 'dead', 'expired'), { dead: false, expired: false })
})

test('an erasure sets erased and changes nothing else', () => {
  const sent = after([attempted(), accepted('p1')])
  assert.deepEqual(still(after([{ kind: 'MessageErased' }], sent)), still({ ...sent, erased: true }))
})

test('a full erasure is final, and a partial erasure can become full', () => {
  const whole: Fact = { kind: 'MessageErased' }
  const part: Fact = { ...whole, kept: 'recipient' }
  const hasRecipient = (...facts: Fact[]) => after(facts).recipientKept === true
  assert.deepEqual(
    [hasRecipient(part), hasRecipient(part, part), hasRecipient(part, whole), hasRecipient(whole, part)],
    [true, true, false, false],
  )
  assert.deepEqual([after([part]).erased, after([part, whole]).erased], [true, true])
})
