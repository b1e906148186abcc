/** Lists of webhook deliveries, on the read-only connection. */
import type { DatabaseSync } from 'node:sqlite'
import type { WebhookDeliveries, WebhookDeliveryQuery } from '../../ports/webhook-deliveries.ts'
import { parseNumbered, toCursor } from '../shared/cursors.ts'
import type { Row } from '../shared/rows.ts'
import { toWebhookDelivery } from '../shared/webhook-delivery-rows.ts'
import { toPage } from './page.ts'
import type { Table } from './tables.ts'

export const webhookDeliveryList = (db: DatabaseSync) =>
  ({
    reads: {
      list(query) {
        const { page, ...next } = toPage(find(db, query), query.limit, cursorOf)
        return { webhookDeliveries: page.map(toWebhookDelivery), ...next }
      },
    },
  }) satisfies Table<WebhookDeliveries>

const cursorOf = ({ updated_at: updatedAt, n }: Row): string => toCursor(Number(updatedAt), Number(n))

/** Returns one more row than the page has, if there is one, and whether each endpoint is disabled. */
function find(db: DatabaseSync, query: WebhookDeliveryQuery): readonly Row[] {
  const { tenantId, accountId, endpointId, subjectId, state, limit, cursor } = query
  const equal = { tenant: tenantId, account: accountId, endpoint: endpointId, message: subjectId, state }
  const wanted = Object.entries(equal).flatMap(([column, value]) => (value === undefined ? [] : [{ column, value }]))
  const before = cursor === undefined ? [] : parseNumbered(cursor)
  return db
    .prepare(`
      select n.*, e.disabled from webhook_deliveries n
        left join endpoints e on e.tenant = n.tenant and e.account = n.account and e.id = n.endpoint
      where ${wanted.map(({ column }) => `n.${column} = ?`).join(' and ')}
        ${cursor === undefined ? '' : 'and (n.updated_at, n.n) < (?, ?)'}
      order by n.updated_at desc, n.n desc limit ?
    `)
    .all(...wanted.map(({ value }) => value), ...before, limit + 1)
}
