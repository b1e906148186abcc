/**
 * Queries of the index. Most run as the tenant. Under row-level security PostgreSQL uses no index for words or tags,
 * because their operators might leak hidden rows through errors; there the system finds the ids and the tenant reads
 * the rows, so that other tenants' rows stay hidden.
 */

import type { EmailStatus } from '../../domain/email/pipeline.ts'
import type { Searchable } from '../../domain/message/message.ts'
import { toSummary } from '../../domain/message/searchable.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type {
  Filter,
  OverduePage,
  OverdueQuery,
  Page,
  Query,
  Row,
  Total,
  TotalQuery,
} from '../../ports/message-index.ts'
import { decodeState } from '../shared/codec.ts'
import { parseIdentified, toCursor } from '../shared/cursors.ts'
import { COUNTED_AT_MOST, END_OF_TIME, START_OF_TIME, toTotal } from '../shared/figures.ts'
import { toMessageTerms, toMetadataTerm } from '../shared/index-terms.ts'
import { rowsWithin } from '../shared/row-bytes.ts'
import type { Database, Rows } from './database.ts'
import { keptTotal } from './kept-figures.ts'
import { toShapeConditions, toShapeQuery } from './shapes.ts'
import { toKey, toTextQuery } from './words.ts'

type Found = Rows[number]

const NEWEST_FIRST = 'order by created_at desc, id desc'
/** Without what may be long; `jsonb` has no text for some characters. */
const SUMMARY = `case when length(searchable) < 1000 or searchable ~ '\\\\u(0000|[dD][89a-fA-F]..)' then searchable
  else (searchable::jsonb - '{metadata,body}'::text[])::text end as searchable`
const READ = `select id, created_at as at, facts, state, ${SUMMARY} from pombo.messages`

/** Messages that are not counted have no shape yet. */
export async function search(db: Database, query: Query, hasUncounted: boolean): Promise<Page> {
  const { tenantId, filter, limit, bytes = Number.POSITIVE_INFINITY } = query
  const where = toConditions(query)
  const wanted = `where ${where.sql} ${NEWEST_FIRST} limit ${limit + 1}`
  const readAll = (ids: readonly unknown[]) =>
    db.asTenant(tenantId, `${READ} where id = any($1) ${NEWEST_FIRST}`, [ids])
  const found =
    !hasUncounted && isOfShapes(filter)
      ? await readAll(await findByShape(db, query))
      : isOfWords(filter)
        ? await readAll(await findByWords(db, query, wanted, where.values))
        : await db.asTenant(tenantId, `${READ} ${wanted}`, where.values)

  const rows = found.slice(0, limit).map(toRow)
  const { page, ...next } = toPage(found, rowsWithin(rows, bytes))
  return { rows: rows.slice(0, page.length), ...next }
}

export async function overdue(db: Database, query: OverdueQuery): Promise<OverduePage> {
  const { kind, after = LONG_AGO, through, limit, cursor } = query
  const since = kind === 'silent' ? 'silent_since' : 'stalled_since'
  // After `after`, or after the last row of the previous page. The index has only the times.
  const [from, id] = cursor === undefined ? [after, LAST_ID] : parseIdentified(cursor)
  const sql = `
    select id, ${since} as at, facts, state from pombo.messages
    where ${since} >= $1 and (${since}, id) > ($1, $2) and ${since} <= $3 order by ${since}, id limit $4
  `
  const { page, ...next } = toPage(await db.asSystem(sql, [from, id, through, limit + 1]), limit)
  return { states: page.map(toState), ...next }
}

/** Before every `since`, and before and after every id. */
const LONG_AGO = -1
const FIRST_ID = '00000000-0000-0000-0000-000000000000'
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** `found` has one more than the page if there is a next one. */
function toPage(found: Rows, limit: number) {
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  return omitUndefined({ page, nextCursor: last && toCursor(Number(last['at']), String(last['id'])) })
}

const isOfWords = ({ tag, text, metadata, batchId, template }: Filter): boolean =>
  [tag, text, metadata, batchId, template].some((word) => word !== undefined)

