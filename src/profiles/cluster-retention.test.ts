import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openEngine } from '../../test/support/nats-engine.ts'
import { shareNats } from '../../test/support/nats-server.ts'
import { sharePostgres } from '../../test/support/postgres-server.ts'
import { projectAll } from '../../test/support/project.ts'
import { openPostgresLimits } from '../engines/postgres/limits.ts'
import { openPostgresIndex } from '../engines/postgres/postgres.ts'
import { later } from '../lib/time.ts'
import { retentionContract } from '../ports/retention.contract.ts'
import { daysAgo, find, happen, KEPT_30, MANY, NORTH, put, putOld } from '../ports/retention-samples.contract.ts'
import { append, hours, NOON, nextEntry, stopped } from '../ports/samples.contract.ts'
import { type ClusterRetentionDeps, clusterRetention } from './cluster-retention.ts'
import { rebuild } from './rebuild.ts'

const { url } = await shareNats()
const { migrated } = await sharePostgres()

async function open() {
  await using opened = new AsyncDisposableStack()
  const database = opened.use(await migrated())
  const nats = opened.use(await openEngine({ url }))
  const postgres = opened.use(await openPostgresIndex({ url: database.appUrl }))
  const ignore = () => undefined
  const { rules } = opened.use(
    await openPostgresLimits({ url: database.appUrl, clock: stopped, onFault: ignore, onUncounted: ignore }),
  )
  const { log, newestEvent } = nats
  const parts: ClusterRetentionDeps = { index: postgres.indexRetention, broker: nats.brokerRetention }
  const all = opened.move()
  return {
    ...postgres,
    log,
    rules,
    newestEvent,
    parts,
    retention: clusterRetention(parts),
    catchUp: () => projectAll({ ...postgres, log }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

retentionContract('the cluster', open)

const STEPS = ['removeContents', 'removeDetails', 'removeEvents', 'remove'] as const
type Act = () => Promise<unknown>

/** The same parts, with `act` before or after a step. */
function interrupted({ index, broker }: ClusterRetentionDeps, step: string, when: 'before' | 'after', act: Act) {
  const wrap = <Part extends object>(part: Part): Part =>
    Object.fromEntries(
      Object.entries(part).map(([name, call]: [string, (...args: unknown[]) => Promise<unknown>]) => [
        name,
        async (...args: unknown[]) => {
          if (name === step && when === 'before') await act()
          const result = await call(...args)
          if (name === step && when === 'after') await act()
          return result
        },
      ]),
    ) as Part
  return clusterRetention({ index: wrap(index), broker: wrap(broker) })
}

describe('retention in the cluster', { timeout: 120_000 }, () => {
  const crash: Act = async () => {
    throw new Error('the process was killed')
  }

  for (const step of STEPS) {
    test(`an interruption at ${step} leaves nothing that the next round does not delete`, async () => {
      await using engine = await open()
      const old = [await putOld(engine, 40), await putOld(engine, 41)]
      const young = await putOld(engine, 1)
      const killed = interrupted(engine.parts, step, 'before', crash)
      await assert.rejects(killed.prune(KEPT_30, NOON, MANY), /was killed/)
      assert.equal((await find(engine)).length, 3)
      assert.equal(await engine.retention.prune(KEPT_30, NOON, MANY), 2)
      assert.deepEqual(await find(engine), [young.id])
      for (const { id } of old) {
        assert.equal(await engine.log.latest(id), undefined)
        assert.deepEqual(await engine.timeline.read(NORTH, id), [])
      }
      assert.notEqual((await engine.log.load(young.id))?.content, undefined)
    })
  }

  test('the log decides whether a message is over, however far the index is behind', async () => {
    await using engine = await open()
    const { log, retention } = engine
    const again = await putOld(engine, 50)
    for (const age of [42, 41, 40]) await putOld(engine, age)
    await happen({ ...engine, catchUp: async () => undefined }, again, { kind: 'ResendRequested', by: 'resend' })
    assert.equal(await retention.prune(KEPT_30, NOON, 2), 2)
    assert.equal(await retention.prune(KEPT_30, NOON, 2), 1)
    assert.deepEqual(await find(engine), [again.id])
    assert.notEqual((await log.load(again.id))?.content, undefined)
    await engine.catchUp()
    assert.equal((await engine.timeline.read(NORTH, again.id)).length, 5)
  })

  test('an event that is appended while its message is deleted is deleted with the next round', async () => {
    await using engine = await open()
    const { log, retention, parts } = engine
    const { id } = await putOld(engine, 40)
    const bounced = { kind: 'ProviderBounced', reportId: 'late' } as const
    const late = interrupted(parts, 'removeContents', 'after', async () => {
      const seen = await log.latest(id)
      assert.ok(seen !== undefined)
      await append(log, nextEntry(seen, bounced))
    })
    await late.prune(KEPT_30, NOON, MANY)
    assert.equal((await log.latest(id))?.event.fact.kind, 'ProviderBounced')
    await engine.catchUp()
    assert.deepEqual(await find(engine), [id])
    assert.equal(await retention.prune(KEPT_30, NOON, MANY), 1)
    assert.equal(await log.latest(id), undefined)
    assert.deepEqual(await engine.timeline.read(NORTH, id), [])
  })

  test('a new message that gets the id before the row of the deleted one is gone does not inherit its data', async () => {
    await using engine = await open()
    const { log, parts, retention } = engine
    const old = await put(engine, { message: { createdAt: daysAgo(40) }, content: { tags: ['old'] } })
    const again = interrupted(parts, 'removeEvents', 'after', async () => {
      await put(engine, { message: { ...old, createdAt: NOON }, content: { tags: ['new'] } })
    })
    assert.equal(await again.prune(KEPT_30, NOON, MANY), 0)
    assert.deepEqual(await find(engine, { tag: 'new' }), [old.id])
    assert.deepEqual(await find(engine, { tag: 'old' }), [])
    assert.deepEqual((await log.load(old.id))?.content?.tags, ['new'])
    assert.equal((await engine.timeline.read(NORTH, old.id)).length, 4)
    assert.equal(await retention.prune(KEPT_30, later(NOON, hours(2)), MANY), 0)
  })

  test('the index can be rebuilt after the newest messages were deleted', async () => {
    await using engine = await open()
    const young = await putOld(engine, 1)
    await putOld(engine, 40)
    await engine.retention.prune(KEPT_30, NOON, MANY)
    const log = { ...engine.log, tip: engine.newestEvent }
    await rebuild({ log, index: engine.index, timeline: engine.timeline }, () => undefined)
    assert.deepEqual(await find(engine), [young.id])
  })
})
