/** Endpoints and changes for the contracts of webhook deliveries. For tests only. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import type { AccountId, EndpointId, MessageId } from '../domain/ids.ts'
import type { Endpoint } from '../domain/webhooks/endpoint.ts'
import { type Instant, later, seconds } from '../lib/time.ts'
import type { Endpoints, NewEndpoint } from './endpoints.ts'
import type { Position } from './event-log.ts'
import { hours, NOON, tenant } from './samples.contract.ts'
import type {
  ChangedMessage,
  EndpointDeliveries,
  WebhookDeliveries,
  WebhookDelivery,
  WebhookDeliveryKey,
} from './webhook-deliveries.ts'

export type OpenWebhookDeliveries = () => Promise<
  Readonly<{ endpoints: Endpoints; webhookDeliveries: WebhookDeliveries }> & AsyncDisposable
>

/** The default owner. */
export const NORTH_SHOP = { tenantId: tenant('north'), accountId: 'shop' as AccountId }
/** After the end of every test, by its clock. */
export const LEASE_END = later(NOON, hours(1_000))

export const secondsAfter = (after: number): Instant => later(NOON, seconds(after))
export const toPosition = (position: number): Position => position as Position

export const someEndpoint = (wanted: Partial<NewEndpoint> = {}): NewEndpoint => ({
  id: `ep_${randomUUID()}` as EndpointId,
  ...NORTH_SHOP,
  url: 'https://shop.example/hooks',
  events: [],
  secretVersion: 1,
  createdAt: NOON,
  updatedAt: NOON,
  ...wanted,
})

export async function addEndpoint(endpoints: Endpoints, wanted: Partial<NewEndpoint> = {}): Promise<Endpoint> {
  const added = await endpoints.add(someEndpoint(wanted))
  assert.ok(added !== undefined)
  return added
}

export const someChange = (position: number, wanted: Partial<ChangedMessage> = {}): ChangedMessage => ({
  messageId: randomUUID() as MessageId,
  ...NORTH_SHOP,
  position: toPosition(position),
  hasCallback: false,
  at: secondsAfter(position),
  ...wanted,
})

export const keyOf = ({ messageId }: ChangedMessage, { id, tenantId, accountId }: Endpoint): WebhookDeliveryKey => ({
  tenantId,
  accountId,
  subjectId: messageId,
  endpointId: id,
})

export const endpointKeyOf = ({ id, tenantId, accountId }: Endpoint): EndpointDeliveries => ({
  tenantId,
  accountId,
  endpointId: id,
})

export async function findDelivery(
  webhookDeliveries: WebhookDeliveries,
  key: WebhookDeliveryKey,
): Promise<WebhookDelivery | undefined> {
  const { webhookDeliveries: found } = await webhookDeliveries.list({ ...key, limit: 10 })
  assert.ok(found.length < 2)
  return found[0]
}

/** Leases all due deliveries until the end of the test. */
export const takeAll = async (webhookDeliveries: WebhookDeliveries, at: Instant): Promise<readonly WebhookDelivery[]> =>
  (await webhookDeliveries.take(at, LEASE_END, 1_000, 1_000)).map(({ delivery }) => delivery)

export type Held = Readonly<{
  endpoint: Endpoint
  change: ChangedMessage
  key: WebhookDeliveryKey
  taken: WebhookDelivery
}>

/** A leased delivery with events through 3. */
export async function takeOne({
  endpoints,
  webhookDeliveries,
}: Readonly<{ endpoints: Endpoints; webhookDeliveries: WebhookDeliveries }>): Promise<Held> {
  const endpoint = await addEndpoint(endpoints)
  const change = someChange(3)
  await webhookDeliveries.enqueue([change])
  const [taken] = await takeAll(webhookDeliveries, secondsAfter(3))
  assert.ok(taken !== undefined)
  return { endpoint, change, key: keyOf(change, endpoint), taken }
}
