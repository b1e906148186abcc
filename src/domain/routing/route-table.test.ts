import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instant, seconds } from '../../lib/time.ts'
import type { ProviderName, RouteId, TenantId } from '../ids.ts'
import { type RouteChange, RouteTable } from './route-table.ts'

const NORTH = 'north' as TenantId

const told = (id: string, version: number, removed = false): RouteChange => ({
  route: {
    id: id as RouteId,
    tenantId: NORTH,
    channel: 'sms',
    providers: ['one' as ProviderName],
    unknown: { wait: seconds(5), policy: 'hold' },
    own: { version, createdAt: instant(0), updatedAt: instant(version) },
  },
  removed,
})

const versionsIn = (known: RouteTable): unknown => known.of(NORTH).map(({ id, own }) => [id, own?.version])

test('whatever is told in whichever order, once all was told in order too the newest of each is known', () => {
  const changes = fc.array(fc.record({ id: fc.constantFrom('a', 'b'), removed: fc.boolean() }), { maxLength: 9 })
  const property = fc.property(changes, fc.infiniteStream(fc.nat()), (list, chance) => {
    const all = list.map(({ id, removed }, nth) => told(id, nth + 1, removed))
    const early = all.toSorted(() => (Number(chance.next().value) % 2 === 0 ? 1 : -1))
    const known = new RouteTable([])
    for (const one of early) known.apply(one, false)
    for (const one of all) known.apply(one)
    const newest = ['a', 'b'].flatMap((id) => all.findLast(({ route }) => route.id === id) ?? [])
    assert.deepEqual(
      versionsIn(known),
      newest.filter(({ removed }) => !removed).map(({ route }) => [route.id, route.own.version]),
    )
  })
  fc.assert(property, { numRuns: 200 })
})

test('a route that was removed here does not come back when its past is told late', () => {
  const known = new RouteTable([])
  known.apply(told('a', 1))
  known.apply(told('a', 3, true), false)
  known.apply(told('a', 2))
  assert.deepEqual([versionsIn(known), known.find(NORTH, 'a' as RouteId)], [[], undefined])
})
