import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { KeyedMutex } from './keyed-mutex.ts'

function openWork() {
  const mutex = new KeyedMutex<string>()
  const log: string[] = []
  const work = (key: string, name: string, error?: Error) =>
    mutex.run(key, async () => {
      log.push(`${name} begins`)
      await nextTurn()
      log.push(`${name} ends`)
      if (error !== undefined) throw error
      return name
    })
  return { log, work }
}

test('runs what has the same key one after the other, and other keys meanwhile', async () => {
  const { log, work } = openWork()
  assert.deepEqual(await Promise.all([work('a', 'a1'), work('a', 'a2'), work('b', 'b1')]), ['a1', 'a2', 'b1'])
  assert.deepEqual(log.slice(0, 2), ['a1 begins', 'b1 begins'])
  assert.ok(log.indexOf('a2 begins') > log.indexOf('a1 ends'))
})

test('what fails rejects on its own, and the next one runs', async () => {
  const { work } = openWork()
  const [failed, next] = await Promise.allSettled([work('a', 'a1', new Error('failed')), work('a', 'a2')])
  assert.deepEqual([failed.status, next], ['rejected', { status: 'fulfilled', value: 'a2' }])
  assert.equal(await work('a', 'a3'), 'a3')
})
