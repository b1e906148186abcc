import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { MessageId } from '../domain/ids.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { openMemoryEngine } from '../engines/memory/memory.ts'
import { openGateway, TENANT } from '../flows/gateway.fixture.ts'
import type { WebhookDeliveries } from '../ports/webhook-deliveries.ts'
import { rebuild } from './rebuild.ts'

test('an index is made again up to where the log stands, and customers are told what it had not come to', async () => {
  const gateway = openGateway({ openEngine: openMemoryEngine, ids: openIds() })
  const { log, index } = gateway
  for (let n = 0; n < 3; n += 1) await gateway.submit()
  await rebuild({ log, index }, () => undefined)
  const news = await gateway.submit()
  const wanted: MessageId[] = []
  const want: WebhookDeliveries['enqueue'] = async (changed) =>
    void wanted.push(...changed.map(({ messageId }) => messageId))
  const done: number[] = []
  // As an engine is handed over: with all that it has.
  assert.deepEqual(
    await rebuild({ log, index, webhookDeliveries: { enqueue: want } }, (position) => done.push(position)),
    { events: 4 },
  )
  assert.equal(done.at(-1), 4)
  assert.equal((await index.search({ tenantId: TENANT, filter: {}, limit: 10 })).rows.length, 4)
  assert.deepEqual(wanted, [news])
})
