import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BREAKER, CLOSED, FREE } from '../../domain/routing/breaker.ts'
import { type Instant, later, millis, seconds } from '../../lib/time.ts'
import { breakerPausesContract } from '../../ports/breaker-pauses.contract.ts'
import { breakersContract } from '../../ports/breakers.contract.ts'
import type { Breakers } from '../../ports/breakers.ts'
import { ACME, NOON, stopped } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openBreakers } from './breakers.ts'
import { newFile, openDriver, watched } from './limits.fixture.ts'

/** The breakers of a process that starts at this time. */
async function open(path: string, at: Instant = NOON): Promise<Breakers & AsyncDisposable> {
  const driver = openDriver(path, stopped)
  const breakers = await openBreakers(driver, BREAKER, at)
  return { ...breakers, [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose]() }
}

breakersContract('sqlite', async () => {
  const file = newFile()
  const breakers = await open(file.path)
  return {
    one: breakers,
    other: breakers,
    async [Symbol.asyncDispose]() {
      await breakers[Symbol.asyncDispose]()
      file[Symbol.dispose]()
    },
  }
})

breakerPausesContract('sqlite', async () => {
  const file = newFile()
  return {
    open: () => open(file.path),
    async [Symbol.asyncDispose]() {
      file[Symbol.dispose]()
    },
  }
})

test('a change that could not be stored does not take effect', async () => {
  using file = newFile()
  await using driver = openDriver(file.path, stopped)
  const watch = watched(driver)
  const breakers = await openBreakers(watch.driver, BREAKER, NOON)
  watch.refused.add('breakers.keep')
  await assert.rejects(breakers.force(ACME, 'open', NOON), Unavailable)
  assert.equal(breakers.ask(ACME, NOON), FREE)
  watch.refused.clear()
  await breakers.force(ACME, 'open', NOON)
  watch.refused.add('breakers.keep')
  await assert.rejects(breakers.force(ACME, 'closed', NOON), Unavailable)
  assert.equal((await breakers.ask(ACME, NOON)).kind, 'held')
})

test('calls write nothing, whatever becomes of them', async () => {
  using file = newFile()
  await using driver = openDriver(file.path, stopped)
  const watch = watched(driver)
  const breakers = await openBreakers(watch.driver, BREAKER, NOON)
  for (let n = 0; n < BREAKER.failures; n += 1) breakers.report(ACME, FREE, 'failed', NOON)
  const due = later(NOON, BREAKER.pause)
  assert.equal((await breakers.ask(ACME, due)).kind, 'trial')
  breakers.report(ACME, { kind: 'trial', at: due }, 'answered', due)
  assert.deepEqual(watch.calls(), ['breakers.pausedAfter'])
})

test('a pause that ended while the gateway was stopped is over', async () => {
  using file = newFile()
  const end = later(NOON, seconds(60))
  {
    await using breakers = await open(file.path)
    await breakers.force(ACME, 'open', NOON, seconds(60))
  }
  {
    await using early = await open(file.path, later(end, millis(-1)))
    assert.equal(early.states().get(ACME)?.kind, 'open')
  }
  await using late = await open(file.path, end)
  assert.deepEqual(late.states().get(ACME) ?? CLOSED, CLOSED)
  assert.equal(late.ask(ACME, end), FREE)
})

test('a breaker that opened by itself is closed after a restart', async () => {
  using file = newFile()
  {
    await using breakers = await open(file.path)
    for (let n = 0; n < BREAKER.failures; n += 1) breakers.report(ACME, FREE, 'failed', NOON)
    assert.equal(breakers.states().get(ACME)?.kind, 'open')
  }
  await using breakers = await open(file.path)
  assert.equal(breakers.ask(ACME, NOON), FREE)
})
