/**
 * Webhook deliveries in a table. The deliveries of one endpoint are a queue, ordered by `due_at`. Leases end with the
 * process: opening the table clears them.
 */
import type { DatabaseSync } from 'node:sqlite'
import { tenantOf } from '../../domain/alerts/alert.ts'
import { CALLBACK } from '../../domain/webhooks/endpoint.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Instant } from '../../lib/time.ts'
import {
  type ChangedMessage,
  DELIVERIES_KEPT_FOR,
  type DeliveryResult,
  type EndpointDeliveries,
  type HeldDelivery,
  type TakenDelivery,
  type WebhookDeliveries,
  type WebhookDeliveryKey,
} from '../../ports/webhook-deliveries.ts'
import { type Row, toEndpoint } from '../shared/rows.ts'
import { toWebhookDelivery } from '../shared/webhook-delivery-rows.ts'
import { type Driver, remote } from './driver.ts'
import type { SearchMethods } from './message-index.ts'
import type { StoreMethods } from './store.ts'
import type { Table } from './tables.ts'
import { prepareWebhookDeliveries } from './webhook-delivery-statements.ts'

/** Rows changed per step: few enough not to block other users of the store. */
const STEP = 500

/** Repeats the steps until none is left. */
export function sqliteWebhookDeliveries(
  writer: Driver<StoreMethods>,
  reader: Driver<SearchMethods>,
): WebhookDeliveries {
  const { replayOne, replaySome, resumeSome, ...table } = remote(writer, 'webhookDeliveries')
  return {
    ...table,
    ...remote(reader, 'webhookDeliveries'),
    enqueue: async (changed) => {
      if (changed.length > 0) await table.enqueue(changed)
    },
    async replay({ subjectId, ...key }, since, at) {
      if (subjectId !== undefined) return replayOne({ ...key, subjectId }, since, at)
      let count = 0
      for (let after: DeliveryPosition | undefined = [since, -1]; after !== undefined; ) {
        const replayed: Replayed = await replaySome(key, since, at, after)
        count += replayed.count
        after = replayed.last
      }
      return count
    },
    async resume(key, at) {
      while (await resumeSome(key, at)) {
        // There may be more.
      }
    },
  }
}

type Sql = ReturnType<typeof prepareWebhookDeliveries>

/** Where a step ends, in the order of the last changes. */
type DeliveryPosition = readonly [updatedAt: number, n: number]
/** Without a `last` there are no more. */
type Replayed = Readonly<{ count: number; last: DeliveryPosition | undefined }>

type Steps = Readonly<{
  replayOne: (key: WebhookDeliveryKey, since: Instant, at: Instant) => number
  replaySome: (key: EndpointDeliveries, since: Instant, at: Instant, after: DeliveryPosition) => Replayed
  /** Returns whether there may be more. */
  resumeSome: (key: EndpointDeliveries, at: Instant) => boolean
}>

/** `hasEndpoints`: whether any endpoint exists. */
export function webhookDeliveryTable(db: DatabaseSync, hasEndpoints: () => boolean) {
  db.exec('update webhook_deliveries set held_until = null where held_until is not null')
  const sql = prepareWebhookDeliveries(db)
  return {
    writes: {
      enqueueAlert(alert) {
        const { id, kind: type, at } = alert
        sql.enqueueAlert.run({ id, type, at, tenant: tenantOf(alert) ?? null, alert: JSON.stringify(alert) })
      },
      replayOne: (key, since, at) => Number(sql.replay.run({ ...toKey(key), since, at }).changes),
      replaySome(key, since, at, [updatedAt, n]) {
        const rows = sql.behind.all({ ...toEndpointKey(key), at, updatedAt, n, most: STEP })
        for (const row of rows) sql.replayOne.run({ n: Number(row['n']), since, at })
        const last = rows.length === STEP ? rows.at(-1) : undefined
        return { count: rows.length, last: last && [Number(last['updated_at']), Number(last['n'])] }
      },
      resumeSome: (key, at) => sql.resume.run({ ...toEndpointKey(key), at, most: STEP }).changes === STEP,
    },
    // A lost result only causes a repeated delivery, so it is answered before it is on disk.
    background: {
      enqueue(changes) {
        const isAny = hasEndpoints()
        for (const changed of changes) {
          if (isAny) sql.enqueue.run(toChange(changed))
          if (changed.hasCallback) sql.enqueueCallback.run({ ...toChange(changed), endpoint: CALLBACK })
        }
      },
      take: (at, until, max, each) => take(sql, { at, until, max, each }),
      complete: (held, result) => complete(sql, held, result),
      release: (key) => void sql.release.run(toKey(key)),
      forget: (before) => sql.forget.run(before, STEP).changes === STEP,
    },
  } satisfies Table<WebhookDeliveries & Steps>
}

const toEndpointKey = ({ tenantId, accountId, endpointId }: EndpointDeliveries) => ({
  tenant: tenantId,
  account: accountId,
  endpoint: endpointId,
})
const toKey = (key: WebhookDeliveryKey) => ({ ...toEndpointKey(key), message: key.subjectId })

const toChange = ({ tenantId, accountId, messageId, position, at }: ChangedMessage) => ({
  tenant: tenantId,
  account: accountId,
  message: messageId,
  position,
  at,
})

type Taking = Readonly<{ at: number; until: number; max: number; each: number }>

/** The first deliveries of every queue, in turns; leased ones keep their positions. */
function take(sql: Sql, { at, until, max, each }: Taking): readonly TakenDelivery[] {
  return queuesOf(sql)
    .flatMap(({ key, endpoint }) =>
      sql.front
        .all({ ...key, at, each, oldest: at - DELIVERIES_KEPT_FOR })
        .map((delivery, turn) => ({ delivery, turn, endpoint })),
    )
    .filter(({ delivery }) => Number(delivery['held_until']) <= at)
    .toSorted(
      (one, other) => one.turn - other.turn || Number(one.delivery['due_at']) - Number(other.delivery['due_at']),
    )
    .slice(0, max)
    .map(({ delivery, endpoint }) => {
      sql.hold.run(until, Number(delivery['n']))
      return omitUndefined({ delivery: toWebhookDelivery(delivery), endpoint: endpoint && toEndpoint(endpoint) })
    })
}

type EndpointQueue = Readonly<{
  key: Readonly<{ tenant: string; account: string; endpoint: string }>
  /** Missing for the callbacks of messages. */
  endpoint: Row | undefined
}>

/** Every queue with pending deliveries whose endpoint is enabled: skips from one to the next, however long each is. */
function queuesOf(sql: Sql): readonly EndpointQueue[] {
  const queues: EndpointQueue[] = []
  for (let row = sql.nextQueue.get('', '', ''); row !== undefined; ) {
    const key = { tenant: String(row['tenant']), account: String(row['account']), endpoint: String(row['endpoint']) }
    const endpoint = sql.open.get(key)
    if (endpoint !== undefined || key.endpoint === CALLBACK) queues.push({ key, endpoint })
    row = sql.nextQueue.get(key.tenant, key.account, key.endpoint)
  }
  return queues
}

function complete(sql: Sql, held: HeldDelivery, result: DeliveryResult): void {
  const key = { ...toKey(held), seen: held.deliveredThrough ?? 0, at: result.at, status: result.status ?? null }
  if (result.kind === 'delivered') sql.delivered.run({ ...key, through: result.through, until: result.until ?? null })
  else sql.failed.run({ ...key, error: result.error, again: result.again ?? null })
}
