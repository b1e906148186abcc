import assert from 'node:assert/strict'
import { test } from 'node:test'
import { memoryRecipients } from '../../test/memory/recipients.ts'
import { newRedisPrefix, shareRedis } from '../../test/support/redis-server.ts'
import { until } from '../../test/support/until.ts'
import { openTextSealer } from '../engines/crypto/text-sealer.ts'
import { cachedRecipients } from '../engines/decorators/cached-recipients.ts'
import { openRedis } from '../engines/redis/connection.ts'
import { Copies } from '../engines/redis/copies.ts'
import { recipientsContract, someEntry } from '../ports/recipients.contract.ts'
import type { Recipients } from '../ports/recipients.ts'
import { phone } from '../ports/samples.contract.ts'
import { ReadThrough } from './read-through.ts'

const server = await shareRedis()
const sealer = openTextSealer(new Uint8Array(32).fill(3), 'tests')

/** Processes that share copies of one directory, and a Redis that each of them may lose. */
async function openWorld(recipients: Recipients = memoryRecipients()) {
  const connection = await openRedis(server.url)
  const prefix = newRedisPrefix()
  const copies = new Copies({ connection, prefix })
  const open = () => {
    const world = { isDown: false, reads: 0 }
    const tryRedis = <Answer>(ask: () => Promise<Answer>) => (world.isDown ? Promise.resolve(undefined) : ask())
    const cache = new ReadThrough({ copies, tryRedis })
    const find: Recipients['find'] = (...args) => {
      world.reads += 1
      return recipients.find(...args)
    }
    return { world, cache, recipients: cachedRecipients({ recipients: { ...recipients, find }, cache, sealer }) }
  }
  return { open, connection, prefix, [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose]() }
}

recipientsContract('copies in Redis', async () => {
  const opened = await openWorld()
  return { recipients: opened.open().recipients, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() }
})

const ANA = someEntry({ externalId: '101', phone: phone('+15550001111') })
const NAME = { externalId: '101' }

test('S5-P9 a recipient that one process has read is found by the others without a read', async () => {
  await using shared = await openWorld()
  const [one, other] = [shared.open(), shared.open()]
  await one.recipients.add(ANA)
  assert.deepEqual(await one.recipients.find(ANA.tenantId, NAME), ANA)
  await until('it to be stored', async () => {
    const before = other.world.reads
    assert.deepEqual(await other.recipients.find(ANA.tenantId, NAME), ANA)
    return other.world.reads === before
  })
  assert.equal(one.world.reads, 1)
})

test('a copy contains no personal data, and one under another master key is not used', async () => {
  await using shared = await openWorld()
  const one = shared.open()
  await one.recipients.add(ANA)
  await one.recipients.find(ANA.tenantId, NAME)
  const key = `${shared.prefix}:copy:recipient:${ANA.tenantId}:101`
  const text = await until('it to be stored', async () => {
    const stored = await shared.connection.command('hget', key, 'text')
    return typeof stored === 'string' && stored
  })
  assert.doesNotMatch(Buffer.from(text, 'base64').toString('latin1'), /1111|externalId/)
  await shared.connection.command('hset', key, 'text', 'bm90IG91cnM=')
  assert.deepEqual(await one.recipients.find(ANA.tenantId, NAME), ANA)
})

test('a change that could not be reported to Redis is reported before Redis is read again', async () => {
  await using shared = await openWorld()
  const [one, other] = [shared.open(), shared.open()]
  await one.recipients.add(ANA)
  const stored = async () => {
    const before = other.world.reads
    await other.recipients.find(ANA.tenantId, NAME)
    return other.world.reads === before
  }
  await until('it to be stored', stored)
  one.world.isDown = true
  const changed = { ...ANA, phone: phone('+15550002222') }
  await one.recipients.change(changed)
  assert.deepEqual(await one.recipients.find(ANA.tenantId, NAME), changed)
  one.world.isDown = false
  await one.cache.dropOutdated()
  for (const { recipients } of [one, other]) assert.deepEqual(await recipients.find(ANA.tenantId, NAME), changed)
})

test('drops all copies when there are too many to remember', async () => {
  const dropped: unknown[] = []
  const copies = {
    find: () => assert.fail('not read'),
    store: () => assert.fail('not stored'),
    drop: async (names: readonly string[]) => void dropped.push(names.length),
    dropAll: async () => void dropped.push('all'),
  }
  let isDown = true
  const cache = new ReadThrough({ copies, tryRedis: async (ask) => (isDown ? undefined : ask()) })
  await cache.drop(Array.from({ length: 10_001 }, (_, nth) => String(nth)))
  isDown = false
  await cache.drop(['another'])
  assert.deepEqual(dropped[0], 'all')
})
