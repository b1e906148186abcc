import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { toStatus } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { type EventLog, START as NOWHERE, type Position } from '../../ports/event-log.ts'
import type { ProjectedIndex, Projection } from '../../ports/message-index.ts'
import type { ChangedMessage } from '../../ports/webhook-deliveries.ts'
import {
  ACCEPTS,
  CONTENT,
  fakeProvider,
  type Gateway,
  openGateway,
  receiptOf,
  SUBMISSION,
  TENANT,
} from '../gateway.fixture.ts'
import { applyReceipt } from '../receive/apply-receipt.ts'
import { type ProjectDeps, project } from './project.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }

type Applied = Readonly<{ projections: readonly Projection[]; through: Position }>

/** An index that records its writes, and can fail them. */
function watched(index: ProjectedIndex, beforeWrite: (nth: number) => void = () => undefined) {
  const applied: Applied[] = []
  const apply: ProjectedIndex['apply'] = async (projections, through) => {
    beforeWrite(applied.length)
    await index.apply(projections, through)
    applied.push({ projections, through })
  }
  return { applied, index: { ...index, apply } }
}

/** Projects until the index is up to date with the log. */
async function projectAll(
  log: EventLog,
  index: ProjectedIndex,
  more: Pick<ProjectDeps, 'onProgress' | 'webhookDeliveries'> = {},
): Promise<void> {
  const stop = new AbortController()
  const rest = async (): Promise<void> => {
    if ((await index.position()) === (await log.tip())) stop.abort()
  }
  await project({ log, index, rest, ...more }, stop.signal)
}

const rowsOf = async ({ index }: Pick<Gateway, 'index'>) =>
  (await index.search({ tenantId: TENANT, filter: {}, limit: 2_000 })).rows

const many = (gateway: Gateway, count: number) => Promise.all(Array.from({ length: count }, () => gateway.submit()))

test('writes the newest state of a message with the searchable fields of its first event', async () => {
  const gateway = openGateway(world)
  const id = await gateway.submit()
  await gateway.work()
  await applyReceipt(gateway.deps, receiptOf(await gateway.stateOf(id), 'delivered'))
  await projectAll(gateway.log, gateway.index)
  const [row, ...others] = await rowsOf(gateway)
  assert.deepEqual(others, [])
  assert.equal(row && toStatus(row.state), 'delivered')
  assert.equal(row?.searchable?.to, '+*******4321')
  assert.equal(await gateway.index.position(), 4)
})

test('a later update keeps the searchable fields of the first event', async () => {
  const gateway = openGateway(world)
  await gateway.submit()
  await projectAll(gateway.log, gateway.index)
  await gateway.work()
  await projectAll(gateway.log, gateway.index)
  const [row] = await rowsOf(gateway)
  assert.equal(row && toStatus(row.state), 'sent')
  assert.equal(row?.searchable?.to, '+*******4321')
})

test('writes many messages in small batches and moves the position with the last batch only', async () => {
  const gateway = openGateway(world)
  await many(gateway, 100)
  const { applied, index } = watched(gateway.index)
  await projectAll(gateway.log, index)
  assert.ok(applied.length > 3)
  assert.ok(applied.every(({ projections }) => projections.length <= 64))
  assert.equal(applied.flatMap(({ projections }) => projections).length, 100)
  assert.deepEqual(
    applied.map(({ through }) => through),
    [...applied.slice(1).map(() => NOWHERE), 100],
  )
})

test('resumes at the index position after a failed write; nothing is missing or doubled', async () => {
  const gateway = openGateway(world)
  const ids = await many(gateway, 200)
  const { index: failing } = watched(gateway.index, (nth) => {
    if (nth === 2) throw new Error('no disk')
  })
  await assert.rejects(projectAll(gateway.log, failing), /no disk/)
  assert.equal(await gateway.index.position(), 0)
  await projectAll(gateway.log, gateway.index)
  assert.deepEqual(new Set((await rowsOf(gateway)).map(({ state }) => state.id)), new Set(ids))
})

test('resumes at the index position and projects no event twice', async () => {
  const gateway = openGateway(world)
  await many(gateway, 3)
  await projectAll(gateway.log, gateway.index)
  const id = await gateway.submit()
  const { applied, index } = watched(gateway.index)
  await projectAll(gateway.log, index)
  assert.deepEqual(
    applied.flatMap(({ projections }) => projections).map(({ state }) => state.id),
    [id],
  )
})

