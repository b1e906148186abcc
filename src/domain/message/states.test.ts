import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  HANDOFF_STATES,
  type HandoffState,
  handoffRank,
  isHandoffOver,
  isProviderOver,
  PROVIDER_STATES,
  type ProviderState,
  providerRank,
  STATUSES,
  type Status,
  toStatus,
} from './states.ts'

test('the ranks are as specified', () => {
  const handoff = { queued: 10, sending: 20, handed_off: 100, failed: 100 }
  const provider = {
    unknown: 0,
    accepted: 10,
    timed_out: 90,
    delivered: 100,
    dropped: 100,
    bounced: 110,
    complaint: 120,
  }
  assert.deepEqual(Object.fromEntries(HANDOFF_STATES.map((state) => [state, handoffRank(state)])), handoff)
  assert.deepEqual(Object.fromEntries(PROVIDER_STATES.map((state) => [state, providerRank(state)])), provider)
})

test('a hand-off is over when it is handed off or failed', () => {
  assert.deepEqual(HANDOFF_STATES.filter(isHandoffOver), ['handed_off', 'failed'])
})

test('a provider state is over when it is final or timed out', () => {
  const over = ['timed_out', 'delivered', 'dropped', 'bounced', 'complaint']
  assert.deepEqual(PROVIDER_STATES.filter(isProviderOver), over)
})

/** Per hand-off state: the status for each provider state, before and after expiry. */
const PROVIDER_ORDER = ['unknown', 'accepted', 'timed_out', 'delivered', 'dropped', 'bounced', 'complaint'] as const
const final = ['expired', 'delivered', 'failed', 'failed', 'failed'] as const
const TABLE: Readonly<Record<HandoffState, readonly Status[]>> = {
  queued: ['queued', 'queued', ...final],
  sending: ['sending', 'sending', ...final],
  handed_off: ['sent', 'sent', ...final],
  failed: ['failed', 'failed', ...final],
}
const TABLE_EXPIRED: readonly Status[] = ['expired', 'expired', ...final]

for (const handoffState of HANDOFF_STATES) {
  test(`the status of a ${handoffState} message follows from its provider state`, () => {
    const statuses = (expired: boolean): Status[] =>
      PROVIDER_ORDER.map((providerState) => toStatus({ handoffState, providerState, expired }))
    assert.deepEqual(statuses(false), TABLE[handoffState])
    assert.deepEqual(statuses(true), TABLE_EXPIRED)
  })
}

test('every status occurs, and no other', () => {
  const all = HANDOFF_STATES.flatMap((handoffState) =>
    PROVIDER_STATES.flatMap((providerState: ProviderState) =>
      [true, false].map((expired) => toStatus({ handoffState, providerState, expired })),
    ),
  )
  assert.equal(all.length, 56)
  assert.deepEqual([...new Set(all)].toSorted(), [...STATUSES].toSorted())
})