/** By shape and times only, and not all messages: those have an index of their own. */
const isOfShapes = (filter: Filter): boolean =>
  isOnlyOfShapes(filter) && Object.keys(toShapeConditions(filter)).length > 0

function isOnlyOfShapes(filter: Filter): boolean {
  const { id, ids, idPrefix, providerMessageId, emailStatus, toKey: to } = filter
  return (
    [id, ids, idPrefix, providerMessageId, emailStatus, to].every((field) => field === undefined) && !isOfWords(filter)
  )
}

/** The newest of each shape, and of these the newest. */
async function findByShape(db: Database, { tenantId, filter, limit, cursor }: Query): Promise<unknown[]> {
  const { sql, values } = toShapeQuery(tenantId, filter)
  const bounds = [filter.createdFrom ?? START_OF_TIME, ...upperBound(filter, cursor)]
  const [from, before, beforeId] = bounds.map((_, nth) => `$${values.length + nth + 1}`)
  const page = `
    select m.id, m.created_at from pombo.messages m
    where m.shape = s.shape and m.created_at >= ${from} and (m.created_at, m.id) < (${before}, ${beforeId})
    order by m.created_at desc, m.id desc limit ${limit + 1}
  `
  const found = await db.asSystem(
    `select id from pombo.shapes s cross join lateral (${page}) as newest where ${sql} ${NEWEST_FIRST} limit ${limit + 1}`,
    [...values, ...bounds],
  )
  return found.map(({ id: one }) => one)
}

/**
 * What a page comes before: the cursor, or the end of the period. One of them, because PostgreSQL would begin to read at
 * either.
 */
function upperBound({ createdTo }: Filter, cursor: string | undefined): readonly [at: number, id: string] {
  const [at, id] = cursor === undefined ? [END_OF_TIME, LAST_ID] : parseIdentified(cursor)
  return createdTo !== undefined && createdTo <= at ? [createdTo, FIRST_ID] : [at, id]
}

/** Counts at most as many rows as it takes to know that there are more. */
export async function total(db: Database, query: TotalQuery, hasUncounted: boolean): Promise<Total> {
  const { tenantId, filter } = query
  if (!hasUncounted && isOnlyOfShapes(filter)) {
    return { value: await keptTotal(db, tenantId, filter), relation: 'eq' }
  }
  const where = toConditions({ ...query, limit: 0 })
  const sql = `
    select count(*) as total from (select from pombo.messages where ${where.sql} limit ${COUNTED_AT_MOST + 1}) as found
  `
  const counting = isOfWords(filter) ? db.asSystem(sql, where.values) : db.asTenant(tenantId, sql, where.values)
  return toTotal(Number((await counting)[0]?.['total']))
}

/** So many of the newest messages are read one by one. */
const LOOKED_AT = 4_000

/**
 * Several words and tags often go together, which PostgreSQL does not expect: where most of the newest messages have all of
 * them, reading those is faster than sorting all matches.
 */
async function findByWords(
  db: Database,
  { filter, cursor, limit, tenantId }: Query,
  wanted: string,
  values: unknown[],
) {
  const { tag, text, metadata, batchId, template } = filter
  const isCombined = [tag ?? [], metadata ?? [], text ?? [], batchId ?? [], template ?? []].flat().length > 1
  if (!isCombined) return findIds(db, wanted, values)
  const bounds = upperBound(filter, cursor)
  const [tenant, at, id] = [tenantId, ...bounds].map((_, nth) => `$${values.length + nth + 1}`)
  const newest = `(
    select * from pombo.messages where tenant = ${tenant} and (created_at, id) < (${at}::bigint, ${id}::uuid)
    ${NEWEST_FIRST} limit ${LOOKED_AT}
  )`
  const found = await findIds(db, wanted, [...values, tenantId, ...bounds], newest)
  return found.length > limit ? found : findIds(db, wanted, values)
}

const findIds = async (
  db: Database,
  wanted: string,
  values: unknown[],
  messages = 'pombo.messages',
): Promise<unknown[]> => (await db.asSystem(`select id from ${messages} as m ${wanted}`, values)).map(({ id }) => id)

