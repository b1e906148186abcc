import assert from 'node:assert/strict'
import { sharePostgres } from '../../test/support/postgres-server.ts'
import { newRedisPrefix, shareRedis } from '../../test/support/redis-server.ts'
import type { Clock } from '../lib/clock.ts'
import { limitRulesContract } from '../ports/limit-rules.contract.ts'
import { limiterContract } from '../ports/limiter.contract.ts'
import { NOON } from '../ports/samples.contract.ts'
import { openClusterLimits } from './limits.ts'

const redis = await shareRedis()
const { migrated } = await sharePostgres()

async function openLimits(clock: Clock = () => NOON) {
  const opened = new AsyncDisposableStack()
  const database = opened.use(await migrated())
  const limits = opened.use(
    await openClusterLimits({
      redisUrl: redis.url,
      postgresUrl: database.appUrl,
      prefix: newRedisPrefix(),
      clock,
      onFault: (error) => assert.fail(String(error)),
      whenPropagated: async () => undefined,
    }),
  )
  return { ...limits, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

limiterContract('Redis and PostgreSQL', openLimits)
limitRulesContract('Redis and PostgreSQL', openLimits)
