import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Redis } from 'ioredis'
import { openRedis } from '../../src/engines/redis/connection.ts'
import { RedisLimiter } from '../../src/engines/redis/limiter.ts'
import { someCounter } from '../../src/ports/limiter-samples.contract.ts'
import { NOON } from '../../src/ports/samples.contract.ts'
import { Unavailable } from '../../src/ports/unavailable.ts'
import { openFolder } from '../support/folder.ts'
import { freePort } from '../support/free-port.ts'
import { findRedis } from '../support/redis-process.ts'
import { skipUnavailable } from '../support/skip.ts'
import { START_WITHIN_MS, until } from '../support/until.ts'
import { readCompose, sampleEnv } from './compose.ts'
import { DEPLOY, textOf, yamlIn } from './files.ts'

const LACK = 'redis-server 7 or newer is not installed'
const PASSWORD = 'a secret of theirs'

/** Starts it as compose does, with local paths and ports. */
async function openDeployed(program: string) {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await openFolder())
  const port = await freePort()
  const command = readCompose(sampleEnv()).services['redis']?.command?.at(-1) ?? ''
  const here = command.replaceAll('$$', '$').replace('/etc/redis/redis.conf', join(DEPLOY, 'redis/redis.conf'))
  const text = `${here.replace('redis-server', program)} --port ${port} --bind 127.0.0.1 --dir ${folder.path}`
  const server = spawn('sh', ['-c', text], { stdio: 'ignore', env: { ...process.env, REDIS_PASSWORD: PASSWORD } })
  opened.defer(async () => {
    if (server.exitCode === null && server.kill()) await once(server, 'exit')
  })
  const url = `redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`
  const redis = opened.adopt(new Redis(url, { retryStrategy: () => 20 }), (driver) => driver.disconnect())
  redis.on('error', () => undefined)
  await until('Redis to answer', () => server.exitCode !== null || redis.status === 'ready', {
    withinMs: START_WITHIN_MS,
  })
  assert.equal(server.exitCode, null, 'redis-server did not accept the file')
  const all = opened.move()
  return { url, port, redis, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

describe('the Redis of the deployments', () => {
  test('evicts no counter, stores nothing on disk and requires the password', async (t) => {
    const program = findRedis()
    if (program === undefined) return skipUnavailable(t, LACK)
    await using server = await openDeployed(program)
    const { redis, port } = server
    const setting = async (name: string) => ((await redis.config('GET', name)) as string[])[1]
    const names = ['maxmemory-policy', 'maxmemory', 'save', 'appendonly'] as const
    assert.deepEqual(await Promise.all(names.map(setting)), ['noeviction', String(256 * 2 ** 20), '', 'no'])
    for (const command of ['flushall', 'flushdb', 'keys']) await assert.rejects(redis.call(command, '*'), /unknown/)
    const stranger = new Redis(port).on('error', () => undefined)
    await assert.rejects(stranger.get('anything'), /NOAUTH/)
    stranger.disconnect()
  })

  test('refuses writes when its memory is full, so that PostgreSQL decides', async (t) => {
    const program = findRedis()
    if (program === undefined) return skipUnavailable(t, LACK)
    await using server = await openDeployed(program)
    await using connection = await openRedis(server.url)
    const load = async () => []
    const limiter = new RedisLimiter({ connection, prefix: 'P', clock: () => NOON, load })
    // Set after the start of Redis, so that nothing has to be loaded.
    const counter = { ...someCounter(), setAt: NOON }
    await server.redis.set('P:limit:since', 0)
    assert.equal((await limiter.decide([counter])).kind, 'taken')
    await server.redis.config('SET', 'maxmemory', 1)
    await assert.rejects(limiter.decide([counter]), Unavailable)
    await assert.rejects(limiter.probe(), Unavailable)
    await server.redis.config('SET', 'maxmemory', 0)
    assert.equal((await limiter.decide([counter])).statuses[0]?.used, 2)
  })

  test('has the same settings in the chart and in the file', () => {
    const [values] = yamlIn('deploy/redis/values.example.yaml') as [{ commonConfiguration: string }]
    const settings = textOf('deploy/redis/redis.conf').split('\n')
    for (const line of values.commonConfiguration.split('\n')) assert.ok(settings.includes(line), line)
  })
})
