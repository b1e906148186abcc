import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { TenantId } from '../ids.ts'
import { type FairScheduler, fairScheduler, type Turn, toRing } from './fair-scheduler.ts'
import { LANES, type Lane } from './message.ts'

const WEIGHTS = { otp: 8, transactional: 4, bulk: 1 }
const TURNS = 13

describe('fair turns', () => {
  test('nobody goes when nobody has work', () => {
    const turns = fairScheduler(WEIGHTS)
    assert.equal(turns.next(), undefined)
    turns.add('otp', tenant('a'))
    turns.remove('otp', tenant('a'))
    assert.equal(turns.next(), undefined)
  })

  test('tenants of a lane go in a circle', () => {
    const turns = withTenants('bulk', ['a', 'b', 'c'])
    assert.deepEqual(tenantsOf(take(turns, 7)), ['a', 'b', 'c', 'a', 'b', 'c', 'a'])
  })

  test('a newcomer goes after everyone who waits already', () => {
    const turns = withTenants('bulk', ['a', 'b', 'c'])
    take(turns, 1)
    turns.add('bulk', tenant('d'))
    assert.deepEqual(tenantsOf(take(turns, 5)), ['b', 'c', 'a', 'd', 'b'])
  })

  test('who is added twice goes once', () => {
    const turns = withTenants('bulk', ['a', 'b', 'a', 'b'])
    assert.deepEqual(tenantsOf(take(turns, 4)), ['a', 'b', 'a', 'b'])
  })

  test('who leaves is skipped and the others keep their places', () => {
    const turns = withTenants('bulk', ['a', 'b', 'c', 'd'])
    take(turns, 2)
    turns.remove('bulk', tenant('b'))
    turns.remove('bulk', tenant('c'))
    turns.remove('bulk', tenant('nobody'))
    assert.deepEqual(tenantsOf(take(turns, 3)), ['d', 'a', 'd'])
  })

  test('a tenant that comes back for each single job gets no more than its share', () => {
    const turns = withTenants('bulk', ['a', 'b', 'c'])
    const seen = Array.from({ length: 12 }, () => {
      const turn = turns.next()
      if (turn?.tenantId === 'c') {
        turns.remove('bulk', turn.tenantId)
        turns.add('bulk', turn.tenantId)
      }
      return turn?.tenantId
    })
    assert.equal(seen.filter((id) => id === 'c').length, 4)
  })

  test('in any thirteen turns in a row flooded lanes go 8 to 4 to 1', () => {
    const lanes = take(flooded(), 5 * TURNS).map((turn) => turn.lane)
    for (let start = 0; start + TURNS <= lanes.length; start += 1) {
      assert.deepEqual(count(lanes.slice(start, start + TURNS)), WEIGHTS)
    }
  })

  test('the urgent lane waits for at most one turn of another', () => {
    const ring = toRing(WEIGHTS)
    for (const [at, lane] of ring.entries()) {
      assert.ok(lane === 'otp' || ring[(at + 1) % ring.length] === 'otp', `${ring}`)
    }
  })

  test('a lane without work leaves its turns to the others, by their weights', () => {
    const turns = flooded()
    turns.remove('transactional', tenant('a'))
    const lanes = take(turns, 9).map((turn) => turn.lane)
    assert.deepEqual(count(lanes), { otp: 8, transactional: 0, bulk: 1 })
  })

  test('whatever comes and goes, a tenant with work waits no longer than the others in its lane take', () => {
    const change = fc.record({
      lane: fc.constantFrom(...LANES),
      name: fc.constantFrom('a', 'b', 'c'),
      add: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 80 }), (rounds) => {
        const turns = withTenants('bulk', ['patient'])
        let waited = 0
        for (const changes of rounds) {
          for (const { lane, name, add } of changes) turns[add ? 'add' : 'remove'](lane, tenant(name))
          waited = turns.next()?.tenantId === 'patient' ? 0 : waited + 1
          assert.ok(waited < TURNS * 4)
        }
      }),
    )
  })

  test('only tenants with work go, and each of them does', () => {
    const place = fc.record({
      lane: fc.constantFrom(...LANES),
      name: fc.constantFrom('a', 'b', 'c', 'd'),
      add: fc.boolean(),
    })
    fc.assert(
      fc.property(fc.array(place, { maxLength: 40 }), (changes) => {
        const turns = fairScheduler(WEIGHTS)
        const model = new Set<string>()
        for (const { lane, name, add } of changes) {
          turns[add ? 'add' : 'remove'](lane, tenant(name))
          model[add ? 'add' : 'delete'](`${lane} ${name}`)
        }
        const seen = new Set(take(turns, TURNS * 4).map(({ lane, tenantId }) => `${lane} ${tenantId}`))
        assert.deepEqual(seen, model)
      }),
    )
  })
})

const tenant = (name: string): TenantId => name as TenantId
const tenantsOf = (turns: readonly Turn[]): string[] => turns.map((turn) => turn.tenantId)

function withTenants(lane: Lane, names: readonly string[]): FairScheduler {
  const turns = fairScheduler(WEIGHTS)
  for (const name of names) turns.add(lane, tenant(name))
  return turns
}

function flooded(): FairScheduler {
  const turns = fairScheduler(WEIGHTS)
  for (const lane of LANES) turns.add(lane, tenant('a'))
  return turns
}

const take = (turns: FairScheduler, count: number): Turn[] =>
  Array.from({ length: count }, () => turns.next()).filter((turn) => turn !== undefined)

function count(lanes: readonly Lane[]): Record<Lane, number> {
  const counts = { otp: 0, transactional: 0, bulk: 0 }
  for (const lane of lanes) counts[lane] += 1
  return counts
}
