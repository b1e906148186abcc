import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TenantId } from '../domain/ids.ts'
import { erasureFactsOf } from './erasure-facts.ts'

const DEFAULTS = { profile: 'embedded', logDays: 0, retentionDays: 0, retentionRules: [] } as const
const ACME = 'acme' as TenantId

/** Until when the receipt says that states remain. */
function untilOf(settings: Partial<Parameters<typeof erasureFactsOf>[0]>): string {
  const { remains } = erasureFactsOf({ ...DEFAULTS, ...settings })
  return remains.find(({ what }) => what.startsWith('Ids, states'))?.until ?? ''
}

const UNBOUNDED =
  'Until the messages are deleted, if a retention is set for this tenant or channel; otherwise as long as the gateway is operated.'

test('a receipt says how long the states of erased messages remain', () => {
  assert.equal(untilOf({}), UNBOUNDED)
  assert.equal(untilOf({ profile: 'cluster' }), UNBOUNDED)
  assert.equal(untilOf({ profile: 'cluster', logDays: 30 }), `${UNBOUNDED} In the log for at most 30 days.`)
  assert.equal(untilOf({ logDays: 30 }), untilOf({}), 'the embedded profile has no such limit')
})

test('a receipt says when the messages will be deleted', () => {
  const rules = [{ tenantId: ACME, days: 365 }]
  assert.match(untilOf({ retentionDays: 90 }), /^Until the messages are deleted: at the latest 90 days after /)
  assert.match(untilOf({ retentionDays: 90, retentionRules: rules }), / 365 days after /)
  assert.match(untilOf({ profile: 'cluster', logDays: 7, retentionDays: 90 }), / 90 days after .* at most 7 days\.$/)
})

test('a receipt names no rules for other tenants', () => {
  const until = untilOf({ retentionRules: [{ tenantId: ACME, days: 365 }] })
  assert.match(until, /^Until the messages are deleted, if a retention is set .* otherwise as long as/)
  assert.doesNotMatch(until, /acme|365/)
})
