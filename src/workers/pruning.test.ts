import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inProcessRoundLock } from '../engines/shared/in-process-round-lock.ts'
import { later, seconds } from '../lib/time.ts'
import { NOON } from '../ports/samples.contract.ts'
import { pruningRounds } from './pruning.ts'

test('of several processes one deletes, once an hour, and reports how many messages', async () => {
  let now = NOON
  const [began, reported]: [number[], number[]] = [[], []]
  const deps = {
    rounds: inProcessRoundLock(),
    clock: () => now,
    policy: { days: 30, rules: [] },
    retention: {
      async prune() {
        began.push((now - NOON) / 60_000)
        return 7
      },
    },
    rest: async () => undefined,
    onPruned: () => undefined,
    onRound: (count: number) => reported.push(count),
  }
  const chores = Array.from({ length: 3 }, () => pruningRounds(deps, new AbortController().signal))
  for (let minute = 0; minute < 150; minute += 1) {
    for (const chore of chores) await chore()
    now = later(now, seconds(60))
  }
  assert.deepEqual(began, [0, 60, 120])
  assert.deepEqual(reported, [7, 7, 7])
})
