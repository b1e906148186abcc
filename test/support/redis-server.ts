/** Redis for tests: a server of their own, or the one that POMBO_TEST_REDIS_URL names; each test has a prefix of its own on it. */
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { findRedis, type RedisProcess, startRedis } from './redis-process.ts'

export type RedisServer = AsyncDisposable &
  Readonly<{
    url: string
    /** What can be made to go wrong with it; missing on a server that is not the tests' own. */
    faults?: Pick<RedisProcess, 'start' | 'stop' | 'kill' | 'freeze' | 'thaw'>
  }>

const BORROWED = 'POMBO_TEST_REDIS_URL'

/** Why there is none to test with; undefined when there is. */
export const missingRedis = (): string | undefined =>
  process.env[BORROWED] === undefined && findRedis() === undefined
    ? `redis-server 7 or newer is not installed, and ${BORROWED} is not set`
    : undefined

/** `own`: one to be harmed, where Redis is installed. */
export async function openRedisServer({ own = false } = {}): Promise<RedisServer> {
  const borrowed = process.env[BORROWED]
  if (borrowed !== undefined && (!own || findRedis() === undefined))
    return { url: borrowed, async [Symbol.asyncDispose]() {} }
  const server = await openVictim()
  return { url: server.url, faults: server, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

/** One that is there to be harmed. */
export async function openVictim(): Promise<RedisProcess> {
  const program = findRedis()
  if (program === undefined) throw new Error(missingRedis())
  return startRedis(program)
}

/** A name for everything one test keeps on a server. */
export const newRedisPrefix = (): string => `T${randomBytes(6).toString('hex')}`

/** One server for all tests of a file, started now and gone after the last. To be called at the top of a test file. */
export async function shareRedis(): Promise<RedisServer> {
  const server = await openRedisServer()
  after(() => server[Symbol.asyncDispose]())
  return server
}
