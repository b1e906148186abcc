import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { type Result, runSchedule, toReport } from './schedule.ts'
import type { Property } from './simulation.ts'
import { ENDINGS, FAULTS, Tally } from './tally.ts'

const SCHEDULES = 1_000
const results: Result[] = []

before(async () => {
  for (let seed = 1; seed <= SCHEDULES; seed += 1) results.push(await runSchedule(seed))
})

function hold(property: Property): void {
  const failed = results.filter(({ violations }) => violations.some((violation) => violation.property === property))
  assert.equal(failed.length, 0, failed.slice(0, 5).map(toReport).join('\n'))
}

test('S2-CRASH a crash between any two steps loses nothing and doubles nothing', () => hold('S2-CRASH'))

test('S2-REPLAY the index made again from the log equals the index, whatever crashed while it was made', () =>
  hold('S2-REPLAY'))

test('every kind of fault was met, and every ending', () => {
  const tally = new Tally()
  for (const result of results) tally.add(result.tally)
  assert.deepEqual(
    [...FAULTS, ...ENDINGS].filter((kind) => tally.of(kind) === 0),
    [],
  )
})

test('a seed plays the same schedule again, to the last step', async () => {
  for (const { seed, digest, steps } of results.slice(0, 30)) {
    const again = await runSchedule(seed)
    assert.deepEqual({ digest: again.digest, steps: again.steps }, { digest, steps })
  }
  assert.equal(new Set(results.map(({ digest }) => digest)).size, SCHEDULES)
})
