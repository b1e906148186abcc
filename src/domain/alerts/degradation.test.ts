import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeProvider } from './degradation.ts'

const results = (succeeded: number, failed: number) => ({ succeeded, failed, deadLettered: 0 })
const USUAL = results(980, 20)

const isDegraded = (succeeded: number, failed: number, was = false, usual = USUAL) =>
  judgeProvider(results(succeeded, failed), usual, was)?.isDegraded

test('a provider is degraded while a fifth less than usual succeeds', () => {
  assert.equal(isDegraded(100, 0), false)
  assert.equal(isDegraded(79, 21), false)
  assert.equal(isDegraded(78, 22), true)
  assert.equal(isDegraded(0, 50), true)
})

test('it has recovered once nine tenths of the usual succeed', () => {
  assert.equal(isDegraded(88, 12, true), true)
  assert.equal(isDegraded(89, 11, true), false)
})

test('a provider is compared with itself', () => {
  assert.equal(isDegraded(50, 50, false, results(100, 100)), false)
  assert.equal(isDegraded(39, 61, false, results(100, 100)), true)
  assert.equal(isDegraded(0, 50, false, results(0, 200)), false)
})

test('a few results say nothing, now or before', () => {
  assert.equal(isDegraded(0, 49), undefined)
  assert.equal(isDegraded(0, 50, false, results(199, 0)), undefined)
})

test('tells the shares in three digits', () => {
  const verdict = judgeProvider(results(33, 66), results(2, 298), false)
  assert.deepEqual(verdict?.rates, { successRate: 0.333, usualRate: 0.007, results: 99, period: 600_000 })
})
