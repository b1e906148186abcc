import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../test/support/until.ts'
import { type Count, combined } from '../domain/limits/combined-tallies.ts'
import { type Counter, NOTHING, usedOf } from '../domain/limits/limits.ts'
import { someCounter } from '../ports/limiter.contract.ts'
import { NOON } from '../ports/samples.contract.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { WriteBehind } from './write-behind.ts'

/** A PostgreSQL that can be away, and what Redis is told. */
function openBehind(most = 100) {
  const world = {
    isAway: false,
    writes: 0,
    onWrite: undefined as (() => void) | undefined,
    raised: [] as Count[],
    faults: [] as unknown[],
  }
  const kept = new Map<Counter, Count>()
  const behind = new WriteBehind({
    clock: () => NOON,
    everyMs: 5,
    most,
    async add(changes) {
      if (world.isAway) throw new Unavailable('away')
      world.writes += 1
      world.onWrite?.()
      return changes.map(({ counter, tally }) => {
        const count = { counter, tally: combined(counter.rule, kept.get(counter)?.tally ?? NOTHING, tally) }
        kept.set(counter, count)
        return count
      })
    },
    raise: async (counts) => void world.raised.push(...counts),
    async read(counters) {
      if (world.isAway) throw new Unavailable('away')
      return counters.map((counter) => kept.get(counter) ?? { counter, tally: NOTHING })
    },
    onFault: (error) => world.faults.push(error),
  })
  const usedBy = (counter: Counter): number => usedOf(kept.get(counter)?.tally ?? NOTHING)
  return { behind, world, kept, usedBy, [Symbol.asyncDispose]: () => behind[Symbol.asyncDispose]() }
}

test('many decisions on one counter are one write, without being asked for', async () => {
  await using opened = openBehind()
  const counter = someCounter()
  for (let nth = 1; nth <= 50; nth += 1) opened.behind.note(counter, NOON, 1, nth)
  await until('it to be written', () => opened.usedBy(counter) === 50)
  assert.deepEqual([opened.world.writes, opened.world.raised], [1, []])
})

test('what is given back before it was written is not written at all', async () => {
  await using opened = openBehind()
  const counter = someCounter()
  opened.behind.note(counter, NOON, 1, 1)
  opened.behind.note(counter, NOON, -1, 0)
  await opened.behind.flush()
  assert.equal(opened.world.writes, 0)
})

test('what cannot be written is kept and said once, counts here meanwhile, and is written when it can be', async () => {
  await using opened = openBehind()
  const { behind, world, usedBy } = opened
  const counter = someCounter()
  world.isAway = true
  behind.note(counter, NOON, 1, 1)
  await assert.rejects(behind.flush(), Unavailable)
  await until('it to be said', () => world.faults.length > 0)
  behind.note(counter, NOON, 1, 2)
  assert.deepEqual(await behind.load([counter]), [{ counter, tally: [[NOON, 2]] }])
  world.isAway = false
  await until('it to be written', () => usedBy(counter) === 2)
  assert.equal(world.faults.length, 1)
})

test('what is noted while something is written is left for the next time, and both are written', async () => {
  await using opened = openBehind()
  const { behind, world, usedBy } = opened
  const counter = someCounter()
  world.onWrite = () => behind.note(counter, NOON, 1, 1)
  behind.note(counter, NOON, 1, 1)
  await behind.flush()
  assert.deepEqual([world.writes, usedBy(counter)], [1, 1])
  world.onWrite = undefined
  await until('the rest to be written', () => usedBy(counter) === 2)
})

test('what is taken back from what was written before is written too', async () => {
  await using opened = openBehind()
  const { behind, usedBy } = opened
  const counter = someCounter()
  for (const seen of [1, 2]) behind.note(counter, NOON, 1, seen)
  await behind.flush()
  behind.note(counter, NOON, -1, 1)
  await behind.flush()
  assert.equal(usedBy(counter), 1)
})

test('of more counters than can be kept the oldest are given up', async () => {
  await using opened = openBehind(3)
  const counters = Array.from({ length: 5 }, () => someCounter())
  opened.world.isAway = true
  for (const counter of counters) opened.behind.note(counter, NOON, 1, 1)
  opened.world.isAway = false
  await opened.behind.flush()
  assert.deepEqual(counters.map(opened.usedBy), [0, 0, 1, 1, 1])
})

test('Redis is told where more was counted than it knew, and not otherwise', async () => {
  await using opened = openBehind()
  const { behind, world, kept } = opened
  const [same, more] = [someCounter(), someCounter()]
  kept.set(more, { counter: more, tally: [[NOON, 4]] })
  for (const counter of [same, more]) behind.note(counter, NOON, 1, 1)
  await behind.flush()
  assert.deepEqual(world.raised, [{ counter: more, tally: [[NOON, 5]] }])
})

test('what is still there at the end is written', async () => {
  const opened = openBehind()
  const counter = someCounter()
  opened.behind.note(counter, NOON, 1, 1)
  await opened[Symbol.asyncDispose]()
  assert.equal(opened.usedBy(counter), 1)
})
