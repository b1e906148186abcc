import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Redis } from 'ioredis'
import { openOwnRedis } from './redis-server.ts'

async function ask<Answer>(
  url: string,
  question: (redis: Redis) => Promise<Answer>,
  commandTimeout = 30_000,
): Promise<Answer> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: null, commandTimeout })
  redis.on('error', () => undefined)
  try {
    await redis.connect()
    return await question(redis)
  } finally {
    redis.disconnect()
  }
}

test('a server can be stopped, killed and started again, and is empty afterwards', async () => {
  await using server = await openOwnRedis()
  for (const how of ['stop', 'kill'] as const) {
    await ask(server.url, (redis) => redis.set('key', '1'))
    assert.equal(await ask(server.url, (redis) => redis.get('key')), '1')
    await server[how]()
    await assert.rejects(ask(server.url, (redis) => redis.get('key')))
    await server.start()
    assert.equal(await ask(server.url, (redis) => redis.get('key')), null)
  }
})

test('a frozen server answers nothing until it is thawed', async () => {
  await using server = await openOwnRedis()
  server.freeze()
  await assert.rejects(ask(server.url, (redis) => redis.ping(), 300))
  server.thaw()
  assert.equal(await ask(server.url, (redis) => redis.ping()), 'PONG')
})
