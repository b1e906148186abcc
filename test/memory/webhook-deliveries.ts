/** Webhook deliveries that are forgotten with their process. Those of one endpoint are one line, told from its front. */
import { CALLBACK } from '../../src/domain/webhooks/endpoint.ts'
import { parseDeliveryCursor, toDeliveryCursor } from '../../src/engines/shared/webhook-delivery-rows.ts'
import { type Instant, instant } from '../../src/lib/time.ts'
import {
  type ChangedMessage,
  DELIVERIES_KEPT_FOR,
  type WebhookDeliveries,
  type WebhookDelivery,
  type WebhookDeliveryKey,
  type WebhookDeliveryQuery,
} from '../../src/ports/webhook-deliveries.ts'
import type { MemoryEndpoints } from './endpoints.ts'
import { dueAt, type Kept, toCompleted, toNew, toReplayed, toResumed, toWanted } from './webhook-delivery-steps.ts'

type Line = Omit<WebhookDeliveryKey, 'messageId'>
type Known = Map<string, Kept>

const A_FEW = 100

export function memoryWebhookDeliveries({ now: endpoints, whenRemoved }: MemoryEndpoints): WebhookDeliveries {
  const known: Known = new Map()
  let last = 0
  whenRemoved(({ id: endpointId, ...of }) => {
    for (const { delivery } of all({ ...of, endpointId })) known.delete(nameOf(delivery))
  })
  const all = (line: Line): readonly Kept[] => [...known.values()].filter(({ delivery }) => isIn(line, delivery))
  const endpointOf = ({ endpointId: id, ...of }: WebhookDelivery) => endpoints.find({ ...of, id })
  const isOpen = (delivery: WebhookDelivery): boolean => endpointOf(delivery)?.disabled === undefined

  function want(changed: ChangedMessage, endpointId: WebhookDelivery['endpointId'], since: Instant): void {
    last += 1
    const fresh = { n: last, delivery: toNew(changed, endpointId, since) }
    const kept = known.get(nameOf(fresh.delivery))
    known.set(nameOf(fresh.delivery), kept === undefined ? fresh : toWanted(kept, changed))
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

    take: async (at, until, max, each) =>
      front(known, at, each)
        .filter(({ delivery }) => isOpen(delivery))
        .slice(0, max)
        .map(({ n, delivery }) => {
          known.set(nameOf(delivery), { n, delivery, heldUntil: until })
          const endpoint = endpointOf(delivery)
          return { delivery, ...(endpoint === undefined ? {} : { endpoint }) }
        }),

    complete: async (held, result) => step(known, held, (kept) => toCompleted(kept, held, result)),
    release: async (key) => step(known, key, ({ n, delivery }) => ({ n, delivery })),
    list: async (query) => list([...known.values()], query, isOpen),

    async replay({ messageId, ...line }, since, at) {
      const isChosen = ({ delivery }: Kept): boolean =>
        messageId === undefined ? delivery.updatedAt >= since : delivery.messageId === messageId
      const chosen = all(line).filter(isChosen)
      for (const { delivery } of chosen) step(known, delivery, (kept) => toReplayed(kept, since, at))
      return chosen.length
    },

    async resume(line, at) {
      for (const { delivery } of all(line)) step(known, delivery, (kept) => toResumed(kept, at))
    },

    async forget(before) {
      const old = [...known].filter(([, { delivery }]) => delivery.updatedAt < before).slice(0, A_FEW)
      for (const [name] of old) known.delete(name)
      return old.length === A_FEW
    },
  }
}

function step(known: Known, key: WebhookDeliveryKey, next: (kept: Kept) => Kept): void {
  const kept = known.get(nameOf(key))
  if (kept !== undefined && isIn(key, kept.delivery)) known.set(nameOf(key), next(kept))
}

/** What may be taken of the first `each` of every line, in turns: those that somebody has keep their places. */
function front(known: Known, at: Instant, each: number): readonly Kept[] {
  const isOld = ({ delivery }: Kept): boolean => delivery.updatedAt < at - DELIVERIES_KEPT_FOR
  const due = [...known.values()].filter((kept) => dueAt(kept) <= at && !isOld(kept)).toSorted(longestDueFirst)
  const lines = Map.groupBy(due, ({ delivery }) => lineOf(delivery)).values()
  return [...lines]
    .flatMap((line) => line.slice(0, each).map((kept, turn) => ({ kept, turn })))
    .filter(({ kept: { heldUntil = 0 } }) => heldUntil <= at)
    .toSorted((one, other) => one.turn - other.turn || longestDueFirst(one.kept, other.kept))
    .map(({ kept }) => kept)
}

const longestDueFirst = (one: Kept, other: Kept): number => dueAt(one) - dueAt(other) || one.n - other.n
const nameOf = ({ messageId, endpointId }: Pick<WebhookDeliveryKey, 'messageId' | 'endpointId'>): string =>
  `${messageId} ${endpointId}`
const lineOf = ({ tenantId, accountId, endpointId }: Line): string => `${tenantId} ${accountId} ${endpointId}`
const isIn = (line: Line, delivery: WebhookDelivery): boolean => lineOf(line) === lineOf(delivery)

function list(all: readonly Kept[], query: WebhookDeliveryQuery, isOpen: (delivery: WebhookDelivery) => boolean) {
  const { tenantId, accountId, endpointId, messageId, state, limit, cursor } = query
  const [updatedAt, before] = cursor === undefined ? [Number.POSITIVE_INFINITY, 0] : parseDeliveryCursor(cursor)
  const found = all
    .filter(({ delivery }) => delivery.tenantId === tenantId && delivery.accountId === accountId)
    .filter(({ delivery }) => delivery.endpointId === (endpointId ?? delivery.endpointId))
    .filter(({ delivery }) => delivery.messageId === (messageId ?? delivery.messageId))
    .filter(({ delivery }) => delivery.state === (state ?? delivery.state))
    .filter(({ n, delivery }) => delivery.updatedAt < updatedAt || (delivery.updatedAt === updatedAt && n < before))
    .toSorted((one, other) => other.delivery.updatedAt - one.delivery.updatedAt || other.n - one.n)
  const page = found.slice(0, limit)
  const end = found.length > limit ? page.at(-1) : undefined
  return {
    webhookDeliveries: page.map(({ delivery }) => toShown(delivery, isOpen(delivery))),
    ...(end === undefined ? {} : { nextCursor: toDeliveryCursor(end.delivery.updatedAt, end.n) }),
  }
}

function toShown({ dueAt, ...delivery }: WebhookDelivery, isOpen: boolean): WebhookDelivery {
  return isOpen && dueAt !== undefined ? { ...delivery, dueAt } : delivery
}
