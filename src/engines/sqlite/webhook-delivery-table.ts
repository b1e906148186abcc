/**
 * What customers are still to be told, in a table. The webhook deliveries of one endpoint are a line, in the order they are
 * due. What is in somebody's hands was so in this process only: when the table is opened nobody holds anything.
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

/** As the columns of the table. */
export type WebhookDeliveryRow = Readonly<Record<string, SQLOutputValue>>
export type TakenRow = Readonly<{ delivery: WebhookDeliveryRow; endpoint?: EndpointRow }>
/** Where a page of webhook deliveries ends, in the order of their last changes. */
export type DeliveryPlace = readonly [updatedAt: number, n: number]

type Sql = ReturnType<typeof prepareWebhookDeliveries>
type Line = Omit<WebhookDeliveryKey, 'messageId'>

export type WebhookDeliveryMethods = ReturnType<typeof webhookDeliveryTable>

/** `hasEndpoints`: whether there is any at all. */
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
    /** Those behind `after`; where the last of them was. */
    replayWebhookDeliveries(
      line: Line,
      since: number,
      at: number,
      [updatedAt, n]: DeliveryPlace,
      most: number,
    ): readonly DeliveryPlace[] {
      const rows = sql.behind.all({ ...toLine(line), at, updatedAt, n, most })
      for (const row of rows) sql.replayOne.run({ n: Number(row['n']), since, at })
      return rows.map((row) => [Number(row['updated_at']), Number(row['n'])])
    },
    resumeWebhookDeliveries: (line: Line, at: number, most: number): boolean =>
      sql.resume.run({ ...toLine(line), at, most }).changes === most,
    forgetWebhookDeliveries: (before: number, most: number): boolean => sql.forget.run(before, most).changes === most,
  }
}

/** What is lost of what was told is told again, so nobody waits for it to be on disk. */
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

const toLine = ({ tenantId, accountId, endpointId }: Line) => ({
  tenant: tenantId,
  account: accountId,
  endpoint: endpointId,
})
const toKey = (key: WebhookDeliveryKey) => ({ ...toLine(key), message: key.messageId })

const toChange = ({ tenantId, accountId, messageId, position, at }: ChangedMessage) => ({
  tenant: tenantId,
  account: accountId,
  message: messageId,
  position,
  at,
})

type Taking = Readonly<{ at: number; until: number; max: number; each: number }>

/** Of every line its first ones, in turns; those that somebody has keep their places in it. */
function take(sql: Sql, { at, until, max, each }: Taking): readonly TakenRow[] {
  return linesOf(sql)
    .flatMap(({ line, endpoint }) =>
      sql.front
        .all({ ...line, at, each, oldest: at - DELIVERIES_KEPT_FOR })
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

type OpenLine = Readonly<{
  line: Readonly<{ tenant: string; account: string; endpoint: string }>
  endpoint: Readonly<{ endpoint?: EndpointRow }>
}>

/** Every line in which somebody waits, whose endpoint may be told: a step from one to the next, however long each is. */
function linesOf(sql: Sql): readonly OpenLine[] {
  const lines: OpenLine[] = []
  for (let row = sql.nextLine.get('', '', ''); row !== undefined; ) {
    const line = { tenant: String(row['tenant']), account: String(row['account']), endpoint: String(row['endpoint']) }
    const endpoint = sql.open.get(line)
    if (endpoint !== undefined) lines.push({ line, endpoint: { endpoint } })
    else if (line.endpoint === CALLBACK) lines.push({ line, endpoint: {} })
    row = sql.nextLine.get(line.tenant, line.account, line.endpoint)
  }
  return lines
}

function complete(sql: Sql, held: HeldDelivery, result: DeliveryResult): void {
  const key = { ...toKey(held), seen: held.deliveredThrough ?? 0, at: result.at, status: result.status ?? null }
  if (result.kind === 'delivered') sql.delivered.run({ ...key, through: result.through, until: result.until ?? null })
  else sql.failed.run({ ...key, error: result.error, again: result.again ?? null })
}
