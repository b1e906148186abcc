/**
 * Queries of the index. Most run as the tenant. Under row-level security PostgreSQL uses no index for words or tags,
 * because their operators might leak hidden rows through errors; there the system finds the ids and the tenant reads
 * the rows, so that other tenants' rows stay hidden.
 */

import type { EmailStatus } from '../../domain/email/pipeline.ts'
import { parseMessageId } from '../../domain/ids.ts'
import type { Searchable } from '../../domain/message/message.ts'
import { toSummary } from '../../domain/message/searchable.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Filter, OverduePage, OverdueQuery, Page, Query, Row } from '../../ports/message-index.ts'
import { decodeState } from '../shared/codec.ts'
import { toMetadataTerm } from '../shared/metadata-terms.ts'
import { rowsWithin } from '../shared/row-bytes.ts'
import type { Database, Rows } from './database.ts'
import { toKey, toTextQuery } from './words.ts'

type Found = Rows[number]

const NEWEST_FIRST = 'order by created_at desc, id desc'
/** Without what may be long; `jsonb` has no text for some characters. */
const SUMMARY = `case when length(searchable) < 1000 or searchable ~ '\\\\u(0000|[dD][89a-fA-F]..)' then searchable
  else (searchable::jsonb - '{metadata,body}'::text[])::text end as searchable`
const READ = `select id, created_at as at, facts, state, ${SUMMARY} from pombo.messages`

export async function search(db: Database, query: Query): Promise<Page> {
  const { tenantId, limit, bytes = Number.POSITIVE_INFINITY } = query
  const where = toConditions(query)
  const wanted = `where ${where.sql} ${NEWEST_FIRST} limit ${limit + 1}`
  const found = isOfWords(query.filter)
    ? await db.asTenant(tenantId, `${READ} where id = any($1) ${NEWEST_FIRST}`, [
        await findIds(db, wanted, where.values),
      ])
    : await db.asTenant(tenantId, `${READ} ${wanted}`, where.values)

  const rows = found.slice(0, limit).map(toRow)
  const { page, ...next } = toPage(found, rowsWithin(rows, bytes))
  return { rows: rows.slice(0, page.length), ...next }
}

export async function overdue(db: Database, query: OverdueQuery): Promise<OverduePage> {
  const { kind, after = LONG_AGO, through, limit, cursor } = query
  const since = kind === 'silent' ? 'silent_since' : 'stalled_since'
  // After `after`, or after the last row of the previous page. The index has only the times.
  const [from, id] = cursor === undefined ? [after, LAST_ID] : parseCursor(cursor)
  const sql = `
    select id, ${since} as at, facts, state from pombo.messages
    where ${since} >= $1 and (${since}, id) > ($1, $2) and ${since} <= $3 order by ${since}, id limit $4
  `
  const { page, ...next } = toPage(await db.asSystem(sql, [from, id, through, limit + 1]), limit)
  return { states: page.map(toState), ...next }
}

/** Before every `since`, and after every id. */
const LONG_AGO = -1
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** `found` has one more than the page if there is a next one. */
function toPage(found: Rows, limit: number) {
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  return omitUndefined({ page, nextCursor: last && toCursor(last) })
}

const isOfWords = ({ tag, text, metadata }: Filter): boolean => [tag, text, metadata].some((word) => word !== undefined)

const findIds = async (db: Database, wanted: string, values: unknown[]): Promise<unknown[]> =>
  (await db.asSystem(`select id from pombo.messages ${wanted}`, values)).map(({ id }) => id)

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
    lane: filter.lane,
    dead: filter.dead,
    outcome_unknown: filter.unknown,
  }
  for (const [column, value] of Object.entries(equal)) if (value !== undefined) where.add(`${column} = ?`, value)
  if (filter.createdFrom !== undefined) where.add('created_at >= ?', filter.createdFrom)
  if (filter.createdTo !== undefined) where.add('created_at < ?', filter.createdTo)
  if (filter.emailStatus !== undefined) where.add(OF_STATUS[filter.emailStatus])
  if (filter.toKey !== undefined) where.add(TO, toKey(filter.toKey), tenantId, toKey(filter.toKey))
  if (filter.tag !== undefined) where.add('tags @> array[?]', toKey(filter.tag))
  if (filter.metadata !== undefined) where.add('words @@ ?::tsquery', `'${toMetadataTerm(filter.metadata)}'`)
  const text = filter.text === undefined ? undefined : toTextQuery(filter.text)
  if (text !== undefined) where.add('words @@ ?::tsquery', text)
  if (cursor !== undefined) where.add('(created_at, id) < (?, ?)', ...parseCursor(cursor))
  return where
}

const toCursor = ({ at, id }: Found): string => `${Number(at).toString(36)}.${id}`

const NOWHERE = [0, '00000000-0000-0000-0000-000000000000'] as const

/** A malformed cursor matches no page. */
function parseCursor(cursor: string): readonly [number, string] {
  const [time = '', id = ''] = cursor.split('.')
  const [at, messageId] = [Number.parseInt(time, 36), parseMessageId(id)]
  return Number.isSafeInteger(at) && messageId !== undefined ? [at, messageId] : NOWHERE
}

const toState = ({ facts, state }: Found): MessageState => decodeState(String(facts), String(state))

function toRow(found: Found): Row {
  const { searchable } = found
  const state = toState(found)
  return typeof searchable === 'string'
    ? { state, searchable: toSummary(JSON.parse(searchable) as Searchable) }
    : { state }
}
