import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { TenantId } from '../ids.ts'
import { type FairScheduler, fairScheduler, type Turn, toRing } from './fair-scheduler.ts'
import { LANES, type Lane } from './message.ts'

const WEIGHTS = { otp: 8, transactional: 4, bulk: 1 }
const TURNS = 13

describe('fair scheduler', () => {
  test('returns undefined when there is no work', () => {
    const scheduler = fairScheduler(WEIGHTS)
    assert.equal(scheduler.next(), undefined)
    scheduler.add('otp', tenant('a'))
    scheduler.remove('otp', tenant('a'))
    assert.equal(scheduler.next(), undefined)
  })

  test('serves the tenants of a lane round robin', () => {
    const scheduler = withTenants('bulk', ['a', 'b', 'c'])
    assert.deepEqual(tenantsOf(take(scheduler, 7)), ['a', 'b', 'c', 'a', 'b', 'c', 'a'])
  })

  test('a new tenant is served after all waiting tenants', () => {
    const scheduler = withTenants('bulk', ['a', 'b', 'c'])
    take(scheduler, 1)
    scheduler.add('bulk', tenant('d'))
    assert.deepEqual(tenantsOf(take(scheduler, 5)), ['b', 'c', 'a', 'd', 'b'])
  })

  test('adding a tenant twice has no effect', () => {
    const scheduler = withTenants('bulk', ['a', 'b', 'a', 'b'])
    assert.deepEqual(tenantsOf(take(scheduler, 4)), ['a', 'b', 'a', 'b'])
  })

  test('a removed tenant is skipped, and the others keep their order', () => {
    const scheduler = withTenants('bulk', ['a', 'b', 'c', 'd'])
    take(scheduler, 2)
    scheduler.remove('bulk', tenant('b'))
    scheduler.remove('bulk', tenant('c'))
    scheduler.remove('bulk', tenant('nobody'))
    assert.deepEqual(tenantsOf(take(scheduler, 3)), ['d', 'a', 'd'])
  })

  test('a tenant that is re-added for every job gets no more than its share', () => {
    const scheduler = withTenants('bulk', ['a', 'b', 'c'])
    const seen = Array.from({ length: 12 }, () => {
      const turn = scheduler.next()
      if (turn?.tenantId === 'c') {
        scheduler.remove('bulk', turn.tenantId)
        scheduler.add('bulk', turn.tenantId)
      }
      return turn?.tenantId
    })
    assert.equal(seen.filter((id) => id === 'c').length, 4)
  })

  test('any thirteen consecutive turns of busy lanes are shared 8 to 4 to 1', () => {
    const lanes = take(flooded(), 5 * TURNS).map((turn) => turn.lane)
    for (let start = 0; start + TURNS <= lanes.length; start += 1) {
      assert.deepEqual(count(lanes.slice(start, start + TURNS)), WEIGHTS)
    }
  })

  test('the otp lane waits for at most one turn of another lane', () => {
    const ring = toRing(WEIGHTS)
    for (const [at, lane] of ring.entries()) {
      assert.ok(lane === 'otp' || ring[(at + 1) % ring.length] === 'otp', `${ring}`)
    }
  })

  test('the turns of an idle lane go to the others by weight', () => {
    const scheduler = flooded()
    scheduler.remove('transactional', tenant('a'))
    const lanes = take(scheduler, 9).map((turn) => turn.lane)
    assert.deepEqual(count(lanes), { otp: 8, transactional: 0, bulk: 1 })
  })

  test('a tenant with work never waits longer than one round of its lane, under any changes', () => {
    const change = fc.record({
      lane: fc.constantFrom(...LANES),
      name: fc.constantFrom('a', 'b', 'c'),
      add: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 80 }), (rounds) => {
        const scheduler = withTenants('bulk', ['patient'])
        let waited = 0
        for (const changes of rounds) {
          for (const { lane, name, add } of changes) scheduler[add ? 'add' : 'remove'](lane, tenant(name))
          waited = scheduler.next()?.tenantId === 'patient' ? 0 : waited + 1
          assert.ok(waited < TURNS * 4)
        }
      }),
    )
  })

  test('serves all tenants with work and no others', () => {
    const change = fc.record({
      lane: fc.constantFrom(...LANES),
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      add: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40 }), (changes) => {
        const scheduler = fairScheduler(WEIGHTS)
        const model = new Set<string>()
        for (const { lane, name, add } of changes) {
          scheduler[add ? 'add' : 'remove'](lane, tenant(name))
          model[add ? 'add' : 'delete'](`${lane} ${name}`)
        }
        const seen = new Set(take(scheduler, TURNS * 4).map(({ lane, tenantId }) => `${lane} ${tenantId}`))
        assert.deepEqual(seen, model)
      }),
    )
  })
})

const tenant = (name: string): TenantId => name as TenantId
const tenantsOf = (turns: readonly Turn[]): string[] => turns.map((turn) => turn.tenantId)

function withTenants(lane: Lane, names: readonly string[]): FairScheduler {
  const scheduler = fairScheduler(WEIGHTS)
  for (const name of names) scheduler.add(lane, tenant(name))
  return scheduler
}

function flooded(): FairScheduler {
  const scheduler = fairScheduler(WEIGHTS)
  for (const lane of LANES) scheduler.add(lane, tenant('a'))
  return scheduler
}

const take = (scheduler: FairScheduler, count: number): Turn[] =>
  Array.from({ length: count }, () => scheduler.next()).filter((turn) => turn !== undefined)

function count(lanes: readonly Lane[]): Record<Lane, number> {
  const counts = { otp: 0, transactional: 0, bulk: 0 }
  for (const lane of lanes) counts[lane] += 1
  return counts
}
