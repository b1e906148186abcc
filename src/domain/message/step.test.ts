import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant, seconds } from '../../lib/time.ts'
import type { AccountId, MessageId, TenantId, TraceId } from '../ids.ts'
import { type MessageState, toFirstState } from './state.ts'
import { isExpired, nextStep, type Step, type Worker } from './step.ts'

const NOW = instant(100_000)
const PAST = instant(99_999)
const FUTURE = instant(100_001)

const FIRST: MessageState = toFirstState({
  id: '018f4f5e-7c1a-7abc-9def-0123456789ab' as MessageId,
  tenantId: 'acme' as TenantId,
  accountId: 'shop' as AccountId,
  channel: 'sms',
  kind: 'sms',
  lane: 'otp',
  segments: 1,
  encoding: 'gsm7',
  createdAt: PAST,
  traceId: '0af7651916cd43dd8448eb211c80319c' as TraceId,
})

const WORKER: Worker = { owner: 'me', lease: seconds(30), alone: false }
const ALONE: Worker = { ...WORKER, alone: true }
const LEASE_START = instant(NOW - 30_000)

const sending = { handoffState: 'sending', attempt: 1 } as const
const open = (owner: string, attemptedAt: number): Partial<MessageState> => ({
  ...sending,
  phase: 'open',
  owner,
  attemptedAt: instant(attemptedAt),
})
const unknown: Partial<MessageState> = { ...sending, phase: 'unknown' }
const closed: Partial<MessageState> = { ...sending, phase: 'closed' }
const wait = (until: number): Step => ({ kind: 'wait', until: instant(until) })

const TABLE: readonly (readonly [string, Partial<MessageState>, Worker, Step])[] = [
  ['a message due now is attempted', { dueAt: NOW }, WORKER, { kind: 'attempt' }],
  ['a message due before now is attempted', { dueAt: PAST }, WORKER, { kind: 'attempt' }],
  ['a message due later waits', { dueAt: FUTURE }, WORKER, wait(FUTURE)],
  ['a message created for later waits', { handoffState: 'queued', dueAt: FUTURE }, WORKER, wait(FUTURE)],
  ['a message created for now is attempted', { handoffState: 'queued', dueAt: NOW }, WORKER, { kind: 'attempt' }],
  ['a retry that is due is attempted', { ...closed, dueAt: NOW }, WORKER, { kind: 'attempt' }],
  ['a retry not yet due waits', { ...closed, dueAt: FUTURE }, WORKER, wait(FUTURE)],
  ['a message that expires now expires', { expiresAt: NOW, dueAt: NOW }, WORKER, { kind: 'expire' }],
  ['a message that expires later is attempted', { expiresAt: FUTURE }, WORKER, { kind: 'attempt' }],
  [
    'a message expires before its retry is due',
    { ...closed, expiresAt: PAST, dueAt: FUTURE },
    WORKER,
    { kind: 'expire' },
  ],
  ['an unknown outcome is reconciled when due', { ...unknown, dueAt: NOW }, WORKER, { kind: 'reconcile' }],
  ['an unknown outcome waits until due', { ...unknown, dueAt: FUTURE }, WORKER, wait(FUTURE)],
  ['an unknown outcome does not expire', { ...unknown, dueAt: NOW, expiresAt: PAST }, WORKER, { kind: 'reconcile' }],
  ['an own open attempt waits for its lease', open('me', PAST), WORKER, wait(PAST + 30_000)],
  ['an own open attempt waits for its lease, even when alone', open('me', PAST), ALONE, wait(PAST + 30_000)],
  ["another worker's open attempt waits for its lease", open('you', PAST), WORKER, wait(PAST + 30_000)],
  [
    "another worker's open attempt becomes unknown at the end of its lease",
    open('you', LEASE_START),
    WORKER,
    { kind: 'unknown' },
  ],
  ['an own open attempt becomes unknown at the end of its lease', open('me', LEASE_START), WORKER, { kind: 'unknown' }],
  [
    "another worker's open attempt becomes unknown at once when this process is alone",
    open('you', PAST),
    ALONE,
    { kind: 'unknown' },
  ],
  ['an open attempt does not expire', { ...open('me', PAST), expiresAt: PAST }, WORKER, wait(PAST + 30_000)],
  ['a handed-off message is done', { handoffState: 'handed_off', phase: 'closed' }, WORKER, { kind: 'done' }],
  ['a failed message is done', { handoffState: 'failed', phase: 'closed', expiresAt: PAST }, WORKER, { kind: 'done' }],
  [
    'a delivered message is done, even with an open attempt',
    { ...open('you', 0), providerState: 'delivered' },
    WORKER,
    { kind: 'done' },
  ],
  [
    'a delivered message is done, even with an unknown outcome',
    { ...unknown, providerState: 'delivered' },
    WORKER,
    { kind: 'done' },
  ],
  ['other reports do not stop a message from being sent', { providerState: 'dropped' }, WORKER, { kind: 'attempt' }],
]

for (const [name, change, worker, expected] of TABLE) {
  test(name, () => assert.deepEqual(nextStep({ ...FIRST, ...change }, worker, NOW), expected))
}

test('a message without a due time is due', () => {
  const { dueAt: _, ...state } = FIRST
  assert.deepEqual(nextStep(state, WORKER, NOW), { kind: 'attempt' })
})

test('the lease of an attempt without a start time runs from the last update', () => {
  const state: MessageState = { ...FIRST, ...sending, phase: 'open', owner: 'you', updatedAt: instant(90_000) }
  assert.deepEqual(nextStep(state, WORKER, NOW), wait(120_000))
})

test('a message expires at its deadline, and never without one', () => {
  assert.equal(isExpired(FIRST, instant(Number.MAX_SAFE_INTEGER)), false)
  assert.equal(isExpired({ ...FIRST, expiresAt: FUTURE }, NOW), false)
  assert.equal(isExpired({ ...FIRST, expiresAt: NOW }, NOW), true)
})
