/** The limits of users in a cluster: rules and counts are in Redis, and PostgreSQL is the source of truth. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sharePostgres } from '../../test/support/postgres-server.ts'
import { newRedisPrefix, shareRedis } from '../../test/support/redis-server.ts'
import { until } from '../../test/support/until.ts'
import type { Rule } from '../domain/limits/limits.ts'
import { specifiedWindow } from '../domain/limits/window.fixture.ts'
import { openRedis } from '../engines/redis/connection.ts'
import { type Instant, later, type Millis, millis, seconds } from '../lib/time.ts'
import { someLimit } from '../ports/limit-rules.contract.ts'
import { acts } from '../ports/limiter-samples.contract.ts'
import { NOON, tenant } from '../ports/samples.contract.ts'
import { DatabaseUnavailable } from '../ports/unavailable.ts'
import { openClusterLimits } from './limits.ts'

const { server, migrated } = await sharePostgres({ own: true })
const redis = await shareRedis()
const ofPostgres = server.faults === undefined ? { skip: "a server that is not the tests' own is not broken" } : {}

const TENANT = tenant('north')
/** Nothing listens there. */
const NOWHERE = 'redis://127.0.0.1:1'
const SOON = { withinMs: 5_000, everyMs: 2 }
const minutes = (count: number): Millis => seconds(60 * count)

/** Two processes. */
async function openWorld() {
  const opened = new AsyncDisposableStack()
  const database = opened.use(await migrated())
  const connection = opened.use(await openRedis(redis.url))
  const [world, prefix] = [{ at: NOON }, newRedisPrefix()]
  const open = async (redisUrl = redis.url) =>
    opened.use(
      await openClusterLimits({
        redisUrl,
        postgresUrl: database.appUrl,
        prefix,
        clock: () => world.at,
        onFault: () => undefined,
        whenPropagated: async () => undefined,
        writeMs: 5,
      }),
    )
  const [processes, truth] = [[await open(), await open()] as const, await open(NOWHERE)]
  return {
    world,
    processes,
    open,
    async set(by: 0 | 1, user: string, rule: Rule): Promise<void> {
      const limit = someLimit({ tenantId: TENANT, scope: 'user', key: user, rule, updatedAt: world.at })
      await processes[by].rules.set(limit)
    },
    async send(by: 0 | 1, user: string): Promise<boolean> {
      const { rules, limiter } = processes[by]
      return (await limiter.admit(await rules.ofUser(TENANT, user), acts)).kind === 'admitted'
    },
    /** Redis loses everything, once PostgreSQL has the count of the user. */
    async forget(user: string, used: number): Promise<void> {
      const [counter] = await truth.rules.ofUser(TENANT, user)
      assert.ok(counter !== undefined)
      await until('the count to be written', async () => (await truth.limiter.status(counter)).used === used, SOON)
      const [, keys] = (await connection.command('scan', 0, 'MATCH', `${prefix}:*`, 'COUNT', 100_000)) as [
        string,
        string[],
      ]
      if (keys.length > 0) await connection.command('unlink', ...keys)
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

const RULE: fc.Arbitrary<Rule> = fc.record({
  limit: fc.integer({ min: 1, max: 3 }),
  window: fc.integer({ min: 1, max: 3 }).map(minutes),
  algorithm: fc.constant('fixed'),
})

type Step =
  | Readonly<{ kind: 'set'; by: 0 | 1; rule: Rule }>
  | Readonly<{ kind: 'send'; by: 0 | 1 }>
  | Readonly<{ kind: 'forget' }>
  | Readonly<{ kind: 'pass'; by: Millis }>

const BY = fc.constantFrom(0 as const, 1 as const)
const STEP: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('send'), by: BY }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('set'), by: BY, rule: RULE }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('forget') }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('pass'), by: fc.integer({ min: 1, max: 150_000 }).map(millis) }),
  },
)

type State = ReturnType<ReturnType<typeof specifiedWindow>['state']>
const usedAt = ({ window }: Rule, { lastRefreshTime, currentCount }: State, at: Instant): number =>
  at < later(lastRefreshTime, window) ? currentCount : 0

test('S5-P9 S5-P10 the decision is what the data dictates, whether Redis has it or it is fetched from PostgreSQL, and a changed limit has fresh state', async () => {
  await using opened = await openWorld()
  const { world } = opened
  let lastUser = 0
  const property = fc.asyncProperty(RULE, fc.array(STEP, { minLength: 4, maxLength: 14 }), async (rule, steps) => {
    lastUser += 1
    const user = String(lastUser)
    await opened.set(0, user, rule)
    let [specified, current] = [specifiedWindow(rule, world.at), rule]
    for (const step of steps) {
      if (step.kind === 'pass') world.at = later(world.at, step.by)
      else if (step.kind === 'forget') await opened.forget(user, usedAt(current, specified.state(), world.at))
      else if (step.kind === 'send') assert.equal(await opened.send(step.by, user), specified.send(world.at))
      else {
        await opened.set(step.by, user, step.rule)
        ;[specified, current] = [specifiedWindow(step.rule, world.at), step.rule]
      }
    }
  })
  await fc.assert(property, { numRuns: 100 })
})

test('S5-P9 if Redis contains the user, the system uses it without querying PostgreSQL', ofPostgres, async () => {
  await using opened = await openWorld()
  const rule: Rule = { limit: 3, window: minutes(1), algorithm: 'fixed' }
  await opened.set(0, '101', rule)
  await opened.set(0, '102', rule)
  assert.equal(await opened.send(0, '101'), true)
  await server.faults?.stop()
  try {
    assert.deepEqual(
      [await opened.send(1, '101'), await opened.send(0, '101'), await opened.send(1, '101')],
      [true, true, false],
    )
    await assert.rejects(opened.send(0, '102'), DatabaseUnavailable)
    // A process that starts now knows neither the defaults nor who has limits.
    const { rules } = await opened.open()
    await assert.rejects(rules.ofUser(TENANT, '101'), DatabaseUnavailable)
    assert.throws(() => rules.scopes(TENANT), DatabaseUnavailable)
  } finally {
    await server.faults?.start()
  }
  await until('PostgreSQL to answer', () => opened.send(0, '102').catch(() => false))
})
