import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from 'pg'
import { sharePostgres } from '../../../test/support/postgres-server.ts'
import { endpointsContract } from '../../ports/endpoints.contract.ts'
import { webhookAttemptsContract } from '../../ports/webhook-attempts.contract.ts'
import { webhookDeliveriesContract } from '../../ports/webhook-deliveries.contract.ts'
import {
  addEndpoint,
  endpointKeyOf,
  NORTH_SHOP,
  secondsAfter,
  someChange,
  takeAll,
  toPosition,
} from '../../ports/webhook-delivery-samples.contract.ts'
import { openStores } from './database.fixture.ts'
import { postgresEndpoints } from './endpoints.ts'
import { postgresWebhookAttempts } from './webhook-attempts.ts'
import { postgresWebhookDeliveries } from './webhook-deliveries.ts'

const { migrated } = await sharePostgres()

const open = () =>
  openStores(migrated, (db) => ({
    endpoints: postgresEndpoints(db),
    webhookDeliveries: postgresWebhookDeliveries(db),
    webhookAttempts: postgresWebhookAttempts(db),
  }))

endpointsContract('postgres', open)
webhookDeliveriesContract('postgres', open)
webhookAttemptsContract('postgres', open)

test('a webhook delivery enqueued while its endpoint was removed is neither leased nor listed', async () => {
  await using opened = await open()
  const { endpoints, webhookDeliveries } = opened
  await addEndpoint(endpoints)
  await webhookDeliveries.enqueue([someChange(1)])
  const admin = new Client({ connectionString: opened.database.adminUrl })
  await admin.connect()
  await admin.query('delete from pombo.endpoints')
  await admin.end()
  assert.deepEqual(await takeAll(webhookDeliveries, secondsAfter(9)), [])
  assert.deepEqual(await webhookDeliveries.list({ ...NORTH_SHOP, limit: 10 }), { webhookDeliveries: [] })
})

test('concurrent enqueue, replay and resume of the same webhook deliveries do not deadlock', async () => {
  await using opened = await open()
  const { endpoints, webhookDeliveries } = opened
  const [one, other] = [await addEndpoint(endpoints), await addEndpoint(endpoints)]
  const changes = Array.from({ length: 300 }, (_, nth) => someChange(nth + 1))
  await webhookDeliveries.enqueue(changes)
  const again = (round: number) => changes.map((change) => ({ ...change, position: toPosition(1_000 * round) }))
  for (let round = 1; round < 10; round += 1) {
    await Promise.all([
      webhookDeliveries.enqueue(again(round)),
      webhookDeliveries.replay(endpointKeyOf(one), secondsAfter(0), secondsAfter(1_000)),
      webhookDeliveries.enqueue(again(round).toReversed()),
      webhookDeliveries.resume(endpointKeyOf(one), secondsAfter(500)),
      webhookDeliveries.replay(endpointKeyOf(other), secondsAfter(0), secondsAfter(1_000)),
    ])
  }
  const { webhookDeliveries: listed } = await webhookDeliveries.list({ ...NORTH_SHOP, limit: 1_000 })
  assert.deepEqual(new Set(listed.map(({ wantedThrough }) => wantedThrough)), new Set([9_000]))
})

test('a tenant cannot insert webhook deliveries, and the system cannot change what a tenant has configured', async () => {
  await using opened = await open()
  const { db, endpoints, webhookDeliveries } = opened
  const { tenantId } = await addEndpoint(endpoints)
  await webhookDeliveries.enqueue([someChange(1)])
  const refused = { code: '42501' }
  const insert = 'insert into pombo.webhook_deliveries select * from pombo.webhook_deliveries'
  await assert.rejects(db.asTenant(tenantId, insert, []), refused)
  await assert.rejects(
    db.asTenant(tenantId, 'update pombo.webhook_deliveries set message = gen_random_uuid()', []),
    refused,
  )
  const attempts = ['insert into pombo.webhook_attempts select * from pombo.webhook_attempts']
  for (const sql of [...attempts, `update pombo.webhook_attempts set sealed = ''`]) {
    await assert.rejects(db.asTenant(tenantId, sql, []), refused)
  }
  for (const sql of [`update pombo.endpoints set url = ''`, 'delete from pombo.endpoints']) {
    await assert.rejects(db.asSystem(sql), refused)
  }
})
