import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { limitRulesContract, someLimit } from '../../ports/limit-rules.contract.ts'
import { acts, usedIn } from '../../ports/limiter-samples.contract.ts'
import { MalformedCursor } from '../../ports/malformed-cursor.ts'
import { present, stopped } from '../../ports/samples.contract.ts'
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

test('limits of single users are read when they are needed, and those used last stay in memory', async () => {
  using file = newFile()
  await using driver = openDriver(file.path, stopped)
  const { tenantId } = await present((await openLimitRules(driver)).set(someLimit({ scope: 'user', key: '0' })))
  const db = new DatabaseSync(file.path)
  db.prepare(MANY_USERS).run(tenantId)
  db.close()
  const watch = watched(driver)
  const rules = await openLimitRules(watch.driver)
  const read = () => watch.calls().filter((name) => name === 'limitRules.findOwn').length
  assert.deepEqual([[...rules.scopes(tenantId)], watch.rowsRead(), read()], [['user'], 0, 0])
  for (let user = 0; user < 20_000; user += 1) await rules.ofUser(tenantId, String(user))
  assert.equal(read(), 20_000)
  assert.equal((await rules.ofUser(tenantId, '19999'))[0]?.rule.limit, 7)
  assert.equal(read(), 20_000)
  await rules.ofUser(tenantId, '1')
  assert.equal(read(), 20_001)
})

const MANY_USERS = `
  with recursive users (nth) as (select 1 union all select nth + 1 from users where nth < 50000)
  insert into limit_rules (tenant, scope, key, shown, max_count, window_ms, algorithm, version, updated_at)
  select ?, 'user', nth, nth, 7, 60000, 'fixed', nth + 1, 0 from users
`

test('refuses a malformed cursor', async () => {
  using file = newFile()
  await using driver = openDriver(file.path, stopped)
  const rules = await openLimitRules(driver)
  const wanted = someLimit()
  await rules.set(wanted)
  for (const cursor of ['x', ' ', 'zzz zzz', "' or 1 = 1 --"]) {
    await assert.rejects(rules.list({ tenantId: wanted.tenantId, limit: 10, cursor }), MalformedCursor)
  }
})
