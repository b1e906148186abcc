import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RebuildPart, rebuildTables } from './rebuild-tables.ts'

test('rebuilds part by part until there is nothing left, and counts the events', async () => {
  const calls: number[] = []
  const rebuild: RebuildPart = async (after, limit) => {
    calls.push(after)
    return after < 2 * limit ? { through: after + limit, events: 30 } : undefined
  }
  const progress: number[][] = []
  assert.deepEqual(await rebuildTables(rebuild, 70, (...args) => progress.push(args)), { events: 60 })
  assert.deepEqual(calls, [0, 1_000, 2_000])
  assert.deepEqual(progress, [
    [30, 70],
    [60, 70],
    [70, 70],
  ])
})

test('an empty file is rebuilt at once', async () => {
  const progress: number[][] = []
  assert.deepEqual(
    await rebuildTables(
      async () => undefined,
      0,
      (...args) => progress.push(args),
    ),
    { events: 0 },
  )
  assert.deepEqual(progress, [[0, 0]])
})
