/** Attempts of webhook deliveries in memory, for tests. */
import type { MessageId } from '../../src/domain/ids.ts'
import { lowestUuidV7At } from '../../src/lib/uuid-v7.ts'
import { ATTEMPTS_KEPT, type SealedAttempt, type WebhookAttempts } from '../../src/ports/webhook-attempts.ts'
import type { EndpointDeliveries } from '../../src/ports/webhook-deliveries.ts'
import type { MemoryEndpoints } from './endpoints.ts'

export function memoryWebhookAttempts({ whenRemoved }: Pick<MemoryEndpoints, 'whenRemoved'>): WebhookAttempts {
  let attempts: readonly SealedAttempt[] = []
  const keep = (isKept: (attempt: SealedAttempt) => boolean): void => {
    attempts = attempts.filter(isKept)
  }
  const of = (endpoint: EndpointDeliveries): readonly SealedAttempt[] =>
    attempts.filter((attempt) => isOf(endpoint, attempt)).toSorted((one, other) => (one.id < other.id ? 1 : -1))
  whenRemoved(({ id: endpointId, ...account }) => keep((attempt) => !isOf({ ...account, endpointId }, attempt)))

  return {
    async record(added) {
      const known = new Set(attempts.map(({ id }) => id))
      attempts = [...attempts, ...added.filter(({ id }) => !known.has(id))]
      for (const { subjectId, ...endpoint } of added) {
        const old = of(endpoint).filter((attempt) => attempt.subjectId === subjectId)
        const trimmed = new Set(old.slice(ATTEMPTS_KEPT).map(({ id }) => id))
        keep(({ id }) => !trimmed.has(id))
      }
    },
    list: async ({ subjectId, limit, cursor, ...endpoint }) =>
      of(endpoint)
        .filter((attempt) => subjectId === undefined || attempt.subjectId === subjectId)
        .filter(({ id }) => cursor === undefined || id < cursor)
        .slice(0, limit),
    find: async ({ id, ...endpoint }) => of(endpoint).find((attempt) => attempt.id === id),
    erase: async (messageId: MessageId) => keep(({ subjectId }) => subjectId !== messageId),
    async forget(before) {
      keep(({ id }) => id >= lowestUuidV7At(before))
      return false
    },
  }
}

const isOf = (endpoint: EndpointDeliveries, attempt: EndpointDeliveries): boolean =>
  endpoint.tenantId === attempt.tenantId &&
  endpoint.accountId === attempt.accountId &&
  endpoint.endpointId === attempt.endpointId
