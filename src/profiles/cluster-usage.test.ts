import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import { Client } from 'pg'
import { openEngine } from '../../test/support/nats-engine.ts'
import { shareNats } from '../../test/support/nats-server.ts'
import { sharePostgres } from '../../test/support/postgres-server.ts'
import { projectAll } from '../../test/support/project.ts'
import { openPostgresLimits } from '../engines/postgres/limits.ts'
import { openPostgresIndex } from '../engines/postgres/postgres.ts'
import { openRoutes } from '../engines/postgres/routes.ts'
import { append, createdEntry, someMessage, stopped, tenant } from '../ports/samples.contract.ts'
import { Unavailable } from '../ports/unavailable.ts'
import { usageContract } from '../ports/usage.contract.ts'
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
