/**
 * Seals webhook attempts. They contain the URLs of callbacks, which are content of their messages, and what customers'
 * servers answer, which may be anything.
 */
import type { WebhookAttempt } from '../../domain/webhooks/attempt.ts'
import type { WebhookAttemptKey, WebhookAttemptSealer } from '../../ports/webhook-attempts.ts'
import { openTextSealer } from './text-sealer.ts'

type Details = Omit<WebhookAttempt, keyof WebhookAttemptKey | 'subjectId'>

export function openWebhookAttemptSealer(masterKey: Uint8Array): WebhookAttemptSealer {
  const sealer = openTextSealer(masterKey, 'pombo webhook attempts v1')
  return {
    seal({ id, tenantId, accountId, endpointId, subjectId, ...details }) {
      const key = { id, tenantId, accountId, endpointId, ...(subjectId === undefined ? {} : { subjectId }) }
      return { ...key, sealed: sealer.seal(toContext(key), JSON.stringify(details satisfies Details)) }
    },
    open({ sealed, ...key }) {
      return { ...key, ...(JSON.parse(sealer.open(toContext(key), sealed)) as Details) }
    },
  }
}

/** JSON keeps the parts apart. */
const toContext = ({ tenantId, accountId, endpointId, id }: WebhookAttemptKey): string =>
  JSON.stringify([tenantId, accountId, endpointId, id])
