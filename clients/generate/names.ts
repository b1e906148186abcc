/**
 * Where an operation is in the clients: `listMessages` with the tag `messages` is `messages.list`. Most names follow from
 * the document; those that would read badly are in the table.
 */
import type { DocumentedOperation } from './document.ts'
import { toCamelCase, toPascalCase } from './words.ts'

export type Name = Readonly<{ namespace: string; method: string }>

const EXCEPTIONS: Readonly<Record<string, string>> = {
  replayDeadLetters: 'deadLetters.replayMany',
  listMessageWebhookDeliveries: 'messages.listWebhookDeliveries',
  listWebhookDeliveries: 'endpoints.listDeliveries',
  replayWebhookDeliveries: 'endpoints.replayDeliveries',
  listWebhookAttempts: 'endpoints.listAttempts',
  getWebhookAttempt: 'endpoints.getAttempt',
  listProviders: 'providers.list',
  setProviderBreaker: 'providers.setBreaker',
  getTemplate: 'templates.listLocales',
  getUsage: 'usage.list',
  getQuotas: 'usage.getQuotas',
  getTenantUsage: 'tenants.getUsage',
  getStats: 'stats.get',
  getErrorStats: 'stats.listErrors',
  listAuditEntries: 'auditLog.list',
  sendToUser: 'users.send',
}

/** What a namespace is about, where that is not the tag itself. */
const NOUNS: Readonly<Record<string, string>> = { auditLog: 'AuditLog', consoleUsers: 'Users' }

export function toName({ operationId, tags }: Pick<DocumentedOperation, 'operationId' | 'tags'>): Name {
  const [excepted, exceptedMethod] = EXCEPTIONS[operationId]?.split('.') ?? []
  if (excepted !== undefined && exceptedMethod !== undefined) return { namespace: excepted, method: exceptedMethod }
  const namespace = toCamelCase(tags[0] ?? 'api')
  return { namespace, method: without(operationId, NOUNS[namespace] ?? toPascalCase(namespace)) }
}

/** `getMessageContent` without `Messages` is `getContent`. */
function without(operationId: string, plural: string): string {
  const singular = plural.replace(/ies$/, 'y').replace(/s$/, '')
  const found = new RegExp(`(${plural}|${singular})(?![a-z])`).exec(operationId)
  if (found === null || found.index === 0) return operationId
  return operationId.slice(0, found.index) + operationId.slice(found.index + found[0].length)
}
