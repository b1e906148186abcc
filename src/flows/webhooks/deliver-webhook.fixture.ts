/** Customers for the tests of telling: a gateway with endpoints, and a courier that brings back what it is told to. */

import type { AccountId, EndpointId, MessageId } from '../../domain/ids.ts'
import type { Endpoint } from '../../domain/webhooks/endpoint.ts'
import type { Carried } from '../../domain/webhooks/retry-schedule.ts'
import type { Clock } from '../../lib/clock.ts'
import { later, type Millis, millis, seconds } from '../../lib/time.ts'
import type { EndpointKey, Endpoints } from '../../ports/endpoints.ts'
import type { Notice, Notices } from '../../ports/webhook-deliveries.ts'
import type { NoticeSigner } from '../../ports/webhook-signer.ts'
import type { Parcel } from '../../ports/webhook-transport.ts'
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
import { settle } from '../receive/apply-receipt.ts'
import { type TellDeps, type TellObserver, tell } from './deliver-webhook.ts'

type Customers = Readonly<{ endpoints: Endpoints; notices: Notices; signer: NoticeSigner }>
export type TellingWorld = Readonly<{
  openEngine: (options: { clock: Clock }) => ReturnType<World['openEngine']> & Omit<Customers, 'signer'>
  ids: World['ids']
  signer: NoticeSigner
}>

const NONE = millis(0)
export const answering = (status: number, retryAfter = NONE): Carried => ({ kind: 'answered', status, retryAfter })
export const UNREACHABLE: Carried = { kind: 'unreachable', reason: 'nobody is there' }
export const REFUSED: Carried = { kind: 'refused', reason: 'it is ours' }

export const KEY: EndpointKey = { tenantId: TENANT, accountId: 'shop' as AccountId, id: 'e1' as EndpointId }
export const CALLBACK_URL = 'https://customer.test/callback'

/** What the courier brings back, one after the other; 204 when there is nothing more. */
export type Answer = Carried | ((parcel: Parcel) => Carried | Promise<Carried>)

/** Records whatever it is given, also while it is on the way. */
export function scriptedCourier(answers: readonly Answer[] = []) {
  const left = [...answers]
  const parcels: Parcel[] = []
  return {
    parcels,
    async carry(parcel: Parcel): Promise<Carried> {
      parcels.push(parcel)
      const answer = left.shift() ?? answering(204)
      return typeof answer === 'function' ? answer(parcel) : answer
    },
  }
}

/** What an observer heard, each as one line. */
export function hearing() {
  const heard: string[] = []
  const observer: TellObserver = {
    onTold: ({ id }) => heard.push(`${id} told`),
    onFailed: ({ id }, reason) => heard.push(`${id} failed: ${reason}`),
    onDisabled: ({ id }, reason) => heard.push(`${id} disabled: ${reason}`),
  }
  return { heard, observer }
}

export function openTelling({ openEngine, ids, signer }: TellingWorld, answers: readonly Answer[] = []) {
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
  const { endpoints, notices } = customers
  const courier = scriptedCourier(answers)
  const { heard, observer } = hearing()
  const { log, clock } = gateway
  const deps: TellDeps & Readonly<{ notices: Notices }> = {
    ...{ log, notices, endpoints, courier, signer, clock, observer },
    dice: () => 0.5,
    timeout: seconds(15),
    lease: seconds(45),
  }
  return {
    ...gateway,
    ...{ endpoints, notices, parcels: courier.parcels, heard, telling: deps },
    /** A customer's endpoint; it was there before the messages. */
    addEndpoint: (wanted: Partial<Endpoint> = {}): Promise<Endpoint | undefined> =>
      endpoints.add({ ...SOME_ENDPOINT, ...wanted }),
    endpoint: () => endpoints.find(KEY),
    /** A message that is delivered, with its four changes a second apart; `hasCallback` gives it an address of its own. */
    deliver: (hasCallback = false) => deliver(gateway, hasCallback),
    /** What whoever keeps the index does with the newest event of a message. */
    want: async (id: MessageId): Promise<void> => want(gateway, notices, id),
    takeNotices: (lease: Millis = deps.lease) => notices.take(clock(), later(clock(), lease), 64, 8),
    noticeOf: async (messageId: MessageId, endpointId = KEY.id): Promise<Notice> => {
      const { tenantId, accountId } = KEY
      const [notice] = (await notices.list({ tenantId, accountId, endpointId, messageId, limit: 1 })).notices
      if (notice === undefined) throw new Error('no such notice')
      return notice
    },
    toldTypes: () => courier.parcels.map(({ body }) => String(JSON.parse(body).type)),
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
  await settle(gateway.deps, receiptOf(await gateway.stateOf(id), 'delivered'))
  return id
}

async function want({ log }: Gateway, notices: Notices, messageId: MessageId): Promise<void> {
  const latest = await log.latest(messageId)
  if (latest === undefined) throw new Error('no such message')
  const { event, position } = latest
  const { tenantId, accountId, callback } = event.state
  await notices.want([{ messageId, tenantId, accountId, position, hasCallback: callback === true, at: event.at }])
}

/** What is told of a message that is delivered at the first try. */
export const LIFE = ['message.queued', 'message.sending', 'message.sent', 'message.delivered']

/** Nobody stops. */
export const ON = new AbortController().signal

/** Customers of a world, told as the loop does it. */
export function customers(world: TellingWorld) {
  function open(answers: readonly Answer[] = []) {
    const telling = openTelling(world, answers)
    return {
      ...telling,
      /** Tells all that is due; answers how many notices were. */
      tellDue: async (deps: Partial<TellDeps> = {}, stop = ON): Promise<number> => {
        const due = await telling.takeNotices()
        for (const taken of due) await tell({ ...telling.telling, ...deps }, taken, stop)
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
