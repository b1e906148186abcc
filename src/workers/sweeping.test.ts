import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcessRoundLock } from '../engines/shared/in-process-round-lock.ts'
import { later, seconds } from '../lib/time.ts'
import { NOON } from '../ports/samples.contract.ts'
import { sweepingRounds } from './sweeping.ts'

test('of several processes one sweeps, once an hour, and the deletions are counted', async () => {
  let now = NOON
  const [swept, counted]: [number[], string[]] = [[], []]
  const deps = {
    rounds: inProcessRoundLock(),
    clock: () => now,
    sweep: async (onSwept: (kind: string, count: number) => void) => {
      swept.push((now - NOON) / 60_000)
      onSwept('key', 2)
    },
    onSwept: (kind: string, count: number) => counted.push(`${kind} ${count}`),
  }
  const chores = Array.from({ length: 3 }, () => sweepingRounds(deps, new AbortController().signal))
  for (let minute = 0; minute < 150; minute += 1) {
    for (const chore of chores) await chore()
    now = later(now, seconds(60))
  }
  assert.deepEqual(swept, [0, 60, 120])
  assert.deepEqual(counted, ['key 2', 'key 2', 'key 2'])
})
