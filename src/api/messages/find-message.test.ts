import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { Caller } from '../../domain/access/caller.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openGateway } from '../../flows/gateway.fixture.ts'
import { findMessage } from './find-message.ts'

test('state and events are consistent although the message changes during the read', async () => {
  const gateway = openGateway({ openEngine: openMemoryEngine, ids: openIds() })
  const id = await gateway.submit()
  const before = await gateway.deps.log.page(id, { limit: 10 })
  await gateway.work()
  const log = { ...gateway.deps.log, page: async () => before }
  const caller = { tenantId: (await gateway.stateOf(id)).tenantId } as Caller
  const { state, events, content } = await findMessage({ log }, caller, id)
  assert.equal(events.length, 1)
  assert.deepEqual(state, events[0]?.state)
  assert.ok(content !== undefined)
})
