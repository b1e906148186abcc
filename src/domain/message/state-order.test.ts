/** The order of states: under any facts in any order, with repetitions, a message never regresses. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instant } from '../../lib/time.ts'
import type { AccountId, MessageId, OperatorId, ProviderName, RouteId, TenantId, TraceId } from '../ids.ts'
import type { Fact, ProviderFact } from './events.ts'
import type { Message } from './message.ts'
import { fold, isUnresolved, type MessageState, type Moment, toFirstState } from './state.ts'
import { handoffRank, isHandoffOver, providerRank, toStatus } from './states.ts'

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

/** The given fields of a state. */
const pick = <Key extends keyof MessageState>(state: MessageState, ...keys: Key[]): Partial<MessageState> =>
  Object.fromEntries(keys.filter((key) => key in state).map((key) => [key, state[key]]))

/** The facts that are not provider reports, with every field set. */
const attempted = { kind: 'HandoffAttempted', routeId: 'r' as RouteId } as const
const deferred = { kind: 'RetryScheduled', dueAt: instant(8_000), code: 'BUSY', detail: 'later' } as const
const handoffFact = fc.constantFrom<Fact>(
  { kind: 'MessageValidated' },
  { kind: 'ValidationFailed', code: 'INVALID_PAYLOAD', detail: 'broken' },
  { ...attempted, provider: 'one' as ProviderName, owner: 'w1' },
  { ...attempted, provider: 'two' as ProviderName, owner: 'w2', operatorId: 'o' as OperatorId },
  { kind: 'HandoffAccepted', providerMessageId: 'p1', by: 'answer' },
  { kind: 'HandoffAccepted', providerMessageId: 'p2', by: 'receipt' },
  { kind: 'HandoffAccepted', by: 'person', resolvedBy: MESSAGE.accountId },
  { kind: 'HandoffUnknown', reconcileAt: instant(9_000), code: 'TIMEOUT', detail: 'no answer' },
  deferred,
  { ...deferred, exclude: 'one' as ProviderName },
  { kind: 'HandoffFailed', code: 'INVALID', detail: 'no such number' },
  { kind: 'DeadLettered', code: 'BUSY', detail: 'too often' },
  { kind: 'DeadLettered', code: 'OUTCOME_UNKNOWN', detail: 'no evidence', outcome: 'unknown' },
  { kind: 'MessageExpired' },
)
const providerFact = fc.constantFrom<ProviderFact>(
  ...(['ProviderAccepted', 'ProviderDelivered', 'ProviderBounced'] as const).map((kind) => ({ kind, reportId: 'r1' })),
  ...(['ProviderDropped', 'ProviderComplaint', 'ProviderTimedOut'] as const).map((kind) => ({
    kind,
    reportId: 'r2',
    code: 'X',
  })),
)
const otherFact = fc.constantFrom<Fact>(
  { kind: 'MessageCreated' },
  { kind: 'MessageErased' },
  { kind: 'ResendRequested', by: 'resend' },
)
const anyFact = fc.oneof(
  { weight: 5, arbitrary: handoffFact },
  { weight: 5, arbitrary: providerFact },
  { weight: 1, arbitrary: otherFact },
)

/** A fact, shifted by this many cycles and attempts from the newest when it is folded. */
type Late = Readonly<{ fact: Fact; at: number; cycles: number; attempts: number }>
const distance = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: -2, max: 1 }) },
)
const late: fc.Arbitrary<Late> = fc.record({ fact: anyFact, at: fc.nat(), cycles: distance, attempts: distance })

/** Any order, with repetitions. */
const history = fc
  .array(late, { minLength: 1, maxLength: 15 })
  .chain((facts) => fc.array(fc.constantFrom(...facts), { minLength: 1, maxLength: 40 }))

const momentOf = (state: MessageState, { at, cycles, attempts }: Late): Moment => ({
  at: instant(at),
  cycle: state.cycle + cycles,
  attempt: Math.max(0, state.attempt + attempts),
})

