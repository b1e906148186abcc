/**
 * What lists filter by and statistics count by has a number for each combination that occurs, its shape. There are few, so
 * one index serves every combination of filters, and counts are kept by shape.
 */
import type { TenantId } from '../../domain/ids.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { toStatus } from '../../domain/message/states.ts'
import type { Filter } from '../../ports/message-index.ts'
import { ARRAYS } from './binary-arrays.ts'
import type { Database } from './database.ts'
import { toKey } from './words.ts'

type Stored = Pick<Database, 'asSystem'>

const TEXTS = [
  'tenant',
  'channel',
  'lane',
  'status',
  'handoff_state',
  'provider_state',
  'provider',
  'error_code',
] as const
const BOOLEANS = ['dead', 'outcome_unknown'] as const
/** Of `pombo.shapes`; columns of `pombo.messages` have the same names. */
export const SHAPE_COLUMNS = [...TEXTS, ...BOOLEANS] as const

/** Absent fields become null. */
export type ShapeFields = Readonly<
  Record<(typeof TEXTS)[number], string | undefined> & Record<(typeof BOOLEANS)[number], boolean>
>

export function toShapeFields(state: MessageState): ShapeFields {
  const status = toStatus(state)
  return {
    tenant: state.tenantId,
    channel: state.channel,
    lane: state.lane,
    status,
    handoff_state: state.handoffState,
    provider_state: state.providerState,
    provider: state.provider === undefined ? undefined : toKey(state.provider),
    error_code: state.errorCode === undefined ? undefined : toKey(state.errorCode),
    dead: state.dead && status !== 'delivered',
    outcome_unknown: state.phase === 'unknown',
  }
}

const list = (columns: readonly string[], write: (column: string, nth: number) => string): string =>
  columns.map(write).join(', ')

const ADD = `
  insert into pombo.shapes (${SHAPE_COLUMNS.join(', ')})
  select * from unnest(${list(SHAPE_COLUMNS, (_, nth) => `$${nth + 1}::${nth < TEXTS.length ? 'text' : 'boolean'}[]`)})
  on conflict do nothing
`

/** The same values match: a null matches a null. */
export const isOfShape = (shapes: string, other: string): string =>
  SHAPE_COLUMNS.map((column) => `${shapes}.${column} is not distinct from ${other}.${column}`).join(' and ')

const FIND = `select shape, ${SHAPE_COLUMNS.join(', ')} from pombo.shapes where tenant = any($1)`

export class Shapes {
  readonly #db: Stored
  readonly #numbers = new Map<string, number>()

  constructor(db: Stored) {
    this.#db = db
  }

  /** Their numbers, in the same order; a new shape gets one. */
  async of(all: readonly ShapeFields[]): Promise<readonly number[]> {
    const names = all.map(nameOf)
    const missing = new Map(names.map((name, nth) => [name, all[nth] as ShapeFields]))
    for (const name of missing.keys()) if (this.#numbers.has(name)) missing.delete(name)
    if (missing.size > 0) await this.#add([...missing.values()])
    return names.map((name) => {
      const number = this.#numbers.get(name)
      if (number === undefined) throw new Error('a shape has no number')
      return number
    })
  }

  /** Shapes are never deleted, so what is found once stays true. */
  async #add(shapes: readonly ShapeFields[]): Promise<void> {
    const texts = TEXTS.map((column) => ARRAYS.text(shapes.map((shape) => shape[column])))
    const booleans = BOOLEANS.map((column) => ARRAYS.boolean(shapes.map((shape) => shape[column])))
    await this.#db.asSystem(ADD, [...texts, ...booleans])
    const rows = await this.#db.asSystem(FIND, [[...new Set(shapes.map(({ tenant }) => tenant))]])
    for (const row of rows) this.#numbers.set(nameOf(row as ShapeFields), Number(row['shape']))
  }
}

const nameOf = (shape: ShapeFields): string => JSON.stringify(SHAPE_COLUMNS.map((column) => shape[column] ?? null))

/** What a filter asks of a shape, by column. */
export function toShapeConditions(filter: Filter): Readonly<Record<string, string | boolean>> {
  const { channel, status, handoffState, providerState, provider, errorCode, lane, dead, unknown } = filter
  const asked = {
    channel,
    status,
    handoff_state: handoffState,
    provider_state: providerState,
    provider: provider && toKey(provider),
    error_code: errorCode && toKey(errorCode),
    lane,
    dead,
    outcome_unknown: unknown,
  }
  return Object.fromEntries(
    Object.entries(asked).flatMap(([column, value]) => (value === undefined ? [] : [[column, value]])),
  )
}

/** The shapes of a tenant that a filter asks for: a condition on `s`, with its values from `$1` on. */
export function toShapeQuery(tenantId: TenantId, filter: Filter): Readonly<{ sql: string; values: unknown[] }> {
  const conditions = Object.entries(toShapeConditions(filter))
  const sql = ['s.tenant = $1', ...conditions.map(([column], nth) => `s.${column} = $${nth + 2}`)].join(' and ')
  return { sql, values: [tenantId, ...conditions.map(([, value]) => value)] }
}
