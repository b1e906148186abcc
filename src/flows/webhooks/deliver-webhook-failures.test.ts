/** What becomes of webhook deliveries that an endpoint does not take, and of the endpoint. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { LONGEST_FAILING } from '../../domain/webhooks/retry-schedule.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openWebhookSigner } from '../../engines/crypto/webhook-signer.ts'
import { later, millis, seconds } from '../../lib/time.ts'
import { answering, customers, KEY, LIFE, REFUSED, UNREACHABLE } from './deliver-webhook.fixture.ts'

const signer = openWebhookSigner(Buffer.alloc(32, 1))
const { delivered } = customers({ openEngine: openMemoryEngine, ids: openIds(), signer })

test('what fails is told again after its time, and holds up what comes after it', async () => {
  const opened = await delivered([answering(200), answering(500), UNREACHABLE])
  const { tellDue, toldTypes, deliveryOf, pass, clock, heard, id } = opened
  await tellDue()
  assert.deepEqual(toldTypes(), LIFE.slice(0, 2))
  const failed = await deliveryOf(id)
  assert.deepEqual([failed.state, failed.failures, failed.lastStatus], ['pending', 1, 500])
  assert.deepEqual([failed.lastError, failed.dueAt], ['responded with 500', later(clock(), seconds(5))])
  assert.equal(await tellDue(), 0)

  pass(seconds(5))
  await tellDue()
  const again = await deliveryOf(id)
  assert.deepEqual([again.failures, again.lastStatus, again.lastError], [2, undefined, 'nobody is there'])
  pass(seconds(300))
  await tellDue()
  assert.deepEqual(toldTypes(), ['message.queued', ...Array(3).fill('message.sending'), ...LIFE.slice(2)])
  assert.deepEqual([(await deliveryOf(id)).state, (await deliveryOf(id)).failures], ['delivered', 0])
  assert.deepEqual(heard, [
    ...['e1 told', 'e1 failed: 5xx', 'e1 failed: unreachable'],
    ...['e1 told', 'e1 told', 'e1 told'],
  ])
})

test('an event that is told again has the same name, and the time of the new try', async () => {
  const { tellDue, parcels, pass } = await delivered([answering(500)])
  await tellDue()
  pass(seconds(5))
  await tellDue()
  const [first, second] = parcels.map(({ headers }) => headers)
  assert.equal(first?.['webhook-id'], second?.['webhook-id'])
  assert.equal(Number(second?.['webhook-timestamp']) - Number(first?.['webhook-timestamp']), 5)
  assert.equal(parcels[0]?.body, parcels[1]?.body)
})

test('failures of one event do not count for the next', async () => {
  const { tellDue, deliveryOf, pass, clock, id } = await delivered([UNREACHABLE, UNREACHABLE, answering(200), REFUSED])
  await tellDue()
  pass(seconds(5))
  await tellDue()
  pass(seconds(300))
  await tellDue()
  const { failures, lastError, dueAt } = await deliveryOf(id)
  assert.deepEqual([failures, lastError, dueAt], [1, 'it is ours', later(clock(), seconds(5))])
})

test('a wait that the endpoint asks for is kept to, and after ten tries it is given up', async () => {
  const { tellDue, deliveryOf, pass, clock, id, parcels } = await delivered([
    answering(503, seconds(60)),
    ...Array(9).fill(UNREACHABLE),
  ])
  await tellDue()
  assert.equal((await deliveryOf(id)).dueAt, later(clock(), seconds(60)))
  for (let tries = 1; tries < 10; tries += 1) {
    const { dueAt = clock() } = await deliveryOf(id)
    pass(millis(dueAt - clock()))
    assert.equal(await tellDue(), 1)
  }
  assert.deepEqual([(await deliveryOf(id)).state, parcels.length], ['failed', 10])
  pass(seconds(10 * 86_400))
  assert.equal(await tellDue(), 0)
})

test('an endpoint that fails is known to, and one that is well again too', async () => {
  const { tellDue, endpoint, pass, clock } = await delivered([UNREACHABLE])
  await tellDue()
  assert.equal((await endpoint())?.failingSince, clock())
  pass(seconds(5))
  await tellDue()
  assert.equal((await endpoint())?.failingSince, undefined)
})

test('of an endpoint that was well nobody judges again that it is', async () => {
  const { tellDue } = await delivered()
  await tellDue({ endpoints: { judge: async () => assert.fail('nobody asked') } })
})

test('an endpoint that does nothing but fail for five days is disabled, and told nothing more', async () => {
  const { tellDue, endpoint, pass, heard, deliver, want, deliveryOf, id } = await delivered(Array(3).fill(UNREACHABLE))
  await tellDue()
  pass(millis(LONGEST_FAILING - seconds(10)))
  await tellDue()
  assert.equal((await endpoint())?.disabled, undefined)
  pass(seconds(301))
  await tellDue()
  assert.equal((await endpoint())?.disabled, 'failing')
  assert.deepEqual(heard.slice(-2), ['e1 failed: unreachable', 'e1 disabled: failing'])
  await want(await deliver())
  pass(seconds(86_400))
  assert.deepEqual([await tellDue(), (await deliveryOf(id)).state], [0, 'pending'])
})

test('an endpoint that says it is gone is disabled at once, and has its webhook deliveries when it comes back', async () => {
  const { tellDue, endpoint, endpoints, webhookDeliveries, heard, clock, toldTypes } = await delivered([answering(410)])
  await tellDue()
  const gone = await endpoint()
  assert.ok(gone?.disabled === 'gone')
  assert.deepEqual(heard, ['e1 failed: 4xx', 'e1 disabled: gone'])
  const { disabled: _, ...enabled } = gone
  await endpoints.change(enabled)
  const { id: endpointId, ...of } = KEY
  await webhookDeliveries.resume({ ...of, endpointId }, clock())
  await tellDue()
  assert.deepEqual(toldTypes(), ['message.queued', ...LIFE])
})
