import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { Alert } from '../../domain/alerts/alert.ts'
import type { AlertId } from '../../domain/ids.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openWebhookSigner } from '../../engines/crypto/webhook-signer.ts'
import { later, seconds, toIso } from '../../lib/time.ts'
import { START, TENANT } from '../gateway.fixture.ts'
import { answering, customers, KEY } from './deliver-webhook.fixture.ts'

const signer = openWebhookSigner(Buffer.alloc(32, 1))
const { open } = customers({ openEngine: openMemoryEngine, ids: openIds(), signer })

const ALERT: Alert = {
  id: '0c7b1f0e-5f0a-8c6e-9d57-0b6f0a3c2e11' as AlertId,
  kind: 'quota.warning',
  at: START,
  ...{ tenantId: TENANT, quota: 'waitingMessages', limit: 10, used: 8 },
}

test('delivers an alert once, signed like every webhook', async () => {
  const { addEndpoint, webhookDeliveries, deliverDue, requests, clock } = open()
  await addEndpoint()
  await webhookDeliveries.enqueueAlert(ALERT)
  assert.equal(await deliverDue(), 1)
  assert.equal(await deliverDue(), 0)
  const [{ body = '', headers = {} } = {}] = requests
  const data = { tenant_id: TENANT, mode: 'live', quota: 'waiting_messages', limit: 10, used: 8 }
  assert.deepEqual(JSON.parse(body), { type: 'quota.warning', timestamp: toIso(START), data })
  const signed = signer.sign({ ...KEY, secretVersion: 1 }, `alert_${ALERT.id}`, clock(), body)
  assert.deepEqual(headers, { ...signed, 'content-type': 'application/json', 'user-agent': 'Pombo' })
})

test('retries an alert, and gives it the same id', async () => {
  const { addEndpoint, webhookDeliveries, deliverDue, requests, pass } = open([answering(500)])
  await addEndpoint()
  await webhookDeliveries.enqueueAlert(ALERT)
  await deliverDue()
  assert.equal(await deliverDue(), 0)
  pass(seconds(10))
  assert.equal(await deliverDue(), 1)
  assert.equal(new Set(requests.map(({ headers }) => headers['webhook-id'])).size, 1)
  assert.equal(requests.length, 2)
})

test('skips an alert that the endpoint no longer subscribes to, and one from before a replay', async () => {
  const { addEndpoint, endpoint, endpoints, webhookDeliveries, deliverDue, requests, clock, pass } = open()
  await addEndpoint()
  await webhookDeliveries.enqueueAlert(ALERT)
  const found = await endpoint()
  assert.ok(found !== undefined)
  await endpoints.change({ ...found, events: ['message.failed'] })
  assert.equal(await deliverDue(), 1)
  await endpoints.change({ ...found, version: found.version + 1 })
  pass(seconds(1))
  const { tenantId, accountId, id: endpointId } = KEY
  await webhookDeliveries.replay(
    { tenantId, accountId, endpointId, subjectId: ALERT.id },
    later(START, seconds(1)),
    clock(),
  )
  assert.equal(await deliverDue(), 1)
  assert.deepEqual(requests, [])
})
