import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../test/support/until.ts'
import { type Count, combined } from '../domain/limits/combined-tallies.ts'
import { type Counter, NOTHING, usedOf } from '../domain/limits/limits.ts'
import { someCounter } from '../ports/limiter-samples.contract.ts'
import { NOON } from '../ports/samples.contract.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { WriteBehind } from './write-behind.ts'

/** A fake PostgreSQL that can be unreachable, and what is raised in Redis. */
function openBehind(capacity = 100) {
  const world = {
    isDown: false,
    writes: 0,
    onWrite: undefined as (() => void) | undefined,
    raised: [] as Count[],
    faults: [] as unknown[],
  }
  const stored = new Map<Counter, Count>()
  const behind = new WriteBehind({
    clock: () => NOON,
    everyMs: 5,
    capacity,
    async add(changes) {
      if (world.isDown) throw new Unavailable('down')
      world.writes += 1
      world.onWrite?.()
      return changes.map(({ counter, tally }) => {
        const count = { counter, tally: combined(counter.rule, stored.get(counter)?.tally ?? NOTHING, tally) }
        stored.set(counter, count)
        return count
      })
    },
    raise: async (counts) => void world.raised.push(...counts),
    async read(counters) {
      if (world.isDown) throw new Unavailable('down')
      return counters.map((counter) => stored.get(counter) ?? { counter, tally: NOTHING })
    },
    onFault: (error) => world.faults.push(error),
  })
  const usedBy = (counter: Counter): number => usedOf(stored.get(counter)?.tally ?? NOTHING)
  return { behind, world, stored, usedBy, [Symbol.asyncDispose]: () => behind[Symbol.asyncDispose]() }
}

test('writes many decisions on one counter at once, on a timer', async () => {
  await using opened = openBehind()
  const counter = someCounter()
  for (let nth = 1; nth <= 50; nth += 1) opened.behind.note(counter, NOON, 1, nth)
  await until('the write', () => opened.usedBy(counter) === 50)
  assert.deepEqual([opened.world.writes, opened.world.raised], [1, []])
})

test('does not write what was taken back before it was written', async () => {
  await using opened = openBehind()
  const counter = someCounter()
  opened.behind.note(counter, NOON, 1, 1)
  opened.behind.note(counter, NOON, -1, 0)
  await opened.behind.flush()
  assert.equal(opened.world.writes, 0)
})

test('keeps what cannot be written, reports the outage once, and writes it when PostgreSQL is back', async () => {
  await using opened = openBehind()
  const { behind, world, usedBy } = opened
  const counter = someCounter()
  world.isDown = true
  behind.note(counter, NOON, 1, 1)
  await assert.rejects(behind.flush(), Unavailable)
  await until('the outage to be reported', () => world.faults.length > 0)
  behind.note(counter, NOON, 1, 2)
  assert.deepEqual(await behind.load([counter]), [{ counter, tally: [[NOON, 2]] }])
  world.isDown = false
  await until('the write', () => usedBy(counter) === 2)
  assert.equal(world.faults.length, 1)
})

test('leaves what is recorded during a write to the next write', async () => {
  await using opened = openBehind()
  const { behind, world, usedBy } = opened
  const counter = someCounter()
  world.onWrite = () => behind.note(counter, NOON, 1, 1)
  behind.note(counter, NOON, 1, 1)
  await behind.flush()
  assert.deepEqual([world.writes, usedBy(counter)], [1, 1])
  world.onWrite = undefined
  await until('the next write', () => usedBy(counter) === 2)
})

test('writes what is taken back after it was written', async () => {
  await using opened = openBehind()
  const { behind, usedBy } = opened
  const counter = someCounter()
  for (const seen of [1, 2]) behind.note(counter, NOON, 1, seen)
  await behind.flush()
  behind.note(counter, NOON, -1, 1)
  await behind.flush()
  assert.equal(usedBy(counter), 1)
})

test('drops the oldest counters beyond its capacity', async () => {
  await using opened = openBehind(3)
  const counters = Array.from({ length: 5 }, () => someCounter())
  opened.world.isDown = true
  for (const counter of counters) opened.behind.note(counter, NOON, 1, 1)
  opened.world.isDown = false
  await opened.behind.flush()
  assert.deepEqual(counters.map(opened.usedBy), [0, 0, 1, 1, 1])
})

test('raises a counter in Redis only if PostgreSQL has counted more', async () => {
  await using opened = openBehind()
  const { behind, world, stored } = opened
  const [same, more] = [someCounter(), someCounter()]
  stored.set(more, { counter: more, tally: [[NOON, 4]] })
  for (const counter of [same, more]) behind.note(counter, NOON, 1, 1)
  await behind.flush()
  assert.deepEqual(world.raised, [{ counter: more, tally: [[NOON, 5]] }])
})

test('writes what is pending when it is closed', async () => {
  const opened = openBehind()
  const counter = someCounter()
  opened.behind.note(counter, NOON, 1, 1)
  await opened[Symbol.asyncDispose]()
  assert.equal(opened.usedBy(counter), 1)
})
