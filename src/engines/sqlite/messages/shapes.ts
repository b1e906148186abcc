/**
 * What lists filter by and statistics count by, once for all messages that have it in common: there are few such shapes,
 * so a message needs only a number, one index serves every combination of filters, and counts are kept by shape.
 */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { EmailStatus } from '../../../domain/email/pipeline.ts'
import type { TenantId } from '../../../domain/ids.ts'
import type { MessageState } from '../../../domain/message/state.ts'
import { toStatus } from '../../../domain/message/states.ts'
import type { Filter } from '../../../ports/message-index.ts'

export const SHAPE_TABLES = `
  create table shapes (
    shape integer primary key,
    tenant text not null,
    channel text not null,
    lane text not null,
    status text not null,
    handoff_state text not null,
    provider_state text not null,
    phase text not null,
    dead integer not null,
    provider text,
    error_code text
  ) strict;
  create index shapes_tenant on shapes (tenant);
`

const COLUMNS = [
  'tenant',
  'channel',
  'lane',
  'status',
  'handoff_state',
  'provider_state',
  'phase',
  'dead',
  'provider',
  'error_code',
] as const

type Values = readonly [string, string, string, string, string, string, string, number, string | null, string | null]

export class Shapes {
  readonly #db: DatabaseSync
  readonly #insert
  readonly #byName = new Map<string, number>()

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#insert = db.prepare(
      `insert into shapes (${COLUMNS.join(', ')}) values (${COLUMNS.map(() => '?').join(', ')}) returning shape`,
    )
    this.recall()
  }

  /** Reloads from the table what is in memory. */
  recall(): void {
    this.#byName.clear()
    const rows = this.#db.prepare(`select shape, ${COLUMNS.join(', ')} from shapes`).all()
    for (const row of rows) this.#byName.set(nameOf(COLUMNS.map((column) => row[column])), Number(row['shape']))
  }

  /** Deletes the shapes that no message has. */
  removeUnused(): void {
    this.#db.exec('delete from shapes where not exists (select 1 from messages where messages.shape = shapes.shape)')
    this.recall()
  }

  /** In a transaction, because a new shape is stored. */
  of(state: MessageState): number {
    const values = toValues(state)
    const name = nameOf(values)
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    const shape = Number(this.#insert.get(...values)?.['shape'])
    this.#byName.set(name, shape)
    return shape
  }
}

/** In the order of `COLUMNS`. SQLite stores well-formed text only. */
function toValues(state: MessageState): Values {
  const { tenantId, channel, lane, handoffState, providerState, phase, dead, provider, errorCode } = state
  const status = toStatus(state)
  const isDead = dead && status !== 'delivered' ? 1 : 0
  const states = [status, handoffState, providerState, phase, isDead] as const
  return [tenantId, channel, lane, ...states, provider ?? null, errorCode?.toWellFormed() ?? null]
}

const nameOf = (values: readonly unknown[]): string => JSON.stringify(values)

/** The shapes of messages that match the filter, as far as shapes tell. */
export function findShapes(db: DatabaseSync, tenantId: TenantId, filter: Filter): readonly number[] {
  const conditions = toConditions(filter)
  const sql = ['tenant = ?', ...conditions.map(([condition]) => condition)].join(' and ')
  const values = conditions.flatMap(([, ...some]) => some)
  const rows = db.prepare(`select shape from shapes where ${sql}`).all(tenantId, ...values)
  return rows.map(({ shape }) => Number(shape))
}

/** Whether it leaves out some shapes. */
export const asksForShapes = (filter: Filter): boolean => toConditions(filter).length > 0

type Condition = readonly [sql: string, ...values: SQLInputValue[]]

function toConditions(filter: Filter): readonly Condition[] {
  const { channel, status, handoffState, providerState, provider, errorCode, lane, dead, unknown, emailStatus } = filter
  const equal = {
    channel,
    status,
    handoff_state: handoffState,
    provider_state: providerState,
    provider,
    error_code: errorCode,
    lane,
    dead: dead === undefined ? undefined : Number(dead),
  }
  const conditions = Object.entries(equal).flatMap(([column, value]): Condition[] =>
    value === undefined ? [] : [[`${column} = ?`, value]],
  )
  if (unknown !== undefined) conditions.push([unknown ? `phase = 'unknown'` : `phase <> 'unknown'`])
  if (emailStatus !== undefined) conditions.push([OF_STATUS[emailStatus]])
  return conditions
}

const OF_STATUS: Readonly<Record<EmailStatus, string>> = {
  RECEIVED: `channel = 'email' and handoff_state = 'queued'`,
  SENT_ATTEMPT: `channel = 'email' and handoff_state = 'sending' and phase <> 'closed'`,
  RETRY_SCHEDULED: `channel = 'email' and handoff_state = 'sending' and phase = 'closed'`,
  SENT: `channel = 'email' and handoff_state = 'handed_off'`,
  FAILED: `channel = 'email' and handoff_state = 'failed'`,
}