test('writes a full last page', { timeout: 5_000 }, async () => {
  for (const count of [512, 1024]) {
    const gateway = openGateway(world)
    await many(gateway, count)
    await projectAll(gateway.log, gateway.index)
    assert.equal((await rowsOf(gateway)).length, count)
  }
})

test('a rebuilt index equals the original', async () => {
  const gateway = openGateway(world, { providers: [fakeProvider(Array(9).fill(ACCEPTS))] })
  await many(gateway, 20)
  await projectAll(gateway.log, gateway.index)
  for (let n = 0; n < 9; n += 1) {
    await gateway.work()
    await projectAll(gateway.log, gateway.index)
  }
  const before = await rowsOf(gateway)
  await gateway.index.clear()
  const progress: Position[] = []
  await projectAll(gateway.log, gateway.index, { onProgress: (through) => progress.push(through) })
  assert.deepEqual(await rowsOf(gateway), before)
  assert.deepEqual(progress, [38])
})

test('rests when idle, and continues with new events until it is stopped', async () => {
  const gateway = openGateway(world)
  const stop = new AbortController()
  let rests = 0
  const rest = async (): Promise<void> => {
    rests += 1
    if (rests === 3) stop.abort()
    else await gateway.submit()
  }
  await gateway.submit()
  await project({ log: gateway.log, index: gateway.index, rest }, stop.signal)
  assert.equal((await rowsOf(gateway)).length, 3)
})

const WITH_CALLBACK = { ...CONTENT, callbackUrl: 'https://shop.example/hook' }

/** Records the enqueued webhook deliveries, page by page. */
function recordDeliveries() {
  const enqueued: (readonly ChangedMessage[])[] = []
  const enqueue = async (changed: readonly ChangedMessage[]): Promise<void> => void enqueued.push(changed)
  return { enqueued, webhookDeliveries: { enqueue } }
}

test('enqueues one webhook delivery per message and page, at the newest event', async () => {
  const gateway = openGateway(world)
  const [plain, withCallback] = [await gateway.submit(), await gateway.submit({ content: WITH_CALLBACK })]
  await gateway.work()
  const { enqueued, webhookDeliveries } = recordDeliveries()
  await projectAll(gateway.log, gateway.index, { webhookDeliveries })
  const [page, ...others] = enqueued
  assert.deepEqual(others, [])
  for (const [id, hasCallback] of [[plain, false] as const, [withCallback, true] as const]) {
    const newest = (await gateway.log.read(id)).at(-1)
    const { tenantId, accountId } = SUBMISSION
    assert.deepEqual(
      page?.filter(({ messageId }) => messageId === id),
      [{ messageId: id, tenantId, accountId, position: newest?.position, hasCallback, at: newest?.event.at }],
    )
  }
  await gateway.submit()
  await projectAll(gateway.log, gateway.index, { webhookDeliveries })
  assert.deepEqual(
    enqueued.map(({ length }) => length),
    [2, 1],
  )
})

test('enqueues webhook deliveries again when the index write fails', async () => {
  const gateway = openGateway(world)
  await many(gateway, 20)
  const { enqueued, webhookDeliveries } = recordDeliveries()
  const { index: failing } = watched(gateway.index, () => {
    throw new Error('no disk')
  })
  await assert.rejects(projectAll(gateway.log, failing, { webhookDeliveries }), /no disk/)
  await projectAll(gateway.log, gateway.index, { webhookDeliveries })
  assert.equal(enqueued.length, 2)
  assert.deepEqual(enqueued[0], enqueued[1])
})

test('the index does not advance when webhook deliveries cannot be enqueued', async () => {
  const gateway = openGateway(world)
  await gateway.submit()
  const enqueue = () => Promise.reject(new Error('no webhook deliveries'))
  await assert.rejects(
    projectAll(gateway.log, gateway.index, { webhookDeliveries: { enqueue } }),
    /no webhook deliveries/,
  )
  assert.equal(await gateway.index.position(), NOWHERE)
  assert.deepEqual(await rowsOf(gateway), [])
})
