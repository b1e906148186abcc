import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../../test/support/until.ts'
import { type Instant, later, seconds } from '../../lib/time.ts'
import { limiterContract } from '../../ports/limiter.contract.ts'
import { acts, mustNotAct, someCounter, usedIn } from '../../ports/limiter-samples.contract.ts'
import { NOON, stopped } from '../../ports/samples.contract.ts'
import { openLimiter } from './limiter.ts'
import { newFile, openDriver, watched } from './limits.fixture.ts'

limiterContract('sqlite', async (clock) => {
  const file = newFile()
  const driver = openDriver(file.path, clock)
  const limiter = await openLimiter(driver, clock)
  return {
    limiter,
    async [Symbol.asyncDispose]() {
      await limiter[Symbol.asyncDispose]()
      await driver[Symbol.asyncDispose]()
      file[Symbol.dispose]()
    },
  }
})

test('counts survive a restart', async () => {
  using file = newFile()
  const counters = [someCounter({ limit: 3 }), someCounter({ limit: 9, algorithm: 'sliding' })]
  for (const expected of [1, 2, 3]) {
    await using driver = openDriver(file.path, stopped)
    await using limiter = await openLimiter(driver, stopped)
    assert.deepEqual(usedIn(await limiter.admit(counters, acts)), [expected, expected])
  }
  await using driver = openDriver(file.path, stopped)
  await using limiter = await openLimiter(driver, stopped)
  assert.equal((await limiter.admit(counters, mustNotAct)).kind, 'limited')
})

test('counts are in the file within 250 ms, so a killed process loses no more', async () => {
  using file = newFile()
  await using driver = openDriver(file.path, stopped)
  await using limiter = await openLimiter(driver, stopped)
  const counter = someCounter({ limit: 3 })
  const written = () => driver.call('limitCounts.page', [NOON, undefined])
  const admitted = [limiter.admit([counter], acts), limiter.admit([counter], acts)]
  assert.deepEqual(await written(), [], 'it waits for more')
  // On a slow machine both timers are late.
  await Promise.all([...admitted, new Promise((resolve) => setTimeout(resolve, 250))])
  assert.equal((await written()).length, 1)
  await using heir = await openLimiter(driver, stopped)
  assert.deepEqual(usedIn(await heir.admit([counter], acts)), [3])
})

test('writes many counts in few calls, and only changed ones', async () => {
  using file = newFile()
  await using driver = openDriver(file.path, stopped)
  const busy = someCounter({ limit: 10_000 })
  const others = Array.from({ length: 2_500 }, () => someCounter())
  const first = watched(driver)
  {
    await using limiter = await openLimiter(first.driver, stopped)
    for (const other of others) await limiter.admit([busy, other], acts)
  }
  const calls = first.countsWritten().length
  assert.ok(calls >= 3 && calls < 20, `${calls} calls`)
  const second = watched(driver)
  {
    await using limiter = await openLimiter(second.driver, stopped)
    for (let time = 0; time < 10; time += 1) await limiter.admit([busy], acts)
  }
  assert.deepEqual(second.countsWritten(), [1])
})

test('retries a failed write with the next one', async () => {
  using file = newFile()
  await using driver = openDriver(file.path, stopped)
  const watch = watched(driver)
  const limiter = await openLimiter(watch.driver, stopped)
  const counter = someCounter()
  watch.refused.add('limitCounts.write')
  await limiter.admit([counter], acts)
  await until('a second try', () => watch.countsWritten().length >= 2)
  assert.deepEqual(await driver.call('limitCounts.page', [NOON, undefined]), [])
  watch.refused.clear()
  await until('the count', async () => (await driver.call('limitCounts.page', [NOON, undefined])).length === 1)
  await limiter[Symbol.asyncDispose]()
})

test('a unit given back is not in the file, even if it was written before', async () => {
  using file = newFile()
  await using driver = openDriver(file.path, stopped)
  const rowsIn = () => driver.call('limitCounts.page', [NOON, undefined])
  const counter = someCounter()
  {
    await using limiter = await openLimiter(driver, stopped)
    await limiter.admit([counter], async () => {
      await until('the count', async () => (await rowsIn()).length === 1)
      return { value: 'again', counts: false }
    })
  }
  assert.deepEqual(await rowsIn(), [])
})

test('deletes expired counts from the file', async () => {
  using file = newFile()
  let now: Instant = NOON
  const clock = () => now
  await using driver = openDriver(file.path, clock)
  const tenantsIn = async () => (await driver.call('limitCounts.page', [0, undefined])).map(([tenantId]) => tenantId)
  const [short, long] = [someCounter({ window: seconds(1) }), someCounter()]
  {
    await using limiter = await openLimiter(driver, clock)
    for (const counter of [short, long]) await limiter.admit([counter], acts)
  }
  assert.deepEqual((await tenantsIn()).toSorted(), [short.tenantId, long.tenantId].toSorted())
  now = later(now, seconds(1))
  {
    await using limiter = await openLimiter(driver, clock)
    assert.deepEqual(usedIn(await limiter.admit([long], acts)), [2])
  }
  assert.deepEqual(await tenantsIn(), [long.tenantId])
})
