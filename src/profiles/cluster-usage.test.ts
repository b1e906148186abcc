import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { Client } from 'pg'
import { openEngine } from '../../test/support/nats-engine.ts'
import { shareNats } from '../../test/support/nats-server.ts'
import { sharePostgres } from '../../test/support/postgres-server.ts'
import { projectAll } from '../../test/support/project.ts'
import { dayOf } from '../domain/message/usage.ts'
import { openPostgresLimits } from '../engines/postgres/limits.ts'
import { openPostgresIndex } from '../engines/postgres/postgres.ts'
import { openRoutes } from '../engines/postgres/routes.ts'
import { omitUndefined } from '../lib/omit-undefined.ts'
import { at, someProjection } from '../ports/index-samples.contract.ts'
import { daysAgo } from '../ports/retention-samples.contract.ts'
import {
  ACCEPTED,
  ACME,
  ATTEMPTED,
  append,
  createdEntry,
  NOON,
  someMessage,
  stateAfter,
  stopped,
  tenant,
} from '../ports/samples.contract.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { usageContract } from '../ports/usage.contract.ts'
import { usageRecordsContract } from '../ports/usage-records.contract.ts'
import { clusterRetention } from './cluster-retention.ts'
import { clusterUsage } from './cluster-usage.ts'
import { rebuild } from './rebuild.ts'

const { url } = await shareNats()
const { migrated } = await sharePostgres()

async function open() {
  await using opened = new AsyncDisposableStack()
  const database = opened.use(await migrated())
  const nats = opened.use(await openEngine({ url }))
  const { appUrl } = database
  const postgres = opened.use(await openPostgresIndex({ url: appUrl }))
  const ignore = { onFault: () => undefined, onUncounted: () => undefined, whenPropagated: async () => undefined }
  const { rules } = opened.use(await openPostgresLimits({ url: appUrl, clock: stopped, ...ignore }))
  const routes = opened.use(await openRoutes({ url: appUrl, file: [], ...ignore }))
  const { log, queue } = nats
  const { index, timeline } = postgres
  const all = opened.move()
  return {
    ...postgres,
    database,
    log,
    queue,
    rules,
    routes,
    retention: clusterRetention({ index: postgres.indexRetention, broker: nats.brokerRetention }),
    usage: clusterUsage({ waiting: nats.waiting, postgres: postgres.usage }),
    countTimelines: postgres.usage.countTimelines,
    catchUp: () => projectAll({ log, index, timeline }),
    rebuild: async () =>
      void (await rebuild({ log: { ...log, tip: nats.newestEvent }, index, timeline }, () => undefined)),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

usageContract('the cluster', open)
usageRecordsContract('the cluster', open)

describe('usage in the cluster', { timeout: 120_000 }, () => {
  test('what was stored before it was counted counts once its index is rebuilt and its timelines are counted', async () => {
    await using engine = await open()
    const tenantId = tenant(randomUUID())
    const stored = async () => (await engine.usage.measure([tenantId])).get(tenantId)?.storedBytes
    for (let count = 0; count < 3; count += 1) await append(engine.log, createdEntry(someMessage({ tenantId })))
    await engine.catchUp()
    const before = await stored()
    const admin = new Client({ connectionString: engine.database.adminUrl })
    await admin.connect()
    await admin.query('update pombo.messages set counted = null; update pombo.timelines set counted = null')
    await admin.end()
    assert.equal(await stored(), 0)
    await engine.countTimelines()
    await engine.rebuild()
    assert.equal(await stored(), before)
    await engine.countTimelines()
    assert.equal(await stored(), before)
  })

  test('a repeated projection counts once', async () => {
    await using engine = await open()
    const tenantId = tenant(randomUUID())
    const stored = async () => (await engine.usage.measure([tenantId])).get(tenantId)?.storedBytes
    await append(engine.log, createdEntry(someMessage({ tenantId })))
    const again = { ...engine, index: { ...engine.index, position: async () => 0 as never } }
    await engine.catchUp()
    const once = await stored()
    await projectAll({ log: again.log, index: again.index, timeline: engine.timeline })
    assert.equal(await stored(), once)
  })

  test('a repeated projection is billed once, and a rebuild without what the log has dropped takes nothing away', async () => {
    await using engine = await open()
    const { index, usageRecords } = engine
    const tenantId = tenant(randomUUID())
    const listed = () =>
      usageRecords.list({ tenantId, from: dayOf(daysAgo(99)), to: dayOf(NOON), groupBy: ['day'], limit: 9 })
    const handoffs = [{ attempt: 1, at: NOON, provider: ACME }]
    const first = someProjection({ message: { tenantId, createdAt: daysAgo(40) } }, 1)
    const sent = { ...first, state: stateAfter(first.state, [ATTEMPTED, ACCEPTED]), position: at(3), handoffs }
    const later = { ...sent, position: at(4), handoffs: undefined }
    for (const projection of [first, sent, sent, first, later, { ...later, position: at(5), handoffs }]) {
      await index.apply([omitUndefined(projection)], at(5))
    }
    const once = await listed()
    assert.deepEqual(
      once.map(({ key, messages, sentMessages }) => [...key, messages, sentMessages]),
      [
        [dayOf(daysAgo(40)), 1, 0],
        [dayOf(NOON), 0, 1],
      ],
    )
    await index.clear()
    await index.clear()
    assert.deepEqual(await listed(), once)
    await index.apply([{ ...sent, position: at(5) }], at(5))
    assert.deepEqual(await listed(), once)
  })

  test('a new message with the id of a deleted one is billed as well', async () => {
    await using engine = await open()
    const { index, usageRecords } = engine
    const tenantId = tenant(randomUUID())
    const old = someMessage({ tenantId, createdAt: daysAgo(40) })
    const handoffs = [{ attempt: 1, at: daysAgo(40), provider: ACME }]
    await index.apply([{ ...someProjection({ message: old, facts: [ATTEMPTED, ACCEPTED] }, 3), handoffs }], at(3))
    await index.apply([someProjection({ message: { ...old, createdAt: NOON } }, 4)], at(4))
    const query = { tenantId, from: dayOf(daysAgo(99)), to: dayOf(NOON), groupBy: ['day'] as const, limit: 9 }
    assert.deepEqual(
      (await usageRecords.list(query)).map(({ key, messages, sentMessages }) => [...key, messages, sentMessages]),
      [
        [dayOf(daysAgo(40)), 1, 1],
        [dayOf(NOON), 1, 0],
      ],
    )
  })

  test('a number that cannot be read is missing, and the other is not', async () => {
    const unreachable = async (): Promise<never> => {
      throw new Unavailable('it is unreachable')
    }
    const [north, south] = [tenant('north'), tenant('south')]
    const setup = unreachable
    const withoutPostgres = clusterUsage({ waiting: async () => 7, postgres: { setup, storedBytes: unreachable } })
    assert.deepEqual([...(await withoutPostgres.measure([north]))], [[north, { waiting: 7 }]])
    const storedBytes = async () => new Map([[north, 5]])
    const withoutNats = clusterUsage({ waiting: unreachable, postgres: { setup, storedBytes } })
    assert.deepEqual(
      [...(await withoutNats.measure([north, south]))],
      [
        [north, { storedBytes: 5 }],
        [south, { storedBytes: 0 }],
      ],
    )
  })
})
