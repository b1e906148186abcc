import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { toStatus } from '../../domain/message/states.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { type EventLog, START as NOWHERE, type Position } from '../../ports/event-log.ts'
import type { MessageIndex, Projection } from '../../ports/message-index.ts'
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

/** An index whose writes are seen, and may fail. */
function watched(index: MessageIndex, beforeWrite: (nth: number) => void = () => undefined) {
  const applied: Applied[] = []
  const apply: MessageIndex['apply'] = async (projections, through) => {
    beforeWrite(applied.length)
    await index.apply(projections, through)
    applied.push({ projections, through })
  }
  return { applied, index: { ...index, apply } }
}

/** Projects until the index is up to the log. */
async function projectAll(
  log: EventLog,
  index: MessageIndex,
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

test('a busy message is written in its newest state, with what only its first event tells', async () => {
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

test('what comes later is written over what is known, which keeps what the first event told', async () => {
  const gateway = openGateway(world)
  await gateway.submit()
  await projectAll(gateway.log, gateway.index)
  await gateway.work()
  await projectAll(gateway.log, gateway.index)
  const [row] = await rowsOf(gateway)
  assert.equal(row && toStatus(row.state), 'sent')
  assert.equal(row?.searchable?.to, '+*******4321')
})

test('many messages are written in short steps, and the position is told with the last one alone', async () => {
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

test('after a fault half-way it takes up where the index stands, and nothing is missing or doubled', async () => {
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

test('it goes on from where the index stands, and reads nothing twice', async () => {
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

test('a page that is full to the brim is written although nothing follows', { timeout: 5_000 }, async () => {
  for (const count of [512, 1024]) {
    const gateway = openGateway(world)
    await many(gateway, count)
    await projectAll(gateway.log, gateway.index)
    assert.equal((await rowsOf(gateway)).length, count)
  }
})

test('an index made again from the start of the log is the index that it was', async () => {
  const gateway = openGateway(world, { providers: [fakeProvider(Array(9).fill(ACCEPTS))] })
  await many(gateway, 20)
  await projectAll(gateway.log, gateway.index)
  for (let n = 0; n < 9; n += 1) {
    await gateway.work()
    await projectAll(gateway.log, gateway.index)
  }
  const before = await rowsOf(gateway)
  await gateway.index.clear()
  const told: Position[] = []
  await projectAll(gateway.log, gateway.index, { onProgress: (through) => told.push(through) })
  assert.deepEqual(await rowsOf(gateway), before)
  assert.deepEqual(told, [38])
})

test('it rests between two looks, and goes on with what has come in the meantime until it is ended', async () => {
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

const WITH_CALLBACK = { ...CONTENT, callbackUrl: 'https://shop.example/told' }

/** What was wanted, page by page. */
function wanting() {
  const wanted: (readonly ChangedMessage[])[] = []
  const enqueue = async (changed: readonly ChangedMessage[]): Promise<void> => void wanted.push(changed)
  return { wanted, webhookDeliveries: { enqueue } }
}

test('of every message the newest event of a page is to be told, once the page is read', async () => {
  const gateway = openGateway(world)
  const [plain, called] = [await gateway.submit(), await gateway.submit({ content: WITH_CALLBACK })]
  await gateway.work()
  const { wanted, webhookDeliveries } = wanting()
  await projectAll(gateway.log, gateway.index, { webhookDeliveries })
  const [page, ...others] = wanted
  assert.deepEqual(others, [])
  for (const [id, hasCallback] of [[plain, false] as const, [called, true] as const]) {
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
    wanted.map(({ length }) => length),
    [2, 1],
  )
})

test('whatever is not written in the end is to be told again', async () => {
  const gateway = openGateway(world)
  await many(gateway, 20)
  const { wanted, webhookDeliveries } = wanting()
  const { index: failing } = watched(gateway.index, () => {
    throw new Error('no disk')
  })
  await assert.rejects(projectAll(gateway.log, failing, { webhookDeliveries }), /no disk/)
  await projectAll(gateway.log, gateway.index, { webhookDeliveries })
  assert.equal(wanted.length, 2)
  assert.deepEqual(wanted[0], wanted[1])
})

test('where it cannot be noted who is to be told, the index does not move on', async () => {
  const gateway = openGateway(world)
  await gateway.submit()
  const want = () => Promise.reject(new Error('no webhook deliveries'))
  await assert.rejects(
    projectAll(gateway.log, gateway.index, { webhookDeliveries: { enqueue: want } }),
    /no webhook deliveries/,
  )
  assert.equal(await gateway.index.position(), NOWHERE)
  assert.deepEqual(await rowsOf(gateway), [])
})
