/** Failed webhook deliveries: retries, and the health of the endpoint. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { LONGEST_FAILING } from '../../domain/webhooks/retry-schedule.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openWebhookSigner } from '../../engines/crypto/webhook-signer.ts'
import { later, millis, seconds } from '../../lib/time.ts'
import { answering, customers, KEY, REFUSED, STATUS_EVENTS, UNREACHABLE } from './deliver-webhook.fixture.ts'

const signer = openWebhookSigner(Buffer.alloc(32, 1))
const { delivered } = customers({ openEngine: openMemoryEngine, ids: openIds(), signer })

test('retries a failed event after its delay and holds back the events after it', async () => {
  const opened = await delivered([answering(200), answering(500), UNREACHABLE])
  const { deliverDue, postedTypes, deliveryOf, pass, clock, observed, id } = opened
  await deliverDue()
  assert.deepEqual(postedTypes(), STATUS_EVENTS.slice(0, 2))
  const failed = await deliveryOf(id)
  assert.deepEqual([failed.state, failed.failures, failed.lastStatus], ['pending', 1, 500])
  assert.deepEqual([failed.lastError, failed.dueAt], ['responded with 500', later(clock(), seconds(5))])
  assert.equal(await deliverDue(), 0)

  pass(seconds(5))
  await deliverDue()
  const again = await deliveryOf(id)
  assert.deepEqual([again.failures, again.lastStatus, again.lastError], [2, undefined, 'connection refused'])
  pass(seconds(300))
  await deliverDue()
  assert.deepEqual(postedTypes(), ['message.queued', ...Array(3).fill('message.sending'), ...STATUS_EVENTS.slice(2)])
  assert.deepEqual([(await deliveryOf(id)).state, (await deliveryOf(id)).failures], ['delivered', 0])
  assert.deepEqual(observed, [
    ...['e1 delivered', 'e1 failed: 5xx', 'e1 failed: unreachable'],
    ...['e1 delivered', 'e1 delivered', 'e1 delivered'],
  ])
})

test('a retry has the same webhook-id and a new timestamp', async () => {
  const { deliverDue, requests, pass } = await delivered([answering(500)])
  await deliverDue()
  pass(seconds(5))
  await deliverDue()
  const [first, second] = requests.map(({ headers }) => headers)
  assert.equal(first?.['webhook-id'], second?.['webhook-id'])
  assert.equal(Number(second?.['webhook-timestamp']) - Number(first?.['webhook-timestamp']), 5)
  assert.equal(requests[0]?.body, requests[1]?.body)
})

test('failures of one event do not count for the next', async () => {
  const { deliverDue, deliveryOf, pass, clock, id } = await delivered([
    UNREACHABLE,
    UNREACHABLE,
    answering(200),
    REFUSED,
  ])
  await deliverDue()
  pass(seconds(5))
  await deliverDue()
  pass(seconds(300))
  await deliverDue()
  const { failures, lastError, dueAt } = await deliveryOf(id)
  assert.deepEqual([failures, lastError, dueAt], [1, 'private address', later(clock(), seconds(5))])
})

test("honours the endpoint's Retry-After, and gives up after ten attempts", async () => {
  const { deliverDue, deliveryOf, pass, clock, id, requests } = await delivered([
    answering(503, seconds(60)),
    ...Array(9).fill(UNREACHABLE),
  ])
  await deliverDue()
  assert.equal((await deliveryOf(id)).dueAt, later(clock(), seconds(60)))
  for (let tries = 1; tries < 10; tries += 1) {
    const { dueAt = clock() } = await deliveryOf(id)
    pass(millis(dueAt - clock()))
    assert.equal(await deliverDue(), 1)
  }
  assert.deepEqual([(await deliveryOf(id)).state, requests.length], ['failed', 10])
  pass(seconds(10 * 86_400))
  assert.equal(await deliverDue(), 0)
})

test('marks an endpoint as failing, and as healthy again after a success', async () => {
  const { deliverDue, endpoint, pass, clock } = await delivered([UNREACHABLE])
  await deliverDue()
  assert.equal((await endpoint())?.failingSince, clock())
  pass(seconds(5))
  await deliverDue()
  assert.equal((await endpoint())?.failingSince, undefined)
})

test('does not update the health of a healthy endpoint', async () => {
  const { deliverDue } = await delivered()
  await deliverDue({ endpoints: { judge: async () => assert.fail('unexpected health update') } })
})

test('disables an endpoint that has failed for five days and delivers nothing more to it', async () => {
  const { deliverDue, endpoint, pass, observed, deliver, enqueue, deliveryOf, id } = await delivered(
    Array(3).fill(UNREACHABLE),
  )
  await deliverDue()
  pass(millis(LONGEST_FAILING - seconds(10)))
  await deliverDue()
  assert.equal((await endpoint())?.disabled, undefined)
  pass(seconds(301))
  await deliverDue()
  assert.equal((await endpoint())?.disabled, 'failing')
  assert.deepEqual(observed.slice(-2), ['e1 failed: unreachable', 'e1 disabled: failing'])
  await enqueue(await deliver())
  pass(seconds(86_400))
  assert.deepEqual([await deliverDue(), (await deliveryOf(id)).state], [0, 'pending'])
})

test('disables an endpoint at once on 410, and delivers what is pending when it is enabled again', async () => {
  const { deliverDue, endpoint, endpoints, webhookDeliveries, observed, clock, postedTypes } = await delivered([
    answering(410),
  ])
  await deliverDue()
  const gone = await endpoint()
  assert.ok(gone?.disabled === 'gone')
  assert.deepEqual(observed, ['e1 failed: 4xx', 'e1 disabled: gone'])
  const { disabled: _, ...enabled } = gone
  await endpoints.change(enabled)
  const { id: endpointId, ...of } = KEY
  await webhookDeliveries.resume({ ...of, endpointId }, clock())
  await deliverDue()
  assert.deepEqual(postedTypes(), ['message.queued', ...STATUS_EVENTS])
})