class Conditions {
  readonly values: unknown[] = []
  readonly #terms: string[] = []

  /** Each `?` is replaced by the next value. */
  add(term: string, ...values: readonly (string | number | boolean)[]): void {
    let next = this.values.length
    this.#terms.push(term.replaceAll('?', () => `$${++next}`))
    this.values.push(...values)
  }

  get sql(): string {
    return this.#terms.join(' and ')
  }
}

/** Directly, or as a copy. An array uses the index of ids; a join would not. Copies of forgotten messages never match. */
const TO = `(to_key = ? or (
  not forgotten and id = any(array(select message from pombo.message_copies where tenant = ? and to_key = ?))
))`

/** Ids that begin alike are a range. An array uses the index of ids; a condition on the rows might read all of a tenant. */
const BEGUN_WITH = 'id = any(array(select id from pombo.messages where id between ?::uuid and ?::uuid))'

const rangeOf = (prefix: string): readonly [first: string, last: string] => [
  prefix.padEnd(32, '0'),
  prefix.padEnd(32, 'f'),
]

/** `phase` by its tuple index in shared/codec.ts. */
const PHASE = `pombo.text_of(pombo.places(state) -> 3)`
const OF_STATUS: Readonly<Record<EmailStatus, string>> = {
  RECEIVED: `handoff_state = 'queued'`,
  SENT_ATTEMPT: `handoff_state = 'sending' and ${PHASE} <> 'closed'`,
  RETRY_SCHEDULED: `handoff_state = 'sending' and ${PHASE} = 'closed'`,
  SENT: `handoff_state = 'handed_off'`,
  FAILED: `handoff_state = 'failed'`,
}

function toConditions({ tenantId, filter, cursor }: Query): Conditions {
  const where = new Conditions()
  where.add('tenant = ?', tenantId)
  const equal = {
    id: filter.id,
    channel: filter.channel,
    status: filter.status,
    handoff_state: filter.handoffState,
    provider_state: filter.providerState,
    provider: filter.provider && toKey(filter.provider),
    provider_message_id: filter.providerMessageId && toKey(filter.providerMessageId),
    error_code: filter.errorCode && toKey(filter.errorCode),
    lane: filter.lane,
    dead: filter.dead,
    outcome_unknown: filter.unknown,
  }
  for (const [column, value] of Object.entries(equal)) if (value !== undefined) where.add(`${column} = ?`, value)
  if (filter.ids !== undefined) where.add('id = any(?::uuid[])', `{${filter.ids.join(',')}}`)
  if (filter.idPrefix !== undefined) where.add(BEGUN_WITH, ...rangeOf(filter.idPrefix))
  if (filter.createdFrom !== undefined) where.add('created_at >= ?', filter.createdFrom)
  if (filter.emailStatus !== undefined) where.add(OF_STATUS[filter.emailStatus])
  if (filter.toKey !== undefined) where.add(TO, toKey(filter.toKey), tenantId, toKey(filter.toKey))
  for (const tag of [filter.tag ?? []].flat()) where.add('tags @> array[?]', toKey(tag))
  const terms = [...[filter.metadata ?? []].flat().map(toMetadataTerm), ...toMessageTerms(filter)]
  for (const term of terms) where.add('words @@ ?::tsquery', `'${term}'`)
  const text = filter.text === undefined ? undefined : toTextQuery(filter.text)
  if (text !== undefined) where.add('words @@ ?::tsquery', text)
  if (cursor !== undefined || filter.createdTo !== undefined) {
    where.add('(created_at, id) < (?, ?)', ...upperBound(filter, cursor))
  }
  return where
}

const toState = ({ facts, state }: Found): MessageState => decodeState(String(facts), String(state))

function toRow(found: Found): Row {
  const { searchable } = found
  const state = toState(found)
  return typeof searchable === 'string'
    ? { state, searchable: toSummary(JSON.parse(searchable) as Searchable) }
    : { state }
}
