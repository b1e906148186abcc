import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOwnRedis } from '../../../test/support/redis-server.ts'
import { until } from '../../../test/support/until.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { type Connection, openRedis } from './connection.ts'

const answersAgain = (redis: Connection) =>
  until('Redis to answer', () =>
    redis.command('ping').then(
      () => true,
      () => false,
    ),
  )

test('answers commands of one turn in order, and a refused command fails alone', async () => {
  await using server = await openOwnRedis()
  await using redis = await openRedis(server.url)
  const answers = await Promise.allSettled([
    redis.command('set', 'n', 'text'),
    redis.command('incr', 'n'),
    redis.command('get', 'n'),
  ])
  assert.deepEqual(
    answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : answer.reason instanceof Unavailable)),
    ['OK', true, 'text'],
  )
})

test('rejects at once while Redis is unreachable, and connects when it is back', async () => {
  await using server = await openOwnRedis()
  await server.stop()
  await using redis = await openRedis(server.url)
  await assert.rejects(redis.command('ping'), Unavailable)
  await server.start()
  await answersAgain(redis)
})

test('gives up a command that Redis does not answer in time, and never sends it twice', async () => {
  await using server = await openOwnRedis()
  await using redis = await openRedis(server.url)
  await redis.command('set', 'n', 0)
  server.freeze()
  await assert.rejects(redis.command('incr', 'n'), Unavailable)
  server.thaw()
  await answersAgain(redis)
  assert.equal(await redis.command('get', 'n'), '1')
  const lost = Array.from({ length: 50 }, () => redis.command('incr', 'n'))
  await Promise.all([server.kill(), Promise.allSettled(lost)])
  await server.start()
  await answersAgain(redis)
  assert.equal(await redis.command('get', 'n'), null)
})

test('reconnects after a reset', async () => {
  await using server = await openOwnRedis()
  await using redis = await openRedis(server.url)
  const id = await redis.command('client', 'ID')
  redis.reset()
  await answersAgain(redis)
  assert.notEqual(await redis.command('client', 'ID'), id)
})
