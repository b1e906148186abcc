import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TakeOverProgress } from './take-over-progress.ts'

const NEVER_MS = 2 ** 31 - 1

test('reports what another thread has done', () => {
  const progress = new TakeOverProgress()
  const reports: number[][] = []
  {
    using _reports = progress.report(NEVER_MS, (...report) => reports.push(report))
    new TakeOverProgress(progress.shared).advance(30, 70)
  }
  assert.deepEqual(reports, [[30, 70]])
})

test('reports while it goes on, and no more once it is disposed', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const progress = new TakeOverProgress()
  const reports: number[][] = []
  {
    using _reports = progress.report(5_000, (...report) => reports.push(report))
    progress.advance(0, 9)
    t.mock.timers.tick(5_000)
    progress.advance(9, 9)
  }
  t.mock.timers.tick(5_000)
  assert.deepEqual(reports, [
    [0, 9],
    [9, 9],
  ])
})

test('reports nothing where there is nothing to take over', () => {
  using _reports = new TakeOverProgress().report(NEVER_MS, () => assert.fail('a report'))
})
