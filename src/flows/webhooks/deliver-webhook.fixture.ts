/** A gateway with customer endpoints, and a webhook transport with scripted responses. */

import type { AccountId, EndpointId, MessageId } from '../../domain/ids.ts'
import type { WebhookAttempt } from '../../domain/webhooks/attempt.ts'
import type { Endpoint } from '../../domain/webhooks/endpoint.ts'
import { NO_BODY } from '../../domain/webhooks/kept-text.ts'
import type { WebhookResponse } from '../../domain/webhooks/retry-schedule.ts'
import type { Clock } from '../../lib/clock.ts'
import { later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { EndpointKey, Endpoints } from '../../ports/endpoints.ts'
import type { WebhookAttempts } from '../../ports/webhook-attempts.ts'
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
type WebhookWorld = Readonly<{
  openEngine: (options: { clock: Clock }) => ReturnType<World['openEngine']> & Omit<Customers, 'signer'>
  ids: World['ids']
  signer: WebhookSigner
}>

const NONE = millis(0)
export const answering = (status: number, retryAfter = NONE): WebhookResponse => ({
  kind: 'answered',
  status,
  retryAfter,
  headers: {},
  body: NO_BODY,
})
export const UNREACHABLE: WebhookResponse = { kind: 'unreachable', reason: 'connection refused' }
export const REFUSED: WebhookResponse = { kind: 'refused', reason: 'private address' }

export const KEY: EndpointKey = { tenantId: TENANT, accountId: 'shop' as AccountId, id: 'e1' as EndpointId }
export const CALLBACK_URL = 'https://customer.test/callback'

/** The transport's responses in order; 204 when none is left. */
type Answer = WebhookResponse | ((request: WebhookRequest) => WebhookResponse | Promise<WebhookResponse>)

/** Records every request when it is posted. */
function scriptedTransport(answers: readonly Answer[] = []) {
  const left = [...answers]
  const requests: WebhookRequest[] = []
  return {
    requests,
    async post(request: WebhookRequest): Promise<WebhookResponse> {
      requests.push(request)
      const answer = left.shift() ?? answering(204)
      return typeof answer === 'function' ? answer(request) : answer
    },
  }
}

/** Records what an observer is called with, one line per call. */
function recordObserver() {
  const observed: string[] = []
  const observer: WebhookObserver = {
    onDelivered: ({ id }) => observed.push(`${id} delivered`),
    onFailed: ({ id }, reason) => observed.push(`${id} failed: ${reason}`),
    onDisabled: ({ id }, reason) => observed.push(`${id} disabled: ${reason}`),
  }
  return { observed, observer }
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
  const { observed, observer } = recordObserver()
  const { log, clock, webhookAttempts } = gateway
  const attempts: WebhookAttempt[] = []
  const deps: DeliverDeps & Readonly<{ webhookDeliveries: WebhookDeliveries; webhookAttempts: WebhookAttempts }> = {
    ...{ log, webhookDeliveries, webhookAttempts, endpoints, transport, signer, clock, observer, ids },
    dice: () => 0.5,
    recordAttempt: (attempt) => void attempts.push(attempt),
    timeout: seconds(15),
    lease: seconds(45),
  }
  return {
    ...gateway,
    ...{ endpoints, webhookDeliveries, requests: transport.requests, attempts, observed, webhookDeps: deps },
    /** A customer's endpoint, created before the messages. */
    addEndpoint: (wanted: Partial<Endpoint> = {}): Promise<Endpoint | undefined> =>
      endpoints.add({ ...SOME_ENDPOINT, ...wanted }),
    endpoint: () => endpoints.find(KEY),
    /** A message that is delivered, with its status changes a second apart; `hasCallback` gives it a callback URL. */
    deliver: (hasCallback = false) => deliver(gateway, hasCallback),
    /** Enqueues the webhook deliveries of a message's newest event, as the projector does. */
    enqueue: async (id: MessageId): Promise<void> => enqueue(gateway, webhookDeliveries, id),
    takeWebhookDeliveries: (lease: Millis = deps.lease) =>
      webhookDeliveries.take(clock(), later(clock(), lease), 64, 8),
    deliveryOf: async (messageId: MessageId, endpointId = KEY.id): Promise<WebhookDelivery> => {
      const { tenantId, accountId } = KEY
      const [delivery] = (
        await webhookDeliveries.list({ tenantId, accountId, endpointId, subjectId: messageId, limit: 1 })
      ).webhookDeliveries
      if (delivery === undefined) throw new Error('no such webhook delivery')
      return delivery
    },
    postedTypes: () => transport.requests.map(({ body }) => String(JSON.parse(body).type)),
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

async function enqueue({ log }: Gateway, webhookDeliveries: WebhookDeliveries, messageId: MessageId): Promise<void> {
  const latest = (await log.read(messageId)).at(-1)
  if (latest === undefined) throw new Error('message not found')
  const { event, position } = latest
  const { tenantId, accountId, callback } = event.state
  await webhookDeliveries.enqueue([
    { messageId, tenantId, accountId, position, hasCallback: callback === true, at: event.at },
  ])
}

/** The events of a message that is delivered at the first attempt. */
export const STATUS_EVENTS = ['message.queued', 'message.sending', 'message.sent', 'message.delivered']

/** A signal that never aborts. */
export const RUNNING = new AbortController().signal

/** Opens webhook worlds and delivers as the worker loop does. */
export function customers(world: WebhookWorld) {
  function open(answers: readonly Answer[] = []) {
    const opened = openWebhookWorld(world, answers)
    return {
      ...opened,
      /** Makes all due webhook deliveries and returns their number. */
      deliverDue: async (deps: Partial<DeliverDeps> = {}, stop = RUNNING): Promise<number> => {
        const due = await opened.takeWebhookDeliveries()
        for (const taken of due) await deliverWebhook({ ...opened.webhookDeps, ...deps }, taken, stop)
        return due.length
      },
    }
  }

  /** A delivered message with a due webhook delivery. */
  async function delivered(answers: readonly Answer[] = []) {
    const opened = open(answers)
    await opened.addEndpoint()
    const id = await opened.deliver()
    await opened.enqueue(id)
    return { ...opened, id }
  }

  return { open, delivered }
}
