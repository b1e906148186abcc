/** The pace at which a page asks the gateway again, by a clock that the tests turn; and the place it goes back to. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { openPace } from '../../../console/src/pages/messages/pace.ts'
import { keepPlace, keptPlace, listAddress } from '../../../console/src/pages/messages/place.ts'

const EVERY_MS = 400

/** A run that ends when it is told to. */
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
    /** Ends the oldest, and lets what follows from it happen. */
    async end(error?: Error) {
      const one = open.shift()
      if (error === undefined) one?.resolve()
      else one?.reject(error)
      await new Promise((resolve) => setImmediate(resolve))
    },
    tick: (ms: number) => t.mock.timers.tick(ms),
  }
}

test('asked once it runs at once, and once more for what reaches the index late; then never again', async (t) => {
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

test('asked a thousand times it runs no more often than its pace', async (t) => {
  const runs = openRuns(t)
  const { ask } = openPace(runs.run, EVERY_MS)
  for (let ms = 0; ms < 1000; ms += 1) {
    ask()
    runs.tick(1)
    await runs.end()
  }
  assert.equal(runs.begun(), 3)
})

test('a run that takes long is never joined by a second one', async (t) => {
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

test('one that fails is tried again at the same pace until it works', async (t) => {
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

test('once it is stopped nothing runs any more, neither what was planned nor what is asked for after', async (t) => {
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

test('the way back leads to the list as it was left, and only its own place is found again', () => {
  assert.equal(listAddress(), '/messages')
  assert.equal(keptPlace(''), undefined)
  const place = { search: 'status=failed&q=a+b', scrollY: 700, selected: 'm1', isFocused: true }
  keepPlace(place)
  assert.equal(listAddress(), '/messages?status=failed&q=a+b')
  assert.equal(keptPlace('status=failed&q=a+b'), place)
  assert.equal(keptPlace('status=failed'), undefined)
  keepPlace({ ...place, search: '' })
  assert.equal(listAddress(), '/messages')
  assert.equal(keptPlace('status=failed&q=a+b'), undefined)
})

test('a clock that is put back does not make it wait longer than its pace', async (t) => {
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
