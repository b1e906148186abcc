import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant, later, seconds } from '../../lib/time.ts'
import { Rechecks } from './rechecks.ts'

const NOW = instant(1_000_000)
const times = (count: number): number[] => {
  const rechecks = new Rechecks()
  return Array.from({ length: count }, () => rechecks.after(NOW))
}

test('a few look again after a minute', () => {
  const all = times(100)
  assert.equal(all[0], later(NOW, seconds(60)))
  assert.equal(all.at(-1), later(NOW, seconds(64)))
})

test('a crowd looks again 25 times a second at most, and those of one second together', () => {
  const all = times(100_000)
  const counts = Map.groupBy(all, (at) => at)
    .values()
    .map(({ length }) => length)
  assert.equal(Math.max(...counts), 25)
  assert.equal(all.at(-1), later(NOW, seconds(60 + 4_000)))
})

test('however many there are, each looks again within two hours', () => {
  const all = times(400_000)
  assert.ok(all.every((at) => at >= later(NOW, seconds(60)) && at <= later(NOW, seconds(61 + 7_200))))
})
