import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openVictim } from '../../../test/support/redis-server.ts'
import { until } from '../../../test/support/until.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type Connection, openRedis } from './connection.ts'

const answersAgain = (redis: Connection) =>
  until('Redis to answer', () =>
    redis.ask('ping').then(
      () => true,
      () => false,
    ),
  )

test('what is asked in one turn is answered in its order, and what Redis refuses is refused alone', async () => {
  await using server = await openVictim()
  await using redis = await openRedis(server.url)
  const answers = await Promise.allSettled([
    redis.ask('set', 'n', 'text'),
    redis.ask('incr', 'n'),
    redis.ask('get', 'n'),
  ])
  assert.deepEqual(
    answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason instanceof Unavailable)),
    ['OK', true, 'text'],
  )
})

test('a Redis that is not there is said to be away at once, and found when it comes', async () => {
  await using server = await openVictim()
  await server.stop()
  await using redis = await openRedis(server.url)
  await assert.rejects(redis.ask('ping'), Unavailable)
  await server.start()
  await answersAgain(redis)
})

test('what Redis does not answer in time is given up, and nothing is said twice', async () => {
  await using server = await openVictim()
  await using redis = await openRedis(server.url)
  await redis.ask('set', 'n', 0)
  server.freeze()
  await assert.rejects(redis.ask('incr', 'n'), Unavailable)
  server.thaw()
  await answersAgain(redis)
  assert.equal(await redis.ask('get', 'n'), '1')
  const lost = Array.from({ length: 50 }, () => redis.ask('incr', 'n'))
  await Promise.all([server.kill(), Promise.allSettled(lost)])
  await server.start()
  await answersAgain(redis)
  assert.equal(await redis.ask('get', 'n'), null)
})

test('a connection that is reset is made anew', async () => {
  await using server = await openVictim()
  await using redis = await openRedis(server.url)
  const id = await redis.ask('client', 'ID')
  redis.reset()
  await answersAgain(redis)
  assert.notEqual(await redis.ask('client', 'ID'), id)
})
