/** Customers for the tests of telling: a gateway with endpoints, and a transport that brings back what it is told to. */

import type { AccountId, EndpointId, MessageId } from '../../domain/ids.ts'
import type { Endpoint } from '../../domain/webhooks/endpoint.ts'
import type { WebhookResponse } from '../../domain/webhooks/retry-schedule.ts'
import type { Clock } from '../../lib/clock.ts'
import { later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { EndpointKey, Endpoints } from '../../ports/endpoints.ts'
import type { WebhookDeliveries, WebhookDelivery } from '../../ports/webhook-deliveries.ts'
import type { WebhookSigner } from '../../ports/webhook-signer.ts'
import type { WebhookRequest } from '../../ports/webhook-transport.ts'
import {
  ACCEPTS,
  CONTENT,
  fakeProvider,
  openGateway,
  receiptOf,
  START,
  SUBMISSION,
  TENANT,
  type World,
} from '../gateway.fixture.ts'
import { applyReceipt } from '../receive/apply-receipt.ts'
import { type DeliverDeps, deliverWebhook, type WebhookObserver } from './deliver-webhook.ts'

type Customers = Readonly<{ endpoints: Endpoints; webhookDeliveries: WebhookDeliveries; signer: WebhookSigner }>
export type WebhookWorld = Readonly<{
  openEngine: (options: { clock: Clock }) => ReturnType<World['openEngine']> & Omit<Customers, 'signer'>
  ids: World['ids']
  signer: WebhookSigner
}>

const NONE = millis(0)
export const answering = (status: number, retryAfter = NONE): WebhookResponse => ({
  kind: 'answered',
  status,
  retryAfter,
})
export const UNREACHABLE: WebhookResponse = { kind: 'unreachable', reason: 'nobody is there' }
export const REFUSED: WebhookResponse = { kind: 'refused', reason: 'it is ours' }

export const KEY: EndpointKey = { tenantId: TENANT, accountId: 'shop' as AccountId, id: 'e1' as EndpointId }
export const CALLBACK_URL = 'https://customer.test/callback'

/** What the transport brings back, one after the other; 204 when there is nothing more. */
export type Answer = WebhookResponse | ((parcel: WebhookRequest) => WebhookResponse | Promise<WebhookResponse>)

/** Records whatever it is given, also while it is on the way. */
export function scriptedTransport(answers: readonly Answer[] = []) {
  const left = [...answers]
  const parcels: WebhookRequest[] = []
  return {
    parcels,
    async post(parcel: WebhookRequest): Promise<WebhookResponse> {
      parcels.push(parcel)
      const answer = left.shift() ?? answering(204)
      return typeof answer === 'function' ? answer(parcel) : answer
    },
  }
}

/** What an observer heard, each as one line. */
export function hearing() {
  const heard: string[] = []
  const observer: WebhookObserver = {
    onDelivered: ({ id }) => heard.push(`${id} told`),
    onFailed: ({ id }, reason) => heard.push(`${id} failed: ${reason}`),
    onDisabled: ({ id }, reason) => heard.push(`${id} disabled: ${reason}`),
  }
  return { heard, observer }
}

export function openWebhookWorld({ openEngine, ids, signer }: WebhookWorld, answers: readonly Answer[] = []) {
  let customers: Omit<Customers, 'signer'> | undefined
  const gateway = openGateway(
    {
      ids,
      openEngine(options) {
        const engine = openEngine(options)
        customers = engine
        return engine
      },
    },
    { providers: [fakeProvider(Array(500).fill(ACCEPTS))] },
  )
  if (customers === undefined) throw new Error('no engine was opened')
  const { endpoints, webhookDeliveries } = customers
  const transport = scriptedTransport(answers)
  const { heard, observer } = hearing()
  const { log, clock } = gateway
  const deps: DeliverDeps & Readonly<{ webhookDeliveries: WebhookDeliveries }> = {
    ...{ log, webhookDeliveries, endpoints, transport, signer, clock, observer },
    dice: () => 0.5,
    timeout: seconds(15),
    lease: seconds(45),
  }
  return {
    ...gateway,
    ...{ endpoints, webhookDeliveries, parcels: transport.parcels, heard, telling: deps },
    /** A customer's endpoint; it was there before the messages. */
    addEndpoint: (wanted: Partial<Endpoint> = {}): Promise<Endpoint | undefined> =>
      endpoints.add({ ...SOME_ENDPOINT, ...wanted }),
    endpoint: () => endpoints.find(KEY),
    /** A message that is delivered, with its four changes a second apart; `hasCallback` gives it an address of its own. */
    deliver: (hasCallback = false) => deliver(gateway, hasCallback),
    /** What whoever keeps the index does with the newest event of a message. */
    want: async (id: MessageId): Promise<void> => want(gateway, webhookDeliveries, id),
    takeWebhookDeliveries: (lease: Millis = deps.lease) =>
      webhookDeliveries.take(clock(), later(clock(), lease), 64, 8),
    deliveryOf: async (messageId: MessageId, endpointId = KEY.id): Promise<WebhookDelivery> => {
      const { tenantId, accountId } = KEY
      const [delivery] = (await webhookDeliveries.list({ tenantId, accountId, endpointId, messageId, limit: 1 }))
        .webhookDeliveries
      if (delivery === undefined) throw new Error('no such webhook delivery')
      return delivery
    },
    toldTypes: () => transport.parcels.map(({ body }) => String(JSON.parse(body).type)),
  }
}

const SOME_ENDPOINT = {
  ...KEY,
  url: 'https://customer.test/hook',
  events: [],
  secretVersion: 1,
  createdAt: START,
  updatedAt: START,
} as const

type Gateway = ReturnType<typeof openGateway>

async function deliver(gateway: Gateway, hasCallback: boolean): Promise<MessageId> {
  const content = hasCallback ? { ...CONTENT, callbackUrl: CALLBACK_URL } : CONTENT
  const id = await gateway.submit({ ...SUBMISSION, content })
  gateway.pass(seconds(1))
  await gateway.work()
  gateway.pass(seconds(1))
  await applyReceipt(gateway.deps, receiptOf(await gateway.stateOf(id), 'delivered'))
  return id
}

async function want({ log }: Gateway, webhookDeliveries: WebhookDeliveries, messageId: MessageId): Promise<void> {
  const latest = (await log.read(messageId)).at(-1)
  if (latest === undefined) throw new Error('message not found')
  const { event, position } = latest
  const { tenantId, accountId, callback } = event.state
  await webhookDeliveries.enqueue([
    { messageId, tenantId, accountId, position, hasCallback: callback === true, at: event.at },
  ])
}

/** What is told of a message that is delivered at the first try. */
export const LIFE = ['message.queued', 'message.sending', 'message.sent', 'message.delivered']

/** Nobody stops. */
export const ON = new AbortController().signal

/** Customers of a world, told as the loop does it. */
export function customers(world: WebhookWorld) {
  function open(answers: readonly Answer[] = []) {
    const telling = openWebhookWorld(world, answers)
    return {
      ...telling,
      /** Tells all that is due; answers how many webhook deliveries were. */
      tellDue: async (deps: Partial<DeliverDeps> = {}, stop = ON): Promise<number> => {
        const due = await telling.takeWebhookDeliveries()
        for (const taken of due) await deliverWebhook({ ...telling.telling, ...deps }, taken, stop)
        return due.length
      },
    }
  }

  /** A delivered message that an endpoint is to be told of. */
  async function delivered(answers: readonly Answer[] = []) {
    const opened = open(answers)
    await opened.addEndpoint()
    const id = await opened.deliver()
    await opened.want(id)
    return { ...opened, id }
  }

  return { open, delivered }
}
