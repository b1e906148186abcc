/** Webhook deliveries in memory, for tests: one queue per endpoint. */

import { type Alert, tenantOf } from '../../src/domain/alerts/alert.ts'
import type { MessageId } from '../../src/domain/ids.ts'
import { CALLBACK, type Endpoint, subscribesTo } from '../../src/domain/webhooks/endpoint.ts'
import { parseNumbered, toCursor } from '../../src/engines/shared/cursors.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import { type Instant, instant } from '../../src/lib/time.ts'
import {
  type ChangedMessage,
  DELIVERIES_KEPT_FOR,
  type EndpointDeliveries,
  type WebhookDeliveries,
  type WebhookDelivery,
  type WebhookDeliveryKey,
  type WebhookDeliveryQuery,
} from '../../src/ports/webhook-deliveries.ts'
import type { MemoryEndpoints } from './endpoints.ts'
import {
  dueAt,
  type StoredDelivery,
  toCompleted,
  toNew,
  toNewAlert,
  toReplayed,
  toResumed,
  toWanted,
} from './webhook-delivery-steps.ts'

type StoredDeliveries = Map<string, StoredDelivery>

const BATCH_SIZE = 100

export type MemoryWebhookDeliveries = WebhookDeliveries & Readonly<{ remove: (messageId: MessageId) => void }>

export function memoryWebhookDeliveries({ now: endpoints, whenRemoved }: MemoryEndpoints): MemoryWebhookDeliveries {
  const deliveries: StoredDeliveries = new Map()
  let last = 0
  whenRemoved(({ id: endpointId, ...of }) => {
    for (const { delivery } of all({ ...of, endpointId })) deliveries.delete(nameOf(delivery))
  })
  const all = (endpoint: EndpointDeliveries): readonly StoredDelivery[] =>
    [...deliveries.values()].filter(({ delivery }) => isIn(endpoint, delivery))
  const endpointOf = ({ endpointId: id, ...of }: WebhookDelivery) => endpoints.find({ ...of, id })
  const isOpen = (delivery: WebhookDelivery): boolean => endpointOf(delivery)?.disabled === undefined

  function want(changed: ChangedMessage, endpointId: WebhookDelivery['endpointId'], since: Instant): void {
    last += 1
    const { tenantId, accountId, messageId: subjectId } = changed
    const fresh = { n: last, delivery: toNew({ tenantId, accountId, subjectId, endpointId }, changed, since) }
    const stored = deliveries.get(nameOf(fresh.delivery))
    deliveries.set(nameOf(fresh.delivery), stored === undefined ? fresh : toWanted(stored, changed))
  }

  function wantAlert(alert: Alert, endpoint: Endpoint): void {
    last += 1
    const fresh = { n: last, delivery: toNewAlert(alert, endpoint) }
    if (!deliveries.has(nameOf(fresh.delivery))) deliveries.set(nameOf(fresh.delivery), fresh)
  }

  return {
    async enqueue(changes) {
      for (const changed of changes) {
        for (const { id, createdAt, tenantId, accountId } of endpoints.all()) {
          const isConcerned = tenantId === changed.tenantId && accountId === changed.accountId
          if (isConcerned && createdAt <= changed.at) want(changed, id, createdAt)
        }
        if (changed.hasCallback) want(changed, CALLBACK, instant(0))
      }
    },

    async enqueueAlert(alert) {
      for (const endpoint of endpoints.all()) if (isTold(endpoint, alert)) wantAlert(alert, endpoint)
    },

    take: async (at, until, max, each) =>
      front(deliveries, at, each)
        .filter(({ delivery }) => isOpen(delivery))
        .slice(0, max)
        .map(({ n, delivery }) => {
          deliveries.set(nameOf(delivery), { n, delivery, heldUntil: until })
          const endpoint = endpointOf(delivery)
          return omitUndefined({ delivery, endpoint })
        }),

    complete: async (held, result) => step(deliveries, held, (stored) => toCompleted(stored, held, result)),
    release: async (key) => step(deliveries, key, ({ n, delivery }) => ({ n, delivery })),
    list: async (query) => list([...deliveries.values()], query, isOpen),

    async replay({ subjectId, ...endpoint }, since, at) {
      const isChosen = ({ delivery }: StoredDelivery): boolean =>
        subjectId === undefined ? delivery.updatedAt >= since : delivery.subjectId === subjectId
      const chosen = all(endpoint).filter(isChosen)
      for (const { delivery } of chosen) step(deliveries, delivery, (stored) => toReplayed(stored, since, at))
      return chosen.length
    },

    async resume(endpoint, at) {
      for (const { delivery } of all(endpoint)) step(deliveries, delivery, (stored) => toResumed(stored, at))
    },

    forget: async (before) => forget(deliveries, before),

    remove(messageId) {
      for (const [name, { delivery }] of deliveries) if (delivery.subjectId === messageId) deliveries.delete(name)
    },
  }
}

