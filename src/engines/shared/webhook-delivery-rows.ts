/** Reads webhook deliveries from table rows. SQLite and PostgreSQL use the same column names. */
import type { Alert } from '../../domain/alerts/alert.ts'
import type { AccountId, EndpointId, MessageId, TenantId } from '../../domain/ids.ts'
import { instant } from '../../lib/time.ts'
import type { Position } from '../../ports/event-log.ts'
import type { WebhookDelivery, WebhookDeliveryState } from '../../ports/webhook-deliveries.ts'
import type { Row } from './rows.ts'

/** `message` is the id of an alert where there is one. `disabled` is a column of its endpoint: a delivery to a disabled endpoint is not due. */
export function toWebhookDelivery(row: Row): WebhookDelivery {
  const { alert, due_at: dueAt, disabled, last_status: lastStatus, last_error: lastError, tried_at: triedAt } = row
  return {
    tenantId: String(row['tenant']) as TenantId,
    accountId: String(row['account']) as AccountId,
    subjectId: String(row['message']) as MessageId,
    endpointId: String(row['endpoint']) as EndpointId,
    ...(typeof alert === 'string' ? { alert: JSON.parse(alert) as Alert } : {}),
    state: row['state'] as WebhookDeliveryState,
    deliveredThrough: Number(row['delivered_through']) as Position,
    wantedThrough: Number(row['wanted_through']) as Position,
    since: instant(Number(row['since'])),
    failures: Number(row['failures']),
    ...(typeof dueAt === 'number' && typeof disabled !== 'string' ? { dueAt: instant(dueAt) } : {}),
    ...(typeof lastStatus === 'number' ? { lastStatus } : {}),
    ...(typeof lastError === 'string' ? { lastError } : {}),
    ...(typeof triedAt === 'number' ? { triedAt: instant(triedAt) } : {}),
    createdAt: instant(Number(row['created_at'])),
    updatedAt: instant(Number(row['updated_at'])),
  }
}
