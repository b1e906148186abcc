import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { runs } from '../support/runs.ts'
import { type Result, toReport } from './schedule.ts'
import type { Property } from './simulation.ts'
import { ENDINGS, FAULTS, total } from './tally.ts'
import { runInThread } from './thread.ts'

/** `npm run crash` runs more. */
const SCHEDULES = runs(400, 1_000)
const PLAYED_AGAIN = 30
let results: readonly Result[] = []

before(async () => {
  results = await runInThread(SCHEDULES)
})

function hold(property: Property): void {
  assert.equal(results.length, SCHEDULES)
  const failed = results.filter(({ violations }) => violations.some((violation) => violation.property === property))
  assert.equal(failed.length, 0, failed.slice(0, 5).map(toReport).join('\n'))
}

test('S2-CRASH a crash between any two steps loses nothing and doubles nothing', () => hold('S2-CRASH'))

test('S2-REPLAY the index made again from the log equals the index, whatever crashed while it was made', () =>
  hold('S2-REPLAY'))

test('every kind of fault was met, and every ending', () => {
  const counts = results.map((result) => result.counts)
  const missing = [...FAULTS, ...ENDINGS].filter((kind) => total(counts, kind) === 0)
  assert.deepEqual(missing, [])
})

test('a seed plays the same schedule again, to the last step', async () => {
  assert.deepEqual(await runInThread(PLAYED_AGAIN), results.slice(0, PLAYED_AGAIN))
  assert.equal(new Set(results.map(({ digest }) => digest)).size, SCHEDULES)
})
