/**
 * Webhook deliveries in a table. The deliveries of one endpoint are a queue, ordered by `due_at`. Leases end with the
 * process: opening the table clears them.
 */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { CALLBACK } from '../../domain/webhooks/endpoint.ts'
import {
  type ChangedMessage,
  DELIVERIES_KEPT_FOR,
  type DeliveryResult,
  type HeldDelivery,
  type WebhookDeliveryKey,
} from '../../ports/webhook-deliveries.ts'
import type { EndpointRow } from './endpoint-table.ts'
import type { CallKind } from './store.ts'
import { prepareWebhookDeliveries } from './webhook-delivery-statements.ts'

/** The columns of the table. */
export type WebhookDeliveryRow = Readonly<Record<string, SQLOutputValue>>
export type TakenRow = Readonly<{ delivery: WebhookDeliveryRow; endpoint?: EndpointRow }>
/** Where a page ends, in the order of the last changes. */
export type DeliveryPosition = readonly [updatedAt: number, n: number]

type Sql = ReturnType<typeof prepareWebhookDeliveries>
type EndpointKey = Omit<WebhookDeliveryKey, 'messageId'>

export type WebhookDeliveryMethods = ReturnType<typeof webhookDeliveryTable>

/** `hasEndpoints`: whether any endpoint exists. */
export function webhookDeliveryTable(db: DatabaseSync, hasEndpoints: () => boolean) {
  db.exec('update webhook_deliveries set held_until = null where held_until is not null')
  const sql = prepareWebhookDeliveries(db)
  return {
    enqueueDeliveries(changes: readonly ChangedMessage[]): void {
      const isAny = hasEndpoints()
      for (const changed of changes) {
        if (isAny) sql.enqueue.run(toChange(changed))
        if (changed.hasCallback) sql.enqueueCallback.run({ ...toChange(changed), endpoint: CALLBACK })
      }
    },
    takeWebhookDeliveries: (at: number, until: number, max: number, each: number): readonly TakenRow[] =>
      take(sql, { at, until, max, each }),
    completeDelivery: (held: HeldDelivery, result: DeliveryResult): void => complete(sql, held, result),
    releaseWebhookDelivery: (key: WebhookDeliveryKey): void => void sql.release.run(toKey(key)),
    replayWebhookDelivery: (key: WebhookDeliveryKey, since: number, at: number): number =>
      Number(sql.replay.run({ ...toKey(key), since, at }).changes),
    /** The deliveries after `after`, and the position of the last one. */
    replayWebhookDeliveries(
      key: EndpointKey,
      since: number,
      at: number,
      [updatedAt, n]: DeliveryPosition,
      most: number,
    ): readonly DeliveryPosition[] {
      const rows = sql.behind.all({ ...toEndpointKey(key), at, updatedAt, n, most })
      for (const row of rows) sql.replayOne.run({ n: Number(row['n']), since, at })
      return rows.map((row) => [Number(row['updated_at']), Number(row['n'])])
    },
    resumeWebhookDeliveries: (key: EndpointKey, at: number, most: number): boolean =>
      sql.resume.run({ ...toEndpointKey(key), at, most }).changes === most,
    forgetWebhookDeliveries: (before: number, most: number): boolean => sql.forget.run(before, most).changes === most,
  }
}

/** A lost result only causes a repeated delivery, so it is answered before it is on disk. */
export const DELIVERY_CALLS: Readonly<Record<keyof WebhookDeliveryMethods, CallKind>> = {
  enqueueDeliveries: 'background',
  takeWebhookDeliveries: 'background',
  completeDelivery: 'background',
  releaseWebhookDelivery: 'background',
  replayWebhookDelivery: 'write',
  replayWebhookDeliveries: 'write',
  resumeWebhookDeliveries: 'write',
  forgetWebhookDeliveries: 'background',
}

const toEndpointKey = ({ tenantId, accountId, endpointId }: EndpointKey) => ({
  tenant: tenantId,
  account: accountId,
  endpoint: endpointId,
})
const toKey = (key: WebhookDeliveryKey) => ({ ...toEndpointKey(key), message: key.messageId })

const toChange = ({ tenantId, accountId, messageId, position, at }: ChangedMessage) => ({
  tenant: tenantId,
  account: accountId,
  message: messageId,
  position,
  at,
})

type Taking = Readonly<{ at: number; until: number; max: number; each: number }>

/** The first deliveries of every queue, in turns; leased ones keep their positions. */
function take(sql: Sql, { at, until, max, each }: Taking): readonly TakenRow[] {
  return queuesOf(sql)
    .flatMap(({ key, endpoint }) =>
      sql.front
        .all({ ...key, at, each, oldest: at - DELIVERIES_KEPT_FOR })
        .map((delivery, turn) => ({ delivery, turn, ...endpoint })),
    )
    .filter(({ delivery }) => Number(delivery['held_until']) <= at)
    .toSorted(
      (one, other) => one.turn - other.turn || Number(one.delivery['due_at']) - Number(other.delivery['due_at']),
    )
    .slice(0, max)
    .map(({ turn: _, ...taken }) => {
      sql.hold.run(until, Number(taken.delivery['n']))
      return taken
    })
}

type EndpointQueue = Readonly<{
  key: Readonly<{ tenant: string; account: string; endpoint: string }>
  endpoint: Readonly<{ endpoint?: EndpointRow }>
}>

/** Every queue with pending deliveries whose endpoint is enabled: skips from one to the next, however long each is. */
function queuesOf(sql: Sql): readonly EndpointQueue[] {
  const queues: EndpointQueue[] = []
  for (let row = sql.nextQueue.get('', '', ''); row !== undefined; ) {
    const key = { tenant: String(row['tenant']), account: String(row['account']), endpoint: String(row['endpoint']) }
    const endpoint = sql.open.get(key)
    if (endpoint !== undefined) queues.push({ key, endpoint: { endpoint } })
    else if (key.endpoint === CALLBACK) queues.push({ key, endpoint: {} })
    row = sql.nextQueue.get(key.tenant, key.account, key.endpoint)
  }
  return queues
}

function complete(sql: Sql, held: HeldDelivery, result: DeliveryResult): void {
  const key = { ...toKey(held), seen: held.deliveredThrough ?? 0, at: result.at, status: result.status ?? null }
  if (result.kind === 'delivered') sql.delivered.run({ ...key, through: result.through, until: result.until ?? null })
  else sql.failed.run({ ...key, error: result.error, again: result.again ?? null })
}
