import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { runs } from '../support/runs.ts'
import { ENDINGS, FAULTS, total } from './counters.ts'
import { type Result, toReport } from './schedule.ts'
import type { Property } from './simulation.ts'
import { runInThread } from './thread.ts'

/** `npm run crash` runs more. */
const SCHEDULES = runs(400, 1_000)
const REPLAYED = 30
let results: readonly Result[] = []

before(async () => {
  results = await runInThread(SCHEDULES)
})

function assertHolds(property: Property): void {
  assert.equal(results.length, SCHEDULES)
  const failed = results.filter(({ violations }) => violations.some((violation) => violation.property === property))
  assert.equal(failed.length, 0, failed.slice(0, 5).map(toReport).join('\n'))
}

test('S2-CRASH a crash between any two steps loses no message and sends none twice', () => assertHolds('S2-CRASH'))

test('S2-REPLAY an index rebuilt from the log equals the index, after crashes at any point', () =>
  assertHolds('S2-REPLAY'))

test('the schedules cover every kind of fault and every ending', () => {
  const counts = results.map((result) => result.counts)
  const missing = [...FAULTS, ...ENDINGS].filter((kind) => total(counts, kind) === 0)
  assert.deepEqual(missing, [])
})

test('the same seed gives the same schedule', async () => {
  assert.deepEqual(await runInThread(REPLAYED), results.slice(0, REPLAYED))
  assert.equal(new Set(results.map(({ digest }) => digest)).size, SCHEDULES)
})
