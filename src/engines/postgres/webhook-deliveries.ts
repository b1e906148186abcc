/** The webhook deliveries of the cluster profile. Any number of processes lease them; tenants' queries are bound by their policies. */
import { tenantOf } from '../../domain/alerts/alert.ts'
import type { MessageId } from '../../domain/ids.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import {
  type ChangedMessage,
  DELIVERIES_KEPT_FOR,
  type DeliveryResult,
  type EndpointDeliveries,
  type HeldDelivery,
  type WebhookDeliveries,
  type WebhookDeliveryKey,
  type WebhookDeliveryQuery,
} from '../../ports/webhook-deliveries.ts'
import { parseNumbered, toCursor } from '../shared/cursors.ts'
import { type Row, toEndpoint } from '../shared/rows.ts'
import { toWebhookDelivery } from '../shared/webhook-delivery-rows.ts'
import { ARRAYS } from './binary-arrays.ts'
import type { Database, Rows } from './database.ts'
import {
  DELIVERED,
  ENQUEUE,
  ENQUEUE_ALERT,
  FAILED,
  FORGET,
  LIST,
  RELEASE,
  REPLAY,
  REPLAY_ONE,
  RESUME,
  TAKE,
} from './webhook-delivery-statements.ts'

/** Rows changed per step: few enough for the statement timeout. */
const STEP = 2_000
const A_FEW = 500

export const postgresWebhookDeliveries = (db: Database): WebhookDeliveries => ({
  async enqueue(changed) {
    if (changed.length > 0) await db.asSystem(ENQUEUE, toColumns(changed))
  },

  async enqueueAlert(alert) {
    const { id, kind, at } = alert
    await db.asSystem(ENQUEUE_ALERT, [id, at, JSON.stringify(alert), tenantOf(alert), kind])
  },

  take: async (at, until, max, each) =>
    (await db.asSystem(TAKE, [at, until, max, each, at - DELIVERIES_KEPT_FOR])).map(
      ({ to_endpoint: endpoint, ...row }) => ({
        delivery: toWebhookDelivery(row),
        ...(endpoint === null ? {} : { endpoint: toEndpoint(endpoint as Row) }),
      }),
    ),

  async complete(held, result) {
    await db.asSystem(...toCompletion(held, result))
  },

  async release(key) {
    await db.asSystem(RELEASE, toKey(key))
  },

  list: (query) => list(db, query),

  async replay({ subjectId, ...endpoint }, since, at) {
    if (subjectId === undefined) return replayAll(db, endpoint, since, at)
    return (await db.asTenant(endpoint.tenantId, REPLAY_ONE, [...toKey({ ...endpoint, subjectId }), since, at])).length
  },

  async resume(endpoint, at) {
    while ((await db.asTenant(endpoint.tenantId, RESUME, [...toEndpointKey(endpoint), at, STEP])).length === STEP) {
      // Repeat until none is left.
    }
  },

  forget: async (before) => (await db.asSystem(FORGET, [before, A_FEW])).length === A_FEW,
})

const toEndpointKey = ({ tenantId, accountId, endpointId }: EndpointDeliveries): unknown[] => [
  tenantId,
  accountId,
  endpointId,
]
const toKey = (key: WebhookDeliveryKey): unknown[] => [...toEndpointKey(key), key.subjectId]

/** A statement may write each row once: the newest change of each message. */
function toColumns(changed: readonly ChangedMessage[]): unknown[] {
  const newest = new Map<MessageId, ChangedMessage>()
  for (const change of changed) {
    const newer = newest.get(change.messageId)
    if (newer === undefined || newer.position < change.position) newest.set(change.messageId, change)
  }
  const all = [...newest.values()]
  return [
    ARRAYS.uuid(all.map(({ messageId }) => messageId)),
    ARRAYS.text(all.map(({ tenantId }) => tenantId)),
    ARRAYS.text(all.map(({ accountId }) => accountId)),
    ARRAYS.bigint(all.map(({ position }) => position)),
    ARRAYS.boolean(all.map(({ hasCallback }) => hasCallback)),
    ARRAYS.bigint(all.map(({ at }) => at)),
  ]
}

function toCompletion(held: HeldDelivery, result: DeliveryResult): [sql: string, values: unknown[]] {
  const common = [...toKey(held), held.deliveredThrough ?? 0, result.at, result.status]
  return result.kind === 'delivered'
    ? [DELIVERED, [...common, result.through, result.until]]
    : [FAILED, [...common, result.error, result.again]]
}

async function list(db: Database, query: WebhookDeliveryQuery) {
  const { tenantId, accountId, endpointId, subjectId, state, limit, cursor } = query
  const values: unknown[] = [tenantId, accountId]
  const param = (value: unknown): string => `$${values.push(value)}`
  const equal = Object.entries({ endpoint: endpointId, message: subjectId, state })
    .flatMap(([column, value]) => (value === undefined ? [] : [`and n.${column} = ${param(value)}`]))
    .join(' ')
  const before = cursor === undefined ? '' : `and (n.updated_at, n.n) < (${parseNumbered(cursor).map(param)})`
  const sql = `${LIST} ${equal} ${before} order by n.updated_at desc, n.n desc limit ${param(limit + 1)}`
  return toPage(await db.asTenant(tenantId, sql, values), limit)
}

function toPage(rows: Rows, limit: number) {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return omitUndefined({
    webhookDeliveries: page.map(toWebhookDelivery),
    nextCursor: last && toCursor(Number(last['updated_at']), Number(last['n'])),
  })
}

async function replayAll(db: Database, endpoint: EndpointDeliveries, since: number, at: number): Promise<number> {
  let count = 0
  for (let after: readonly number[] = [since, -1]; ; ) {
    const replayed = await db.asTenant(endpoint.tenantId, REPLAY, [
      ...toEndpointKey(endpoint),
      since,
      at,
      ...after,
      STEP,
    ])
    count += replayed.length
    if (replayed.length < STEP) return count
    after = replayed.map(toPosition).reduce(further)
  }
}

const toPosition = (row: Row): readonly [updatedAt: number, n: number] => [Number(row['updated_at']), Number(row['n'])]
const further = (one: readonly [number, number], other: readonly [number, number]): readonly [number, number] =>
  (one[0] - other[0] || one[1] - other[1]) > 0 ? one : other
