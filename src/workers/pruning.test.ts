import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RetentionPolicy } from '../domain/message/retention.ts'
import { inProcessRoundLock } from '../engines/shared/in-process-round-lock.ts'
import { later, seconds } from '../lib/time.ts'
import { NORTH } from '../ports/retention-samples.contract.ts'
import { NOON } from '../ports/samples.contract.ts'
import { pruningRounds } from './pruning.ts'

test('of several processes one deletes, once an hour, and reports how many messages', async () => {
  let now = NOON
  const [began, reported]: [number[], number[]] = [[], []]
  const deps = {
    rounds: inProcessRoundLock(),
    clock: () => now,
    policy: () => ({ days: 30, rules: [] }),
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

test('begins no round while all messages are kept forever, and one as soon as a tenant has a retention', async () => {
  const kept: RetentionPolicy = { rules: [] }
  let policy = kept
  const pruned: RetentionPolicy[] = []
  const deps = {
    rounds: inProcessRoundLock(),
    clock: () => NOON,
    policy: () => policy,
    retention: {
      async prune(given: RetentionPolicy) {
        pruned.push(given)
        return 0
      },
    },
    rest: async () => undefined,
    onPruned: () => undefined,
    onRound: () => undefined,
  }
  const chore = pruningRounds(deps, new AbortController().signal)
  await chore()
  assert.deepEqual(pruned, [])
  policy = { ...kept, mostDays: new Map([[NORTH, 7]]) }
  await chore()
  assert.deepEqual(pruned, [policy])
})
