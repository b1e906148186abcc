import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant, later, seconds } from '../../lib/time.ts'
import { Rechecks } from './rechecks.ts'

const NOW = instant(1_000_000)
const times = (count: number): number[] => {
  const rechecks = new Rechecks()
  return Array.from({ length: count }, () => rechecks.after(NOW))
}

test('a few jobs are rechecked after a minute', () => {
  const all = times(100)
  assert.equal(all[0], later(NOW, seconds(60)))
  assert.equal(all.at(-1), later(NOW, seconds(64)))
})

test('many jobs are rechecked at most 25 per second, batched by second', () => {
  const all = times(100_000)
  const counts = Map.groupBy(all, (at) => at)
    .values()
    .map(({ length }) => length)
  assert.equal(Math.max(...counts), 25)
  assert.equal(all.at(-1), later(NOW, seconds(60 + 4_000)))
})

test('every job is rechecked within two hours', () => {
  const all = times(400_000)
  assert.ok(all.every((at) => at >= later(NOW, seconds(60)) && at <= later(NOW, seconds(61 + 7_200))))
})