function forget(deliveries: StoredDeliveries, before: Instant): boolean {
  const old = [...deliveries].filter(([, { delivery }]) => delivery.updatedAt < before).slice(0, BATCH_SIZE)
  for (const [name] of old) deliveries.delete(name)
  return old.length === BATCH_SIZE
}

const isTold = (endpoint: Endpoint, alert: Alert): boolean =>
  endpoint.createdAt <= alert.at &&
  subscribesTo(endpoint, alert.kind) &&
  (tenantOf(alert) ?? endpoint.tenantId) === endpoint.tenantId

function step(
  deliveries: StoredDeliveries,
  key: WebhookDeliveryKey,
  next: (stored: StoredDelivery) => StoredDelivery,
): void {
  const stored = deliveries.get(nameOf(key))
  if (stored !== undefined && isIn(key, stored.delivery)) deliveries.set(nameOf(key), next(stored))
}

/** The first `each` due deliveries of every endpoint, one endpoint after the other, without those in flight. */
function front(deliveries: StoredDeliveries, at: Instant, each: number): readonly StoredDelivery[] {
  const isOld = ({ delivery }: StoredDelivery): boolean => delivery.updatedAt < at - DELIVERIES_KEPT_FOR
  const due = [...deliveries.values()]
    .filter((stored) => dueAt(stored) <= at && !isOld(stored))
    .toSorted(longestDueFirst)
  const queues = Map.groupBy(due, ({ delivery }) => endpointKeyOf(delivery)).values()
  return [...queues]
    .flatMap((endpoint) => endpoint.slice(0, each).map((stored, turn) => ({ stored, turn })))
    .filter(({ stored: { heldUntil = 0 } }) => heldUntil <= at)
    .toSorted((one, other) => one.turn - other.turn || longestDueFirst(one.stored, other.stored))
    .map(({ stored }) => stored)
}

const longestDueFirst = (one: StoredDelivery, other: StoredDelivery): number =>
  dueAt(one) - dueAt(other) || one.n - other.n
const nameOf = ({ subjectId, endpointId }: Pick<WebhookDeliveryKey, 'subjectId' | 'endpointId'>): string =>
  `${subjectId} ${endpointId}`
const endpointKeyOf = ({ tenantId, accountId, endpointId }: EndpointDeliveries): string =>
  `${tenantId} ${accountId} ${endpointId}`
const isIn = (endpoint: EndpointDeliveries, delivery: WebhookDelivery): boolean =>
  endpointKeyOf(endpoint) === endpointKeyOf(delivery)

function list(
  all: readonly StoredDelivery[],
  query: WebhookDeliveryQuery,
  isOpen: (delivery: WebhookDelivery) => boolean,
) {
  const { tenantId, accountId, endpointId, subjectId, state, limit, cursor } = query
  const [updatedAt, before] = cursor === undefined ? [Number.POSITIVE_INFINITY, 0] : parseNumbered(cursor)
  const found = all
    .filter(({ delivery }) => delivery.tenantId === tenantId && delivery.accountId === accountId)
    .filter(({ delivery }) => delivery.endpointId === (endpointId ?? delivery.endpointId))
    .filter(({ delivery }) => delivery.subjectId === (subjectId ?? delivery.subjectId))
    .filter(({ delivery }) => delivery.state === (state ?? delivery.state))
    .filter(({ n, delivery }) => delivery.updatedAt < updatedAt || (delivery.updatedAt === updatedAt && n < before))
    .toSorted((one, other) => other.delivery.updatedAt - one.delivery.updatedAt || other.n - one.n)
  const page = found.slice(0, limit)
  const end = found.length > limit ? page.at(-1) : undefined
  return omitUndefined({
    webhookDeliveries: page.map(({ delivery }) => toShown(delivery, isOpen(delivery))),
    nextCursor: end && toCursor(end.delivery.updatedAt, end.n),
  })
}

function toShown({ dueAt, ...delivery }: WebhookDelivery, isOpen: boolean): WebhookDelivery {
  return isOpen && dueAt !== undefined ? { ...delivery, dueAt } : delivery
}
