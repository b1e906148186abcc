import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { instant, seconds } from '../../lib/time.ts'
import type { ProviderName, RouteId, TenantId } from '../ids.ts'
import { type RouteChange, RouteTable } from './route-table.ts'

const NORTH = 'north' as TenantId

const changeOf = (id: string, version: number, removed = false): RouteChange => ({
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

const versionsIn = (table: RouteTable): unknown => table.of(NORTH).map(({ id, own }) => [id, own?.version])

test('holds the newest version of each route after out-of-order and in-order changes', () => {
  const changes = fc.array(fc.record({ id: fc.constantFrom('a', 'b'), removed: fc.boolean() }), { maxLength: 9 })
  const property = fc.property(changes, fc.infiniteStream(fc.nat()), (list, chance) => {
    const all = list.map(({ id, removed }, nth) => changeOf(id, nth + 1, removed))
    const early = all.toSorted(() => (Number(chance.next().value) % 2 === 0 ? 1 : -1))
    const table = new RouteTable([])
    for (const one of early) table.apply(one, false)
    for (const one of all) table.apply(one)
    const newest = ['a', 'b'].flatMap((id) => all.findLast(({ route }) => route.id === id) ?? [])
    assert.deepEqual(
      versionsIn(table),
      newest.filter(({ removed }) => !removed).map(({ route }) => [route.id, route.own.version]),
    )
  })
  fc.assert(property, { numRuns: 200 })
})

test('a removed route does not come back with an older change', () => {
  const table = new RouteTable([])
  table.apply(changeOf('a', 1))
  table.apply(changeOf('a', 3, true), false)
  table.apply(changeOf('a', 2))
  assert.deepEqual([versionsIn(table), table.find(NORTH, 'a' as RouteId)], [[], undefined])
})
