import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Instant, instant, seconds } from '../../lib/time.ts'
import type { TenantId } from '../ids.ts'
import { LimitTable } from './limit-table.ts'
import { type Counter, EACH, type LimitOwner, type LimitScope, type Rule } from './limits.ts'

const RULE: Rule = { limit: 3, window: seconds(60), algorithm: 'fixed' }
type Limit = Counter & Readonly<{ scope: LimitScope; updatedAt: Instant; setBy: LimitOwner }>
const SET = { rule: RULE, updatedAt: instant(7), setBy: 'tenant' } as const

const name = fc.record({
  tenantId: fc.constantFrom('north', 'south').map((tenant) => tenant as TenantId),
  scope: fc.constantFrom<LimitScope>('account', 'user'),
  key: fc.constantFrom(EACH, 'one', 'two'),
})

test('holds what was set last and not removed since', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ name, isRemoved: fc.boolean() }), { maxLength: 40 }), (steps) => {
      const table = new LimitTable<Limit>()
      const plain = new Map<string, Limit>()
      for (const [version, { name: one, isRemoved }] of steps.entries()) {
        const text = JSON.stringify(one)
        if (isRemoved) assert.equal(table.remove(one), plain.delete(text))
        else table.set({ ...one, ...SET, version })
        if (!isRemoved) plain.set(text, { ...one, ...SET, version })
        assert.deepEqual(table.find(one), plain.get(text))
      }
      for (const tenantId of ['north', 'south'] as TenantId[]) {
        const own = [...plain.values()].filter((limit) => limit.tenantId === tenantId)
        assert.deepEqual(new Set(table.of(tenantId)), new Set(own))
        assert.deepEqual(table.scopes(tenantId), new Set(own.map(({ scope }) => scope)))
      }
    }),
    { numRuns: 200 },
  )
})

test('no tenant rule applies to one-time codes', () => {
  const table = new LimitTable<Limit>()
  const tenantId = 'north' as TenantId
  table.set({ tenantId, scope: 'recipient', key: EACH, ...SET, version: 1 })
  assert.deepEqual(table.counters([{ tenantId, scope: 'otp', key: 'somebody' }]), [])
})
