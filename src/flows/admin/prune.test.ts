import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { projectAll } from '../../../test/support/project.ts'
import { later, type Millis, millis, seconds } from '../../lib/time.ts'
import { daysAgo, KEPT_30, NORTH } from '../../ports/retention-samples.contract.ts'
import {
  ACCEPTED,
  ATTEMPTED,
  append,
  createdEntry,
  delivered,
  NOON,
  nextEntry,
  someMessage,
  stopped,
} from '../../ports/samples.contract.ts'
import { type PruneDeps, prune } from './prune.ts'

const forever = new AbortController().signal

/** A store with so many messages to delete, that takes some time for each batch. */
function storeOf(stored: number, took: Millis, more: Partial<PruneDeps> = {}) {
  const asked: number[] = []
  const rests: number[] = []
  const counts: number[] = []
  let now = NOON
  let left = stored
  const deps: PruneDeps = {
    policy: KEPT_30,
    clock: () => now,
    retention: {
      async prune(_policy, at, limit) {
        asked.push(at)
        now = later(now, took)
        const count = Math.min(limit, left)
        left -= count
        return count
      },
    },
    async rest(pause) {
      rests.push(pause)
      now = later(now, pause)
    },
    onPruned: (count) => counts.push(count),
    ...more,
  }
  return { deps, asked, rests, counts, left: () => left }
}

test('deletes batch by batch until none is left, and rests after each', async () => {
  const { deps, rests, counts } = storeOf(1_234, millis(20))
  assert.equal(await prune(deps, forever), 1_234)
  assert.deepEqual(counts, [500, 500, 234])
  assert.deepEqual(rests, [20, 20])
})

test('asks once if there is nothing to delete', async () => {
  const { deps, asked, rests } = storeOf(0, millis(20))
  assert.equal(await prune(deps, forever), 0)
  assert.deepEqual([asked.length, rests], [1, []])
})

test('a round ends after 50 minutes, whatever is left', async () => {
  const { deps, asked, left } = storeOf(1e9, seconds(60))
  assert.equal(await prune(deps, forever), 26 * 500)
  assert.equal(left(), 1e9 - 26 * 500)
  assert.ok(Math.max(...asked) - NOON <= 50 * 60_000)
})

test('ends between two batches when the process stops', async () => {
  const stop = new AbortController()
  const { deps, counts } = storeOf(1e9, millis(1), { rest: async () => stop.abort() })
  assert.equal(await prune(deps, stop.signal), 500)
  assert.deepEqual(counts, [500])
})

test('deletes what the policy no longer keeps', async () => {
  const engine = openMemoryEngine({ clock: stopped })
  for (const age of [1, 29, 31, 99]) {
    let seen = await append(engine.log, createdEntry(someMessage({ createdAt: daysAgo(age) })))
    for (const fact of [ATTEMPTED, ACCEPTED, delivered()]) seen = await append(engine.log, nextEntry(seen, fact))
  }
  await projectAll(engine)
  const { deps } = storeOf(0, millis(0), { retention: engine.retention })
  assert.equal(await prune(deps, forever), 2)
  const { rows } = await engine.index.search({ tenantId: NORTH, filter: {}, limit: 9 })
  assert.deepEqual(
    rows.map(({ state }) => state.createdAt),
    [daysAgo(1), daysAgo(29)],
  )
})
