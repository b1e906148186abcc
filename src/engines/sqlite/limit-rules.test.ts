import assert from 'node:assert/strict'
import { test } from 'node:test'
import { limitRulesContract, someLimit } from '../../ports/limit-rules.contract.ts'
import { acts, usedIn } from '../../ports/limiter.contract.ts'
import { stopped } from '../../ports/samples.contract.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openLimitRules } from './limit-rules.ts'
import { openLimiter } from './limiter.ts'
import { newFile, openDriver, watched } from './limits.fixture.ts'

limitRulesContract('sqlite', async () => {
  const file = newFile()
  const driver = openDriver(file.path, stopped)
  return {
    rules: await openLimitRules(driver),
    async [Symbol.asyncDispose]() {
      await driver[Symbol.asyncDispose]()
      file[Symbol.dispose]()
    },
  }
})

test('limits survive a restart', async () => {
  using file = newFile()
  const [kept, removed] = [someLimit(), someLimit()]
  {
    await using driver = openDriver(file.path, stopped)
    const rules = await openLimitRules(driver)
    for (const limit of [kept, removed]) await rules.set(limit)
    await rules.remove(removed)
  }
  await using driver = openDriver(file.path, stopped)
  const rules = await openLimitRules(driver)
  const found = await rules.find(kept)
  assert.deepEqual(found, { ...kept, version: found?.version })
  assert.equal(rules.counters([kept]).length, 1)
  assert.equal(await rules.find(removed), undefined)
})

test('a limit set after a restart does not continue the count of a removed one', async () => {
  using file = newFile()
  const wanted = someLimit()
  for (let time = 0; time < 3; time += 1) {
    await using driver = openDriver(file.path, stopped)
    const rules = await openLimitRules(driver)
    await using limiter = await openLimiter(driver, stopped)
    await rules.set(wanted)
    assert.deepEqual(usedIn(await limiter.admit(rules.counters([wanted]), acts)), [1])
    await rules.remove(wanted)
  }
})

test('a limit that could not be stored does not take effect', async () => {
  using file = newFile()
  await using driver = openDriver(file.path, stopped)
  const watch = watched(driver)
  const rules = await openLimitRules(watch.driver)
  const wanted = someLimit()
  watch.refused.add('limitRules.store').add('limitRules.remove')
  await assert.rejects(rules.set(wanted), Unavailable)
  assert.deepEqual(rules.counters([wanted]), [])
  watch.refused.delete('limitRules.store')
  await rules.set(wanted)
  await assert.rejects(rules.remove(wanted), Unavailable)
  assert.equal(rules.counters([wanted]).length, 1)
})

test('a malformed cursor matches no page, or another one, and does no harm', async () => {
  using file = newFile()
  await using driver = openDriver(file.path, stopped)
  const rules = await openLimitRules(driver)
  const wanted = someLimit()
  await rules.set(wanted)
  for (const cursor of ['x', ' ', 'zzz zzz', "' or 1 = 1 --"]) {
    assert.ok((await rules.list({ tenantId: wanted.tenantId, limit: 10, cursor })).limits.length <= 1)
  }
})
