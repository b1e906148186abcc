/**
 * Questions to the index. Most are asked as the tenant. Under row-level security PostgreSQL uses no index
 * for words or tags (their operators might tell of hidden rows by failing), so there the system finds
 * the ids and the tenant reads the rows: what is not its own stays hidden all the same.
 */
import { decodeState } from '../../domain/codec.ts'
import { parseMessageId } from '../../domain/ids.ts'
import type { Searchable } from '../../domain/message.ts'
import type { MessageState } from '../../domain/state.ts'
import type { Instant } from '../../domain/time.ts'
import type { Filter, Neglect, Page, Query, Row } from '../../ports/message-index.ts'
import type { Database, Rows } from './database.ts'
import { toKey, toTextQuery } from './words.ts'

type Found = Rows[number]

const NEWEST_FIRST = 'order by created_at desc, id desc'
const READ = 'select id, created_at, facts, state, searchable from pombo.messages'

export async function search(db: Database, query: Query): Promise<Page> {
  const { tenantId, limit } = query
  const where = toConditions(query)
  const wanted = `where ${where.sql} ${NEWEST_FIRST} limit ${limit + 1}`
  const found = isOfWords(query.filter)
    ? await db.asTenant(tenantId, `${READ} where id = any($1) ${NEWEST_FIRST}`, [
        await findIds(db, wanted, where.values),
      ])
    : await db.asTenant(tenantId, `${READ} ${wanted}`, where.values)

  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  return { rows: page.map(toRow), ...(last === undefined ? {} : { nextCursor: toCursor(last) }) }
}

export async function neglected(
  db: Database,
  kind: Neglect,
  before: Instant,
  limit: number,
): Promise<readonly MessageState[]> {
  const since = kind === 'silent' ? 'silent_since' : 'stalled_since'
  const sql = `select facts, state from pombo.messages where ${since} < $1 order by ${since} limit $2`
  return (await db.asSystem(sql, [before, limit])).map(toState)
}

const isOfWords = ({ tag, text }: Filter): boolean => tag !== undefined || text !== undefined

const findIds = async (db: Database, wanted: string, values: unknown[]): Promise<unknown[]> =>
  (await db.asSystem(`select id from pombo.messages ${wanted}`, values)).map(({ id }) => id)

class Conditions {
  readonly values: unknown[] = []
  readonly #terms: string[] = []

  /** Each `?` stands for the next of the values. */
  add(term: string, ...values: readonly (string | number | boolean)[]): void {
    let next = this.values.length
    this.#terms.push(term.replaceAll('?', () => `$${++next}`))
    this.values.push(...values)
  }

  get sql(): string {
    return this.#terms.join(' and ')
  }
}

function toConditions({ tenantId, filter, cursor }: Query): Conditions {
  const where = new Conditions()
  where.add('tenant = ?', tenantId)
  const equal = {
    channel: filter.channel,
    status: filter.status,
    handoff_state: filter.handoffState,
    provider_state: filter.providerState,
    provider: filter.provider && toKey(filter.provider),
    to_key: filter.toKey && toKey(filter.toKey),
    lane: filter.lane,
    dead: filter.dead,
    doubt: filter.doubt,
  }
  for (const [column, value] of Object.entries(equal)) if (value !== undefined) where.add(`${column} = ?`, value)
  if (filter.createdFrom !== undefined) where.add('created_at >= ?', filter.createdFrom)
  if (filter.createdTo !== undefined) where.add('created_at < ?', filter.createdTo)
  if (filter.tag !== undefined) where.add('tags @> array[?]', toKey(filter.tag))
  const text = filter.text === undefined ? undefined : toTextQuery(filter.text)
  if (text !== undefined) where.add('words @@ ?::tsquery', text)
  if (cursor !== undefined) where.add('(created_at, id) < (?, ?)', ...parseCursor(cursor))
  return where
}

const toCursor = ({ created_at: createdAt, id }: Found): string => `${Number(createdAt).toString(36)}.${id}`

const NOWHERE = [0, '00000000-0000-0000-0000-000000000000'] as const

/** A cursor nobody gave out names no page. */
function parseCursor(cursor: string): readonly [number, string] {
  const [time = '', id = ''] = cursor.split('.')
  const [createdAt, messageId] = [Number.parseInt(time, 36), parseMessageId(id)]
  return Number.isSafeInteger(createdAt) && messageId !== undefined ? [createdAt, messageId] : NOWHERE
}

const toState = ({ facts, state }: Found): MessageState => decodeState(String(facts), String(state))

function toRow(found: Found): Row {
  const { searchable } = found
  const state = toState(found)
  return typeof searchable === 'string' ? { state, searchable: JSON.parse(searchable) as Searchable } : { state }
}
