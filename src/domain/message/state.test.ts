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
const known: Fact = { kind: 'HandoffAccepted', by: 'person', resolvedBy: MESSAGE.accountId }
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

/** Folds facts as a flow records them: one after another, each of the newest attempt. */
function after(facts: readonly Fact[], from = FIRST): MessageState {
  return facts.reduce((state, fact, place) => {
    const attempt = state.attempt + (fact.kind === 'HandoffAttempted' ? 1 : 0)
    return fold(state, fact, { at: instant(2_000 + place), cycle: state.cycle, attempt })
  }, from)
}

/** Those parts of a state that a test asks for. */
const pick = <Key extends keyof MessageState>(state: MessageState, ...keys: Key[]): Partial<MessageState> =>
  Object.fromEntries(keys.filter((key) => key in state).map((key) => [key, state[key]]))

/** Everything but when it was last touched. */
const still = (state: MessageState): MessageState => ({ ...state, updatedAt: FIRST.updatedAt })

test('a message due at once is queued with its creation, one with a time of its own waits for it', () => {
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

test('an attempt is open in the name of its owner until its outcome is known', () => {
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

test('an accepted attempt is handed off, and forgets the errors before it', () => {
  const state = after([attempted(), unknown, accepted('p1')])
  assert.deepEqual(pick(state, 'handoffState', 'phase', 'providerMessageId', 'handedOffAt', 'errorCode', 'dueAt'), {
    handoffState: 'handed_off',
    phase: 'closed',
    providerMessageId: 'p1',
    handedOffAt: instant(2_002),
  })
})

test('an attempt that a person knows to be sent is handed off, and its first report says what the provider calls it', () => {
  const state = after([attempted(), unknown, known])
  const keys = ['handoffState', 'phase', 'providerMessageId', 'handedOffAt', 'errorCode', 'dueAt'] as const
  const over = { handoffState: 'handed_off', phase: 'closed', handedOffAt: instant(2_002) } as const
  assert.deepEqual(pick(state, ...keys), over)
  const reported = (id: string): Fact => ({ kind: 'ProviderAccepted', reportId: id, providerMessageId: id })
  assert.deepEqual(pick(after([reported('p1')], state), ...keys), { ...over, providerMessageId: 'p1' })
  const others = [reported('p2'), { ...reported('p3'), kind: 'ProviderDelivered' } as Fact]
  assert.equal(after([reported('p1'), ...others], state).providerMessageId, 'p1')
})

test('an unknown outcome leaves the attempt with an unknown outcome until it is to be reconciled', () => {
  assert.deepEqual(pick(after([attempted(), unknown]), 'handoffState', 'phase', 'dueAt', 'errorCode', 'errorDetail'), {
    handoffState: 'sending',
    phase: 'unknown',
    dueAt: instant(9_000),
    errorCode: 'TIMEOUT',
    errorDetail: 'no answer',
  })
})

test('a retry stays in sending, is due later, and says why', () => {
  assert.deepEqual(pick(after([attempted(), deferred]), 'handoffState', 'phase', 'dueAt', 'errorCode', 'excluded'), {
    handoffState: 'sending',
    phase: 'closed',
    dueAt: instant(8_000),
    errorCode: 'BUSY',
  })
})

test('providers that blamed themselves are remembered for the cycle and forgotten with it', () => {
  const over = (name: ProviderName): Fact => ({ ...deferred, exclude: name }) as Fact
  const state = after([attempted(ONE), over(ONE), attempted(TWO), over(TWO)])
  assert.deepEqual(state.excluded, [ONE, TWO])
  assert.equal(after([resent], state).excluded, undefined)
})

test('a failed check, a rejection, too many attempts and a missed deadline each end the hand-off and say why', () => {
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

test('a missed deadline or a dead letter that comes after the hand-off does not undo it', () => {
  for (const fact of [{ kind: 'MessageExpired' } as const, dead, failed, deferred, attempted()]) {
    const state = after([attempted(), accepted('p1'), fact])
    assert.equal(toStatus(state), 'sent', fact.kind)
    assert.deepEqual(pick(state, 'dead', 'errorCode', 'phase', 'attempt'), { dead: false, phase: 'closed', attempt: 1 })
  }
})

test('the outcome of an earlier attempt does not close the newer one its owner is still making', () => {
  const open = after([attempted(), unknown, deferred, attempted()])
  for (const fact of [unknown, deferred, failed, dead]) {
    const state = fold(open, fact, { at: instant(1), cycle: 1, attempt: 1 })
    assert.deepEqual(still(state), still(open), fact.kind)
  }
  assert.equal(fold(open, accepted('p1'), { at: instant(1), cycle: 1, attempt: 1 }).handoffState, 'handed_off')
})

test('reports raise the provider state, and the last one that counts says when it was settled', () => {
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

test('a real receipt replaces timed_out, and a delivered message shows no error and is no dead letter', () => {
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

test('a resend begins a new cycle that keeps count of attempts and forgets how the last one ended', () => {
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

test('erasure is remembered and changes nothing else', () => {
  const sent = after([attempted(), accepted('p1')])
  assert.deepEqual(still(after([{ kind: 'MessageErased' }], sent)), still({ ...sent, erased: true }))
})

test('what is erased whole stays so, and what was erased in part can be erased whole', () => {
  const whole: Fact = { kind: 'MessageErased' }
  const part: Fact = { ...whole, kept: 'recipient' }
  const isKept = (...facts: Fact[]) => after(facts).recipientKept === true
  assert.deepEqual(
    [isKept(part), isKept(part, part), isKept(part, whole), isKept(whole, part)],
    [true, true, false, false],
  )
  assert.deepEqual([after([part]).erased, after([part, whole]).erased], [true, true])
})
