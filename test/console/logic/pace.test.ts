/** The refresh throttle, with a mock clock, and the saved list position. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { listAddress, savedPosition, savePosition } from '../../../console/src/pages/messages/list-position.ts'
import { openPace } from '../../../console/src/pages/messages/pace.ts'

const EVERY_MS = 400

/** A run that the test ends. */
function openRuns(t: TestContext) {
  t.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 10_000_000 })
  const open: PromiseWithResolvers<void>[] = []
  let begun = 0
  let most = 0
  const run = (): Promise<void> => {
    begun += 1
    const one = Promise.withResolvers<void>()
    open.push(one)
    most = Math.max(most, open.length)
    return one.promise
  }
  return {
    run,
    begun: () => begun,
    most: () => most,
    /** Ends the oldest run, and waits for what follows. */
    async end(error?: Error) {
      const one = open.shift()
      if (error === undefined) one?.resolve()
      else one?.reject(error)
      await new Promise((resolve) => setImmediate(resolve))
    },
    tick: (ms: number) => t.mock.timers.tick(ms),
  }
}

test('runs at once, and once more for late index updates', async (t) => {
  const runs = openRuns(t)
  openPace(runs.run, EVERY_MS).ask()
  runs.tick(0)
  assert.equal(runs.begun(), 1)
  await runs.end()
  runs.tick(EVERY_MS - 1)
  assert.equal(runs.begun(), 1)
  runs.tick(1)
  assert.equal(runs.begun(), 2)
  await runs.end()
  runs.tick(100 * EVERY_MS)
  assert.equal(runs.begun(), 2)
})

test('runs at most once per interval', async (t) => {
  const runs = openRuns(t)
  const { ask } = openPace(runs.run, EVERY_MS)
  for (let ms = 0; ms < 1000; ms += 1) {
    ask()
    runs.tick(1)
    await runs.end()
  }
  assert.equal(runs.begun(), 3)
})

test('never runs concurrently', async (t) => {
  const runs = openRuns(t)
  const { ask } = openPace(runs.run, EVERY_MS)
  for (let nth = 0; nth < 20; nth += 1) {
    ask()
    runs.tick(EVERY_MS)
  }
  assert.deepEqual([runs.begun(), runs.most()], [1, 1])
  await runs.end()
  runs.tick(0)
  assert.deepEqual([runs.begun(), runs.most()], [2, 1])
})

test('retries a failed run at the same interval', async (t) => {
  const runs = openRuns(t)
  openPace(runs.run, EVERY_MS).ask()
  runs.tick(0)
  for (let nth = 1; nth <= 5; nth += 1) {
    assert.equal(runs.begun(), nth)
    await runs.end(new Error('the gateway is away'))
    runs.tick(EVERY_MS)
  }
  await runs.end()
  runs.tick(100 * EVERY_MS)
  assert.equal(runs.begun(), 6)
})

test('does not run after it is stopped', async (t) => {
  const runs = openRuns(t)
  const planned = openPace(runs.run, EVERY_MS)
  planned.ask()
  planned.stop()
  runs.tick(EVERY_MS)
  assert.equal(runs.begun(), 0)

  const running = openPace(runs.run, EVERY_MS)
  running.ask()
  runs.tick(0)
  running.stop()
  await runs.end()
  running.ask()
  runs.tick(100 * EVERY_MS)
  assert.equal(runs.begun(), 1)
})

test('restores the list position only for the same filters', () => {
  assert.equal(listAddress(), '/messages')
  assert.equal(savedPosition(''), undefined)
  const place = { search: 'status=failed&q=a+b', scrollY: 700, selected: 'm1', isFocused: true }
  savePosition(place)
  assert.equal(listAddress(), '/messages?status=failed&q=a+b')
  assert.equal(savedPosition('status=failed&q=a+b'), place)
  assert.equal(savedPosition('status=failed'), undefined)
  savePosition({ ...place, search: '' })
  assert.equal(listAddress(), '/messages')
  assert.equal(savedPosition('status=failed&q=a+b'), undefined)
})

test('a clock set back does not prolong the wait', async (t) => {
  const runs = openRuns(t)
  const { ask } = openPace(runs.run, EVERY_MS)
  ask()
  runs.tick(0)
  t.mock.timers.setTime(10_000_000 - 3_600_000)
  await runs.end()
  ask()
  runs.tick(EVERY_MS)
  assert.equal(runs.begun(), 2)
})
