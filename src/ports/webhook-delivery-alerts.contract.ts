/** The deliveries of alerts. Run by webhook-deliveries.contract.ts. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { Alert } from '../domain/alerts/alert.ts'
import type { AccountId, AlertId, ProviderName } from '../domain/ids.ts'
import { START } from './event-log.ts'
import { tenant } from './samples.contract.ts'
import {
  addEndpoint,
  endpointKeyOf,
  NORTH_SHOP,
  type OpenWebhookDeliveries,
  secondsAfter,
  someChange,
  takeAll,
} from './webhook-delivery-samples.contract.ts'

const { tenantId } = NORTH_SHOP
const QUOTA = { kind: 'quota.warning', tenantId, quota: 'waitingMessages', limit: 10, used: 8 } as const
const BREAKER = {
  kind: 'provider.breaker_opened',
  provider: 'acme' as ProviderName,
  openedAt: secondsAfter(5),
} as const

const someAlert = (notice: typeof QUOTA | typeof BREAKER): Alert => ({
  ...notice,
  id: randomUUID() as AlertId,
  at: secondsAfter(5),
})

export function webhookDeliveryAlertsContract(open: OpenWebhookDeliveries): void {
  audienceContract(open)
  deliveryContract(open)
}

function audienceContract(open: OpenWebhookDeliveries): void {
  test('an alert of a tenant goes to all its endpoints that get its type, whatever the account', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const told = [
      await addEndpoint(endpoints),
      await addEndpoint(endpoints, { accountId: 'kiosk' as AccountId }),
      await addEndpoint(endpoints, { events: ['message.failed', 'quota.warning'], createdAt: secondsAfter(5) }),
    ]
    await addEndpoint(endpoints, { events: ['message.failed', 'quota.exceeded'] })
    await addEndpoint(endpoints, { tenantId: tenant('south') })
    await addEndpoint(endpoints, { tenantId: tenant('south'), events: ['quota.warning'] })
    await addEndpoint(endpoints, { createdAt: secondsAfter(6) })
    await webhookDeliveries.enqueueAlert(someAlert(QUOTA))
    const taken = await takeAll(webhookDeliveries, secondsAfter(9))
    assert.deepEqual(taken.map(({ endpointId }) => endpointId).toSorted(), told.map(({ id }) => id).toSorted())
  })

  test('an alert for operators goes to the endpoints that list its type, whatever the tenant', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    await addEndpoint(endpoints)
    await addEndpoint(endpoints, { events: ['provider.breaker_closed'] })
    const told = [
      await addEndpoint(endpoints, { events: ['provider.breaker_opened'] }),
      await addEndpoint(endpoints, { tenantId: tenant('south'), events: ['provider.breaker_opened'] }),
    ]
    await webhookDeliveries.enqueueAlert(someAlert(BREAKER))
    const taken = await takeAll(webhookDeliveries, secondsAfter(9))
    assert.deepEqual(taken.map(({ endpointId }) => endpointId).toSorted(), told.map(({ id }) => id).toSorted())
  })
}

function deliveryContract(open: OpenWebhookDeliveries): void {
  test('an alert is enqueued once, however often it is told, and carried to the worker', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints)
    const alert = someAlert(QUOTA)
    await Promise.all([alert, { ...alert, used: 9 }, alert].map((one) => webhookDeliveries.enqueueAlert(one)))
    const [taken, ...others] = await takeAll(webhookDeliveries, secondsAfter(5))
    assert.deepEqual(others, [])
    assert.equal(taken?.subjectId, alert.id)
    assert.equal(taken.alert?.kind, 'quota.warning')
    const delivered = { kind: 'delivered', through: taken.wantedThrough, status: 204, at: secondsAfter(6) } as const
    await webhookDeliveries.complete(taken, delivered)
    await webhookDeliveries.enqueueAlert(alert)
    assert.deepEqual(await takeAll(webhookDeliveries, secondsAfter(9)), [])
    const { webhookDeliveries: listed } = await webhookDeliveries.list({ ...endpointKeyOf(endpoint), limit: 9 })
    assert.deepEqual(
      listed.map(({ state, lastStatus, alert: of }) => [state, lastStatus, of?.kind]),
      [['delivered', 204, 'quota.warning']],
    )
  })

  test('the alert is read back as it was, beside the deliveries of messages', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints)
    const [alert, change] = [someAlert(QUOTA), someChange(7)]
    await webhookDeliveries.enqueueAlert(alert)
    await webhookDeliveries.enqueue([change])
    const { webhookDeliveries: listed } = await webhookDeliveries.list({ ...endpointKeyOf(endpoint), limit: 9 })
    assert.deepEqual(
      listed.map(({ subjectId, alert: of }) => [subjectId, of]),
      [
        [change.messageId, undefined],
        [alert.id, alert],
      ],
    )
    const { messageId: subjectId } = change
    const ofMessage = await webhookDeliveries.list({ ...NORTH_SHOP, subjectId, limit: 9 })
    assert.equal(ofMessage.webhookDeliveries.length, 1)
  })

  test('an alert is replayed with everything since, and not while its endpoint is disabled', async () => {
    await using opened = await open()
    const { endpoints, webhookDeliveries } = opened
    const endpoint = await addEndpoint(endpoints)
    await webhookDeliveries.enqueueAlert(someAlert(QUOTA))
    const [taken] = await takeAll(webhookDeliveries, secondsAfter(5))
    assert.ok(taken !== undefined)
    const delivered = { kind: 'delivered', through: taken.wantedThrough, status: 204, at: secondsAfter(6) } as const
    await webhookDeliveries.complete(taken, delivered)
    assert.equal(await webhookDeliveries.replay(endpointKeyOf(endpoint), secondsAfter(7), secondsAfter(8)), 0)
    assert.equal(await webhookDeliveries.replay(endpointKeyOf(endpoint), secondsAfter(4), secondsAfter(8)), 1)
    const { version } = endpoint
    await endpoints.change({ ...endpoint, version, disabled: 'by_hand' })
    assert.deepEqual(await takeAll(webhookDeliveries, secondsAfter(9)), [])
    await endpoints.change({ ...endpoint, version: version + 1 })
    const [again] = await takeAll(webhookDeliveries, secondsAfter(9))
    assert.deepEqual([again?.subjectId, again?.deliveredThrough], [taken.subjectId, START])
  })
}