/** Folds a history and passes each step to `look`. */
function walk(
  history: readonly Late[],
  look: (before: MessageState, now: MessageState, fact: Fact, moment: Moment) => void,
) {
  history.reduce((before, step) => {
    const moment = momentOf(before, step)
    const now = fold(before, step.fact, moment)
    look(before, now, step.fact, moment)
    return now
  }, FIRST)
}

const always = (look: Parameters<typeof walk>[1]): void =>
  fc.assert(
    fc.property(history, (history) => walk(history, look)),
    { numRuns: 1_000 },
  )

/** An unknown failure ranks below a certain one. */
const rankOf = (state: MessageState): number => (isUnresolved(state) ? 90 : handoffRank(state.handoffState))

test('S2-CAS (cycle, hand-off rank) never decreases and equal ranks never flip, under any facts in any order', () => {
  always((before, now) => {
    assert.ok(now.cycle >= before.cycle)
    if (now.cycle > before.cycle) return
    const [from, to] = [rankOf(before), rankOf(now)]
    assert.ok(
      to > from || (to === from && now.handoffState === before.handoffState),
      `${before.handoffState} → ${now.handoffState}`,
    )
  })
})

test('S2-CAS (cycle, provider rank) never decreases and equal ranks never flip, under any facts in any order', () => {
  always((before, now) => {
    if (now.cycle > before.cycle) return
    const [from, to] = [providerRank(before.providerState), providerRank(now.providerState)]
    assert.ok(to > from || now.providerState === before.providerState, `${before.providerState} → ${now.providerState}`)
  })
})

test('S2-CAS only a resend opens a cycle, and always the next one', () => {
  always((before, now, fact) => {
    assert.equal(now.cycle, before.cycle + (fact.kind === 'ResendRequested' ? 1 : 0))
  })
})

test('S2-CAS the attempt number never decreases, also across cycles, and grows by one', () => {
  always((before, now, fact) => {
    const begun = now.attempt - before.attempt
    assert.ok(begun === 0 || (begun === 1 && fact.kind === 'HandoffAttempted'))
    assert.ok(now.attemptsBefore >= before.attemptsBefore && now.attemptsBefore <= now.attempt)
  })
})

/** A state without its update time. */
const still = (state: MessageState): MessageState => ({ ...state, updatedAt: FIRST.updatedAt })

test('S2-CAS a fact of another cycle changes neither state nor status', () => {
  always((before, now, fact, { cycle }) => {
    if (cycle === before.cycle || fact.kind === 'ResendRequested' || fact.kind === 'MessageErased') return
    assert.deepEqual(still(now), still(before))
    assert.equal(toStatus(now), toStatus(before))
  })
})

test('S2-CAS a finished hand-off changes only by a resend or when an unknown outcome becomes known', () => {
  always((before, now) => {
    if (!isHandoffOver(before.handoffState) || now.cycle > before.cycle) return
    if (isUnresolved(before) && !isUnresolved(now)) return
    const fields = ['handoffState', 'phase', 'attempt', 'providerMessageId', 'handedOffAt', 'expired', 'dueAt'] as const
    assert.deepEqual(pick(now, ...fields), pick(before, ...fields))
  })
})

test('S2-CAS only the newest attempt can fail', () => {
  always((before, now, fact, { attempt }) => {
    if (attempt >= before.attempt || now.cycle > before.cycle) return
    if (fact.kind === 'HandoffAccepted' || fact.kind === 'ProviderDelivered' || fact.kind === 'MessageErased') return
    assert.deepEqual(still(now), still(before))
  })
})

test('S2-CAS a repeated report changes nothing', () => {
  fc.assert(
    fc.property(history, providerFact, (history, fact) => {
      let state = FIRST
      walk(history, (_, now) => (state = now))
      const moment = { at: instant(1), cycle: state.cycle, attempt: state.attempt }
      const once = fold(state, fact, moment)
      assert.deepEqual(fold(once, fact, moment), once)
    }),
  )
})

test('S2-CAS the fields a message was created with never change', () => {
  always((_, now) => assert.deepEqual(pick(now, ...(Object.keys(MESSAGE) as (keyof Message)[])), MESSAGE))
})

test('every fact sets the update time, even one that changes nothing else', () => {
  always((_, now, __, { at }) => assert.equal(now.updatedAt, at))
})
