import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import type { EventLog } from '../../ports/event-log.ts'
import type { MessageIndex } from '../../ports/message-index.ts'
import type { Timeline } from '../../ports/timeline.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { CONTENT, openGateway, START, TENANT, TRACE } from '../gateway.fixture.ts'
import { erase } from './erase.ts'

const blind = (tenantId: string, recipient: string): string => `${tenantId} ${recipient}`
const world = {
  openEngine: (options: Parameters<typeof openMemoryEngine>[0]) => openMemoryEngine({ ...options, blind }),
  ids: openIds(),
}
const SOUTH = 'south' as TenantId
const NOT_FOUND = { code: 'NOT_FOUND' }

async function rowsOf({ index }: { index: MessageIndex }) {
  return (await index.search({ tenantId: TENANT, filter: {}, limit: 10 })).rows
}

test("erases content and recipient, and keeps the message's states", async () => {
  const gateway = openGateway(world)
  const id = await gateway.submit()
  await gateway.project()
  assert.equal((await rowsOf(gateway))[0]?.searchable?.to, '+*******4321')
  await erase(gateway.deps, { tenantId: TENANT, id, traceId: TRACE })
  assert.equal((await gateway.log.load(id))?.content, undefined)
  assert.equal((await rowsOf(gateway))[0]?.searchable, undefined)
  assert.equal((await gateway.stateOf(id)).erased, true)

  await gateway.project()
  const [row, ...others] = await rowsOf(gateway)
  assert.deepEqual([row?.state.erased, row?.searchable, others.length], [true, undefined, 0])
})

test('shreds the key first: after a failure the content is gone, and a retry completes the rest', async () => {
  const gateway = openGateway(world)
  const { deps, log, index } = gateway
  const id = await gateway.submit()
  await gateway.project()
  const failing: EventLog = { ...log, append: async () => Promise.reject(new Unavailable('no disk')) }
  const request = { tenantId: TENANT, id, traceId: TRACE }
  await assert.rejects(erase({ ...deps, log: failing }, request), Unavailable)
  assert.equal((await log.load(id))?.content, undefined)
  assert.deepEqual(await gateway.kindsOf(id), ['MessageCreated'])

  const broken: MessageIndex = { ...index, tombstone: async () => Promise.reject(new Unavailable('no disk')) }
  await assert.rejects(erase({ ...deps, index: broken }, request), Unavailable)
  assert.deepEqual(await gateway.kindsOf(id), ['MessageCreated', 'MessageErased'])
  assert.ok((await rowsOf(gateway))[0]?.searchable !== undefined)

  await erase(deps, request)
  assert.equal((await rowsOf(gateway))[0]?.searchable, undefined)
})

test('records nothing when the key cannot be destroyed', async () => {
  const { deps, log, submit, kindsOf } = openGateway(world)
  const id = await submit()
  const failing: EventLog = { ...log, shred: async () => Promise.reject(new Unavailable('no disk')) }
  await assert.rejects(erase({ ...deps, log: failing }, { tenantId: TENANT, id, traceId: TRACE }), Unavailable)
  assert.deepEqual(await kindsOf(id), ['MessageCreated'])
})

test('records repeated and concurrent erasures once', async () => {
  const { deps, submit, kindsOf } = openGateway(world)
  const id = await submit()
  const request = { tenantId: TENANT, id, traceId: TRACE }
  await Promise.all([erase(deps, request), erase(deps, request)])
  await erase(deps, request)
  assert.deepEqual(await kindsOf(id), ['MessageCreated', 'MessageErased'])
})

test("another tenant's message and an unknown id return NOT_FOUND and change nothing", async () => {
  const { deps, log, submit } = openGateway(world)
  const id = await submit()
  await assert.rejects(erase(deps, { tenantId: SOUTH, id, traceId: TRACE }), NOT_FOUND)
  await assert.rejects(erase(deps, { tenantId: TENANT, id: world.ids.messageId(START), traceId: TRACE }), NOT_FOUND)
  assert.deepEqual((await log.load(id))?.content, CONTENT)
})

/** A log that has dropped old events, which the index and the timeline still have. */
async function openPrunedLog() {
  const gateway = openGateway(world)
  const { log, deps, index } = gateway
  const timelineEvents: MessageEvent[] = []
  const timeline: Timeline = {
    keep: async (events) => void timelineEvents.push(...events.map(({ event }) => event)),
    read: async () => [],
    async page(tenantId, id) {
      const events = timelineEvents.filter(({ state }) => state.tenantId === tenantId && state.id === id)
      const state = events.at(-1)?.state
      return state && { events, first: 0, total: events.length, state }
    },
  }
  const id = await gateway.submit()
  await gateway.project()
  await timeline.keep(await log.read(id))
  const pruned: EventLog = {
    ...log,
    latest: async () => undefined,
    load: async () => undefined,
    read: async () => [],
  }
  return { id, index, log, timelineEvents, deps: { ...deps, log: pruned, indexWriter: index, timeline } }
}

test('erases a message that the log has dropped from the index and destroys its key', async () => {
  const { id, index, log, timelineEvents, deps } = await openPrunedLog()
  const request = { tenantId: TENANT, id, traceId: TRACE }
  await assert.rejects(erase(deps, { ...request, tenantId: SOUTH }), NOT_FOUND)
  assert.ok((await rowsOf({ index }))[0]?.searchable !== undefined)
  await erase(deps, request)
  const [row, ...others] = await rowsOf({ index })
  assert.deepEqual([row?.state.erased, row?.searchable, others.length], [true, undefined, 0])
  assert.deepEqual(
    timelineEvents.map(({ fact }) => fact.kind),
    ['MessageCreated', 'MessageErased'],
  )
  assert.equal((await log.load(id))?.content, undefined)
  await erase(deps, request)
  assert.equal(timelineEvents.length, 2)
})

test('erases a message that only the timeline has', async () => {
  const { id, index, log, timelineEvents, deps } = await openPrunedLog()
  await index.clear()
  await erase(deps, { tenantId: TENANT, id, traceId: TRACE })
  assert.equal(timelineEvents.at(-1)?.fact.kind, 'MessageErased')
  assert.equal((await log.load(id))?.content, undefined)
})
