import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openMemoryEngine } from '../../test/memory/memory.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { openGateway, TENANT } from '../flows/gateway.fixture.ts'
import type { ProjectedIndex } from '../ports/message-index.ts'
import { Projector } from './projector.ts'

const world = { openEngine: openMemoryEngine, ids: openIds() }
const noFault = (error: unknown): void => assert.fail(String(error))
/** Longer than its pause between pages and its pause after a fault. */
const A_WHILE = 2_000

const countOf = async (index: ProjectedIndex): Promise<number> =>
  (await index.search({ tenantId: TENANT, filter: {}, limit: 10 })).rows.length

test('the index follows the log while the projector runs', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { log, index, submit } = openGateway(world)
  await submit()
  const projector = new Projector({ log, index }, noFault)
  await setImmediate()
  assert.equal(await countOf(index), 1)
  await submit()
  t.mock.timers.tick(A_WHILE)
  await setImmediate()
  assert.equal(await countOf(index), 2)

  await projector[Symbol.asyncDispose]()
  await submit()
  t.mock.timers.tick(A_WHILE)
  await setImmediate()
  assert.equal(await countOf(index), 2)
})

test('reports a fault, pauses, and resumes at the position of the index', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { log, index, submit } = openGateway(world)
  await submit()
  const faults: unknown[] = []
  const fault = new Error('no disk')
  let isBroken = true
  const apply: ProjectedIndex['apply'] = (...args) => (isBroken ? Promise.reject(fault) : index.apply(...args))
  await using _projector = new Projector({ log, index: { ...index, apply } }, (error) => faults.push(error))
  await setImmediate()
  assert.deepEqual(faults, [fault])
  t.mock.timers.tick(A_WHILE)
  await setImmediate()
  assert.deepEqual(faults, [fault, fault])

  isBroken = false
  t.mock.timers.tick(A_WHILE)
  await setImmediate()
  assert.equal(await countOf(index), 1)
  assert.equal(faults.length, 2)
})

test('disposing ends a pause', async () => {
  const { log, index } = openGateway(world)
  const reported = Promise.withResolvers<void>()
  const position: ProjectedIndex['position'] = async () => Promise.reject(new Error('no disk'))
  const projector = new Projector({ log, index: { ...index, position } }, () => reported.resolve())
  await reported.promise
  await projector[Symbol.asyncDispose]()
})
