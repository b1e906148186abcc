import assert from 'node:assert/strict'
import { test } from 'node:test'
import { newRedisPrefix, shareRedis } from '../../../test/support/redis-server.ts'
import { until } from '../../../test/support/until.ts'
import { openRedis } from './connection.ts'
import { Copies, type FoundCopy } from './copies.ts'

const server = await shareRedis()

async function openCopies(lastsMs?: number) {
  const connection = await openRedis(server.url)
  const copies = new Copies({ connection, prefix: newRedisPrefix(), ...(lastsMs === undefined ? {} : { lastsMs }) })
  return { copies, connection, [Symbol.asyncDispose]: () => connection[Symbol.asyncDispose]() }
}

const leaseOf = (found: FoundCopy): string => (found.kind === 'missing' ? found.lease : assert.fail('found a copy'))

test('S5-P9 a stored copy is found by everybody, and another name has none', async () => {
  await using opened = await openCopies()
  const { copies } = opened
  await copies.store('101', leaseOf(await copies.find('101')), 'ten in a minute')
  for (let time = 0; time < 2; time += 1) {
    assert.deepEqual(await copies.find('101'), { kind: 'found', text: 'ten in a minute' })
  }
  assert.equal((await copies.find('102')).kind, 'missing')
})

test('S5-P10 what was read before a change is not stored after it', async () => {
  await using opened = await openCopies()
  const { copies } = opened
  const lease = leaseOf(await copies.find('101'))
  await copies.drop(['101', '102'])
  await copies.store('101', lease, 'outdated')
  const next = leaseOf(await copies.find('101'))
  await copies.store('101', lease, 'outdated')
  assert.equal((await copies.find('101')).kind, 'missing')
  await copies.store('101', next, 'outdated as well: somebody else has the lease now')
  const last = leaseOf(await copies.find('101'))
  await copies.store('101', last, 'current')
  assert.deepEqual(await copies.find('101'), { kind: 'found', text: 'current' })
})

test('drops all copies and nothing else', async () => {
  await using opened = await openCopies()
  const { copies, connection } = opened
  const other = newRedisPrefix()
  await connection.command('set', other, 1)
  for (const name of ['a', 'b', 'c']) await copies.store(name, leaseOf(await copies.find(name)), name)
  await copies.drop([])
  await copies.dropAll()
  for (const name of ['a', 'b', 'c']) assert.equal((await copies.find(name)).kind, 'missing')
  assert.equal(await connection.command('get', other), '1')
})

test('a copy does not last forever', async () => {
  await using opened = await openCopies(20)
  const { copies } = opened
  await copies.store('101', leaseOf(await copies.find('101')), 'short-lived')
  await until('it to expire', async () => (await copies.find('101')).kind === 'missing')
})
