import assert from 'node:assert/strict'
import { getEventListeners } from 'node:events'
import { test } from 'node:test'
import { pause } from './pause.ts'

test('waits for the given time, and removes its listener', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { signal } = new AbortController()
  let isOver = false
  const waiting = pause(1_000, signal).then(() => {
    isOver = true
  })
  t.mock.timers.tick(999)
  await Promise.resolve()
  assert.equal(isOver, false)
  t.mock.timers.tick(1)
  await waiting
  assert.equal(getEventListeners(signal, 'abort').length, 0)
})

test('ends when the signal aborts', async () => {
  const stop = new AbortController()
  const waiting = pause(60_000, stop.signal)
  stop.abort()
  await waiting
  await pause(60_000, stop.signal)
  assert.equal(getEventListeners(stop.signal, 'abort').length, 0)
})
