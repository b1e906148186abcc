import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../test/memory/memory.ts'
import type { MessageId } from '../domain/ids.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { openGateway, TENANT } from '../flows/gateway.fixture.ts'
import type { WebhookDeliveries } from '../ports/webhook-deliveries.ts'
import { rebuild } from './rebuild.ts'

test('rebuilds the index up to the end of the log, and enqueues webhook deliveries only for what it had not reached', async () => {
  const gateway = openGateway({ openEngine: openMemoryEngine, ids: openIds() })
  const { log, index } = gateway
  for (let n = 0; n < 3; n += 1) await gateway.submit()
  await rebuild({ log, index }, () => undefined)
  const newest = await gateway.submit()
  const enqueued: MessageId[] = []
  const enqueue: WebhookDeliveries['enqueue'] = async (changed) =>
    void enqueued.push(...changed.map(({ messageId }) => messageId))
  const done: number[] = []
  assert.deepEqual(await rebuild({ log, index, webhookDeliveries: { enqueue } }, (position) => done.push(position)), {
    events: 4,
  })
  assert.equal(done.at(-1), 4)
  assert.equal((await index.search({ tenantId: TENANT, filter: {}, limit: 10 })).rows.length, 4)
  assert.deepEqual(enqueued, [newest])
})
