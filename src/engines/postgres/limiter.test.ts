import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Client } from 'pg'
import { sharePostgres } from '../../../test/support/postgres-server.ts'
import { runs } from '../../../test/support/runs.ts'
import type { Count } from '../../domain/limits/combined-tallies.ts'
import type { Counter } from '../../domain/limits/limits.ts'
import type { Clock } from '../../lib/clock.ts'
import { later, millis, seconds } from '../../lib/time.ts'
import { limiterContract } from '../../ports/limiter.contract.ts'
import { acts, mustNotAct, someCounter, usedIn } from '../../ports/limiter-samples.contract.ts'
import { NOON } from '../../ports/samples.contract.ts'
import { Database, openPool } from './database.ts'
import { LimitCounts } from './limit-counts.ts'
import { postgresLimiter } from './limiter.ts'
import { checkSchema } from './schema.ts'

const { migrated } = await sharePostgres()

async function openLimiter(clock: Clock) {
  const opened = new AsyncDisposableStack()
  const database = opened.use(await migrated())
  const db = opened.use(new Database(openPool(database.appUrl), checkSchema))
  const counts = new LimitCounts(db)
  const lost: Counter[] = []
  const limiter = postgresLimiter({ counts, clock, onUncounted: (counters) => lost.push(...counters) })
  return { limiter, counts, db, lost, adminUrl: database.adminUrl, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

limiterContract('PostgreSQL', openLimiter, { rounds: runs(10, 100) })

test('S5-P5 an act that the log refuses is not counted', async () => {
  await using opened = await openLimiter(() => NOON)
  const { limiter } = opened
  const takes = fc.array(fc.boolean(), { minLength: 1, maxLength: 6 })
  const property = fc.asyncProperty(takes, fc.constantFrom('fixed', 'sliding'), async (taken, algorithm) => {
    const counter = someCounter({ limit: 100, algorithm })
    for (const isTaken of taken) {
      const act = isTaken ? acts : () => Promise.reject(new Error('NATS is unreachable'))
      await limiter.admit([counter], act).catch(() => undefined)
    }
    assert.equal((await limiter.status(counter)).used, taken.filter(Boolean).length)
  })
  await fc.assert(property, { numRuns: 100 })
})

const CUT_OFF = `
  select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and state = 'idle in transaction'
`

test('an act is answered even if its count cannot be written, and that is reported', async () => {
  await using opened = await openLimiter(() => NOON)
  const { limiter, adminUrl, lost } = opened
  const counter = someCounter()
  const admission = await limiter.admit([counter], async () => {
    const admin = new Client({ connectionString: adminUrl })
    await admin.connect()
    await admin.query(CUT_OFF)
    await admin.end()
    return { value: 'done', counts: true }
  })
  assert.equal(admission.kind === 'admitted' && admission.value, 'done')
  assert.deepEqual(lost, [counter])
  assert.deepEqual(usedIn(await limiter.admit([counter], acts)), [1])
})

test('adds what was counted elsewhere, and subtracts what is given back', async () => {
  await using opened = await openLimiter(() => NOON)
  const { limiter, counts } = opened
  const counter = someCounter({ limit: 3 })
  await limiter.admit([counter], acts)
  const [sum] = await counts.add([{ counter, tally: [[NOON, 4]] }], NOON)
  assert.deepEqual(sum, { counter, tally: [[NOON, 5]] })
  assert.equal((await limiter.admit([counter], mustNotAct)).kind, 'limited')
  await counts.add([{ counter, tally: [[NOON, -3]] }], NOON)
  assert.deepEqual(usedIn(await limiter.admit([counter], acts)), [3])
})

test('adding to existing and new counters returns the sums of all', async () => {
  await using opened = await openLimiter(() => NOON)
  const { counts } = opened
  const [known, fresh, takenBack] = [someCounter(), someCounter(), someCounter()]
  await counts.add([{ counter: known, tally: [[NOON, 2]] }], NOON)
  const sums: readonly Count[] = [
    { counter: fresh, tally: [[NOON, 1]] },
    { counter: known, tally: [[NOON, 5]] },
    { counter: takenBack, tally: [] },
  ]
  const changes: readonly Count[] = [
    { counter: fresh, tally: [[NOON, 1]] },
    { counter: known, tally: [[NOON, 3]] },
    { counter: takenBack, tally: [[NOON, -1]] },
  ]
  assert.deepEqual(await counts.add(changes, NOON), sums)
  assert.deepEqual(await counts.read([fresh, known, takenBack]), sums)
})

test('concurrent additions to many counters in different orders lose nothing', async () => {
  await using opened = await openLimiter(() => NOON)
  const { counts } = opened
  const counters = Array.from({ length: 20 }, () => someCounter())
  const changes = counters.map((counter) => ({ counter, tally: [[NOON, 1]] as const }))
  const orders = [changes, changes.toReversed(), changes.slice(7).concat(changes.slice(0, 7))]
  await Promise.all(Array.from({ length: 30 }, (_, nth) => counts.add(orders[nth % 3] ?? [], NOON)))
  for (const { tally } of await counts.read(counters)) assert.deepEqual(tally, [[NOON, 30]])
})

test('sweeps only what no longer counts', async () => {
  await using opened = await openLimiter(() => NOON)
  const { counts, db } = opened
  const [short, long] = [someCounter({ window: seconds(1) }), someCounter({ window: seconds(600) })]
  await counts.add(
    [short, long].map((counter) => ({ counter, tally: [[NOON, 1]] as const })),
    NOON,
  )
  const keys = async () => (await db.asSystem('select tenant from pombo.limit_counts')).map(({ tenant }) => tenant)
  await counts.sweep(later(NOON, seconds(60)))
  assert.equal((await keys()).length, 2)
  await counts.sweep(later(NOON, millis(61_001)))
  assert.deepEqual(await keys(), [long.tenantId])
})
