/** `kill -9` at random times under load. The long version is kill-main.ts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runs } from '../support/runs.ts'
import { runKills } from './kill-run.ts'

const SEED = 20_300_131

test('S2-CRASH kills lose no accepted message, send none twice and record nothing wrongly', {
  timeout: 240_000,
}, async (t) => {
  const { problems, figures } = await runKills({ kills: runs(12, 32), callers: 24, seed: SEED })
  t.diagnostic(JSON.stringify(figures))
  assert.deepEqual(problems.slice(0, 20), [])
})
