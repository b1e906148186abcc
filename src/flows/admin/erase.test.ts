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

test('erasing leaves the states of a message and nothing of what it says or whom it is for', async () => {
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

test('the key goes first: when we stop half-way the content is gone, and asking again completes the rest', async () => {
  const gateway = openGateway(world)
  const { deps, log, index } = gateway
  const id = await gateway.submit()
  await gateway.project()
  const failing: EventLog = { ...log, append: async () => Promise.reject(new Unavailable('no disk')) }
  const wish = { tenantId: TENANT, id, traceId: TRACE }
  await assert.rejects(erase({ ...deps, log: failing }, wish), Unavailable)
  assert.equal((await log.load(id))?.content, undefined)
  assert.deepEqual(await gateway.kindsOf(id), ['MessageCreated'])

  const broken: MessageIndex = { ...index, tombstone: async () => Promise.reject(new Unavailable('no disk')) }
  await assert.rejects(erase({ ...deps, index: broken }, wish), Unavailable)
  assert.deepEqual(await gateway.kindsOf(id), ['MessageCreated', 'MessageErased'])
  assert.ok((await rowsOf(gateway))[0]?.searchable !== undefined)

  await erase(deps, wish)
  assert.equal((await rowsOf(gateway))[0]?.searchable, undefined)
})

test('a key that cannot be destroyed is not said to be: nothing is recorded', async () => {
  const { deps, log, submit, kindsOf } = openGateway(world)
  const id = await submit()
  const failing: EventLog = { ...log, shred: async () => Promise.reject(new Unavailable('no disk')) }
  await assert.rejects(erase({ ...deps, log: failing }, { tenantId: TENANT, id, traceId: TRACE }), Unavailable)
  assert.deepEqual(await kindsOf(id), ['MessageCreated'])
})

test('erasing twice, or twice at once, is recorded once', async () => {
  const { deps, submit, kindsOf } = openGateway(world)
  const id = await submit()
  const wish = { tenantId: TENANT, id, traceId: TRACE }
  await Promise.all([erase(deps, wish), erase(deps, wish)])
  await erase(deps, wish)
  assert.deepEqual(await kindsOf(id), ['MessageCreated', 'MessageErased'])
})

test("another tenant's message, and one that never was, are not found and left alone", async () => {
  const { deps, log, submit } = openGateway(world)
  const id = await submit()
  await assert.rejects(erase(deps, { tenantId: SOUTH, id, traceId: TRACE }), NOT_FOUND)
  await assert.rejects(erase(deps, { tenantId: TENANT, id: world.ids.messageId(START), traceId: TRACE }), NOT_FOUND)
  assert.deepEqual((await log.load(id))?.content, CONTENT)
})

/** As where the broker drops events for their age, and the index and the timeline know them still. */
async function openForgetful() {
  const gateway = openGateway(world)
  const { log, deps, index } = gateway
  const kept: MessageEvent[] = []
  const timeline: Timeline = {
    keep: async (events) => void kept.push(...events.map(({ event }) => event)),
    read: async (tenantId, id) => kept.filter(({ state }) => state.tenantId === tenantId && state.id === id),
  }
  const id = await gateway.submit()
  await gateway.project()
  await timeline.keep(await log.read(id))
  const forgetful: EventLog = {
    ...log,
    latest: async () => undefined,
    load: async () => undefined,
    read: async () => [],
  }
  return { id, index, log, kept, deps: { ...deps, log: forgetful, timeline } }
}

test('a message that the log has dropped is erased from the index and its key is destroyed', async () => {
  const { id, index, log, kept, deps } = await openForgetful()
  const wish = { tenantId: TENANT, id, traceId: TRACE }
  await assert.rejects(erase(deps, { ...wish, tenantId: SOUTH }), NOT_FOUND)
  assert.ok((await rowsOf({ index }))[0]?.searchable !== undefined)
  await erase(deps, wish)
  const [row, ...others] = await rowsOf({ index })
  assert.deepEqual([row?.state.erased, row?.searchable, others.length], [true, undefined, 0])
  assert.deepEqual(
    kept.map(({ fact }) => fact.kind),
    ['MessageCreated', 'MessageErased'],
  )
  assert.equal((await log.load(id))?.content, undefined)
  await erase(deps, wish)
  assert.equal(kept.length, 2)
})

test('one that only the timeline knows is erased too', async () => {
  const { id, index, log, kept, deps } = await openForgetful()
  await index.clear()
  await erase(deps, { tenantId: TENANT, id, traceId: TRACE })
  assert.equal(kept.at(-1)?.fact.kind, 'MessageErased')
  assert.equal((await log.load(id))?.content, undefined)
})
