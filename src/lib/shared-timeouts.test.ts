import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedTimeouts } from './shared-timeouts.ts'
import { millis, seconds } from './time.ts'

test('aborts a call that takes too long with a TimeoutError', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { signal } = new SharedTimeouts().begin(millis(500))
  t.mock.timers.tick(499)
  assert.equal(signal.aborted, false)
  t.mock.timers.tick(1)
  assert.equal(signal.reason.name, 'TimeoutError')
})

test('calls that begin together share a signal, and those with another timeout do not', () => {
  const timeouts = new SharedTimeouts()
  const [first, second, other] = [seconds(60), seconds(60), seconds(61)].map((after) => timeouts.begin(after))
  assert.equal(first?.signal, second?.signal)
  assert.notEqual(first?.signal, other?.signal)
  for (const call of [first, second, other]) call?.end()
})

test('a call that begins later has a signal of its own', () => {
  let now = 1_000
  const timeouts = new SharedTimeouts(() => now)
  const first = timeouts.begin(seconds(60))
  now += 600
  const soon = timeouts.begin(seconds(60))
  now += 1
  const later = timeouts.begin(seconds(60))
  assert.equal(first.signal, soon.signal)
  assert.notEqual(first.signal, later.signal)
  for (const call of [first, soon, later]) call.end()
})

test('no more than 32 calls share a signal', () => {
  const timeouts = new SharedTimeouts()
  const calls = Array.from({ length: 65 }, () => timeouts.begin(seconds(60)))
  assert.equal(new Set(calls.map(({ signal }) => signal)).size, 3)
  for (const call of calls) call.end()
})

test('is not aborted once all its calls have ended, and is not shared again', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const timeouts = new SharedTimeouts()
  const [first, second] = [timeouts.begin(millis(60_000)), timeouts.begin(millis(60_000))]
  first.end()
  second.end()
  const next = timeouts.begin(millis(60_000))
  t.mock.timers.tick(60_000)
  assert.deepEqual([first.signal.aborted, next.signal.aborted], [false, true])
})
