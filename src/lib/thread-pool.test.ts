import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '../../test/support/until.ts'
import { ThreadPool, type ThreadPoolOptions } from './thread-pool.ts'
import type { EchoMethods } from './thread-rpc.fixture.ts'

class Refused extends Error {}

const open = (options: Partial<ThreadPoolOptions> = {}) =>
  new ThreadPool<EchoMethods>({
    entry: new URL('./thread-rpc.fixture.ts', import.meta.url),
    name: 'echo',
    data: {},
    methods: { note: () => undefined },
    threads: 2,
    callsPerThread: 2,
    maxWaiting: 3,
    unavailable: (message, cause) => new Refused(message, cause),
    ...options,
  })

test('fills its threads, then its queue, and refuses the rest', async () => {
  const pool = open()
  const pending = Promise.allSettled(Array.from({ length: 7 }, () => pool.call('never', [])))
  await assert.rejects(pool.call('echo', [1]), { constructor: Refused, message: /too many calls wait for the echo/ })
  await pool[Symbol.asyncDispose]()
  const reasons = (await pending).map((outcome) => outcome.status === 'rejected' && String(outcome.reason.message))
  assert.deepEqual(reasons, [
    ...new Array(4).fill('a echo thread has ended'),
    ...new Array(3).fill('the echo threads are closed'),
  ])
  await assert.rejects(pool.call('echo', [1]), Refused)
})

test('serves waiting calls as threads become free', async () => {
  await using pool = open({ threads: 1, callsPerThread: 1, maxWaiting: 10 })
  const values = [1, 2, 3, 4]
  assert.deepEqual(await Promise.all(values.map((value) => pool.call('echo', [value]))), values)
})

test('replaces a thread that has died', async () => {
  await using pool = open({ threads: 1, callsPerThread: 1 })
  const [died, served] = await Promise.allSettled([pool.call('exit', []), pool.call('echo', [1])])
  assert.ok(died.status === 'rejected' && died.reason instanceof Refused)
  assert.deepEqual(served, { status: 'fulfilled', value: 1 })
})

test('is proven by a call that succeeds, until one fails or an idle thread dies', async () => {
  await using pool = open({ threads: 1 })
  assert.equal(pool.isProven, false)
  await pool.call('echo', [1])
  assert.equal(pool.isProven, true)
  await assert.rejects(pool.call('fail', ['wrong']))
  assert.equal(pool.isProven, false)
  await pool.call('die', ['out of luck'])
  await until('the thread to die', () => !pool.isProven)
})

test('lanes take turns, and so do the keys of a lane', async () => {
  await using pool = open({ threads: 1, callsPerThread: 1, maxWaiting: 20, lanes: 2 })
  const served: string[] = []
  const call = async (lane: number, key: string, nth: number): Promise<void> => {
    await pool.call('echo', [nth], { lane, key })
    served.push(`${lane}${key}${nth}`)
  }
  // The first occupies the thread.
  const first = call(0, 'a', 0)
  const others = [1, 2, 3].map((nth) => call(0, 'a', nth))
  await Promise.all([first, ...others, call(0, 'b', 1), call(1, 'a', 1), call(1, 'a', 2)])
  assert.deepEqual(served, ['0a0', '1a1', '0a1', '1a2', '0b1', '0a2', '0a3'])
})

test('a key with too many calls is refused, and others are served', async () => {
  class TooMany extends Error {}
  const options = { maxWaiting: 9, maxWaitingPerKey: 1, lanes: 2, tooMany: (message: string) => new TooMany(message) }
  await using pool = open({ threads: 1, callsPerThread: 1, ...options })
  const first = pool.call('echo', [0], { lane: 0, key: 'a' })
  const second = pool.call('echo', [1], { lane: 0, key: 'a' })
  await assert.rejects(pool.call('echo', [2], { lane: 0, key: 'a' }), TooMany)
  const others = [pool.call('echo', [3], { lane: 1, key: 'a' }), pool.call('echo', [4], { lane: 0, key: 'b' })]
  assert.deepEqual(await Promise.all([first, second, ...others]), [0, 1, 3, 4])
})
