/** The webhook deliveries of the cluster profile. Any number of processes take and tell them; what tenants ask is under their policies. */
import type { MessageId } from '../../domain/ids.ts'
import {
  type ChangedMessage,
  DELIVERIES_KEPT_FOR,
  type DeliveryResult,
  type HeldDelivery,
  type WebhookDeliveries,
  type WebhookDeliveryKey,
  type WebhookDeliveryQuery,
} from '../../ports/webhook-deliveries.ts'
import { type Row, toEndpoint } from '../shared/rows.ts'
import { parseDeliveryCursor, toDeliveryCursor, toWebhookDelivery } from '../shared/webhook-delivery-rows.ts'
import type { Database, Rows } from './database.ts'
import {
  DELIVERED,
  ENQUEUE,
  FAILED,
  FORGET,
  LIST,
  RELEASE,
  REPLAY,
  REPLAY_ONE,
  RESUME,
  TAKE,
} from './webhook-delivery-statements.ts'

type Line = Omit<WebhookDeliveryKey, 'messageId'>

/** As many are changed in one step: few enough for the time a statement has. */
const STEP = 2_000
const A_FEW = 500

export const postgresWebhookDeliveries = (db: Database): WebhookDeliveries => ({
  async enqueue(changed) {
    if (changed.length > 0) await db.asSystem(ENQUEUE, toColumns(changed))
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

  async replay({ messageId, ...line }, since, at) {
    if (messageId === undefined) return replayAll(db, line, since, at)
    return (await db.asTenant(line.tenantId, REPLAY_ONE, [...toKey({ ...line, messageId }), since, at])).length
  },

  async resume(line, at) {
    while ((await db.asTenant(line.tenantId, RESUME, [...toLine(line), at, STEP])).length === STEP) {
      // Until there are no more.
    }
  },

  forget: async (before) => (await db.asSystem(FORGET, [before, A_FEW])).length === A_FEW,
})

const toLine = ({ tenantId, accountId, endpointId }: Line): unknown[] => [tenantId, accountId, endpointId]
const toKey = (key: WebhookDeliveryKey): unknown[] => [...toLine(key), key.messageId]

/** One row may be written once in a statement: of each message its newest change. */
function toColumns(changed: readonly ChangedMessage[]): unknown[] {
  const newest = new Map<MessageId, ChangedMessage>()
  for (const change of changed) {
    const known = newest.get(change.messageId)
    if (known === undefined || known.position < change.position) newest.set(change.messageId, change)
  }
  const all = [...newest.values()]
  return [
    all.map(({ messageId }) => messageId),
    all.map(({ tenantId }) => tenantId),
    all.map(({ accountId }) => accountId),
    all.map(({ position }) => position),
    all.map(({ hasCallback }) => hasCallback),
    all.map(({ at }) => at),
  ]
}

function toCompletion(held: HeldDelivery, result: DeliveryResult): [sql: string, values: unknown[]] {
  const common = [...toKey(held), held.deliveredThrough ?? 0, result.at, result.status]
  return result.kind === 'delivered'
    ? [DELIVERED, [...common, result.through, result.until]]
    : [FAILED, [...common, result.error, result.again]]
}

async function list(db: Database, query: WebhookDeliveryQuery) {
  const { tenantId, accountId, endpointId, messageId, state, limit, cursor } = query
  const values: unknown[] = [tenantId, accountId]
  const place = (value: unknown): string => `$${values.push(value)}`
  const equal = Object.entries({ endpoint: endpointId, message: messageId, state })
    .flatMap(([column, value]) => (value === undefined ? [] : [`and n.${column} = ${place(value)}`]))
    .join(' ')
  const before = cursor === undefined ? '' : `and (n.updated_at, n.n) < (${parseDeliveryCursor(cursor).map(place)})`
  const sql = `${LIST} ${equal} ${before} order by n.updated_at desc, n.n desc limit ${place(limit + 1)}`
  return toPage(await db.asTenant(tenantId, sql, values), limit)
}

function toPage(rows: Rows, limit: number) {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return {
    webhookDeliveries: page.map(toWebhookDelivery),
    ...(last === undefined ? {} : { nextCursor: toDeliveryCursor(Number(last['updated_at']), Number(last['n'])) }),
  }
}

async function replayAll(db: Database, line: Line, since: number, at: number): Promise<number> {
  let count = 0
  for (let after: readonly number[] = [since, -1]; ; ) {
    const replayed = await db.asTenant(line.tenantId, REPLAY, [...toLine(line), since, at, ...after, STEP])
    count += replayed.length
    if (replayed.length < STEP) return count
    after = replayed.map(toPlace).reduce(further)
  }
}

const toPlace = (row: Row): readonly [updatedAt: number, n: number] => [Number(row['updated_at']), Number(row['n'])]
const further = (one: readonly [number, number], other: readonly [number, number]): readonly [number, number] =>
  (one[0] - other[0] || one[1] - other[1]) > 0 ? one : other
