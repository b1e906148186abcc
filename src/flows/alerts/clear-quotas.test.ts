import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { DEFAULT_QUOTAS } from '../../domain/access/quotas.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import type { MessageUsage } from '../../ports/usage.ts'
import { openAlertWorld, TENANT } from './alerts.fixture.ts'
import { clearQuotas } from './clear-quotas.ts'
import { raiseAlert } from './raise.ts'

/** Which alerts of the tenant are left once it uses that, of a quota of 100 waiting messages. */
async function leftWith(usage: MessageUsage): Promise<readonly string[]> {
  const { deps, clock, turns } = openAlertWorld({ openEngine: openMemoryEngine, ids: openIds() })
  const use = { tenantId: TENANT, quota: 'waitingMessages', limit: 100, used: 100 } as const
  for (const kind of ['quota.warning', 'quota.exceeded'] as const) await raiseAlert(deps, { kind, ...use }, clock())
  const measure = async () => new Map([[TENANT, usage]])
  await clearQuotas({ ...deps, usage: { measure }, quotasOf: () => ({ ...DEFAULT_QUOTAS, waitingMessages: 100 }) })
  assert.equal(turns.length, 2, 'the end is not told')
  const kinds = ['quota.warning', 'quota.exceeded'] as const
  const lists = await Promise.all(kinds.map((kind) => deps.raisedAlerts.list(kind)))
  return kinds.filter((_, nth) => (lists[nth]?.size ?? 0) > 0)
}

test('the alerts of a quota end, untold, once clearly less is used', async () => {
  assert.deepEqual(await leftWith({ waiting: 70 }), ['quota.warning', 'quota.exceeded'])
  assert.deepEqual(await leftWith({ waiting: 69 }), [])
})

test('while nothing can be measured, they stay', async () => {
  assert.deepEqual(await leftWith({ storedBytes: 0 }), ['quota.warning', 'quota.exceeded'])
})
