import assert from 'node:assert/strict'
import { test } from 'node:test'
import { instant, later, millis, seconds } from '../../lib/time.ts'
import { Alarm, pause, unlessAborted, within } from './time.ts'

const never = new Promise<string>(() => {})
const START = instant(1_000_000)

test('a pause ends when its signal aborts', async () => {
  assert.equal(await pause(millis(1), new AbortController().signal), true)
  assert.equal(await pause(seconds(60), AbortSignal.abort()), false)
})

test('within limits the wait for a promise', async () => {
  assert.equal(await within(seconds(60), Promise.resolve('in time')), 'in time')
  assert.equal(await within(millis(1), never), undefined)
  await assert.rejects(within(seconds(60), Promise.reject(new Error('fault'))), /fault/)
})

test('unlessAborted ends the wait when the signal aborts', async () => {
  const abort = new AbortController()
  const waiting = unlessAborted(never, abort.signal, 'aborted')
  abort.abort()
  assert.equal(await waiting, 'aborted')
  assert.equal(await unlessAborted(never, abort.signal, 'aborted'), 'aborted')
  assert.equal(await unlessAborted(Promise.resolve('in time'), new AbortController().signal, 'aborted'), 'in time')
})

test('the alarm wakes at the earliest instant, set before or during the sleep', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const alarm = new Alarm(() => START, new AbortController().signal)
  let woken = 0
  alarm.set(later(START, millis(300)))
  const asleep = alarm.sleep().then(() => (woken += 1))
  alarm.set(later(START, millis(100)))
  alarm.set(later(START, millis(200)))
  t.mock.timers.tick(99)
  await Promise.resolve()
  assert.equal(woken, 0)
  t.mock.timers.tick(1)
  await asleep
})

test('an alarm without an instant wakes when it is aborted, and never sleeps again', async () => {
  const abort = new AbortController()
  const alarm = new Alarm(() => START, abort.signal)
  alarm.set(START)
  alarm.reset()
  const asleep = alarm.sleep()
  abort.abort()
  await asleep
  await alarm.sleep()
})
