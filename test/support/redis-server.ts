/** Redis for tests: a newly started server, or the one at POMBO_TEST_REDIS_URL. Each test uses its own prefix. */
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { findRedis, type RedisProcess, startRedis } from './redis-process.ts'

export type RedisServer = AsyncDisposable &
  Readonly<{
    url: string
    /** Missing for an external server. */
    faults?: Pick<RedisProcess, 'start' | 'stop' | 'kill' | 'freeze' | 'thaw'>
  }>

const EXTERNAL_URL = 'POMBO_TEST_REDIS_URL'

/** Why no server is available; undefined if one is. */
export const missingRedis = (): string | undefined =>
  process.env[EXTERNAL_URL] === undefined && findRedis() === undefined
    ? `redis-server 7 or newer is not installed, and ${EXTERNAL_URL} is not set`
    : undefined

/** `own`: starts a new server that the test may stop, kill and freeze, if Redis is installed. */
export async function openRedisServer({ own = false } = {}): Promise<RedisServer> {
  const external = process.env[EXTERNAL_URL]
  if (external !== undefined && (!own || findRedis() === undefined))
    return { url: external, async [Symbol.asyncDispose]() {} }
  const server = await openOwnRedis()
  return { url: server.url, faults: server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** Starts a server that the test may stop, kill and freeze. */
export async function openOwnRedis(): Promise<RedisProcess> {
  const program = findRedis()
  if (program === undefined) throw new Error(missingRedis())
  return startRedis(program)
}

/** A unique prefix for everything that a test stores on a server. */
export const newRedisPrefix = (): string => `T${randomBytes(6).toString('hex')}`

/** One server for all tests of a file, stopped after the last. Call it at the top of a test file. */
export async function shareRedis(): Promise<RedisServer> {
  const server = await openRedisServer()
  after(() => server[Symbol.asyncDispose]())
  return server
}
