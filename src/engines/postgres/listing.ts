/**
 * Writes the index. A page of projections is one statement. A projection older than its row changes nothing, so pages
 * may be repeated, late, or written by several projectors at once.
 */

import type { MessageId } from '../../domain/ids.ts'
import type { Searchable } from '../../domain/message/message.ts'
import { silentSince, stalledSince } from '../../domain/message/overdue.ts'
import { isForgotten } from '../../domain/message/searchable.ts'
import { toStatus } from '../../domain/message/states.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Position, START } from '../../ports/event-log.ts'
import type { Projection } from '../../ports/message-index.ts'
import { encodeMessage, encodeState } from '../shared/codec.ts'
import type { Database } from './database.ts'
import { toKey, toWords } from './words.ts'

export async function apply(db: Database, projections: readonly Projection[], through: Position): Promise<void> {
  const newest = newestOf(projections)
  if (newest.length === 0) {
    await db.asSystem(ADVANCE, [through])
    return
  }
  const values = [through, JSON.stringify(newest.map(toColumns)), JSON.stringify(newest.flatMap(toCopies))]
  const forgotten = newest.flatMap(({ state }) => (isForgotten(state) ? [state.id] : []))
  if (forgotten.length === 0) await db.asSystem(APPLY, values)
  else await db.asSystem(DELETE_COPIES, [forgotten], [{ text: APPLY, values }])
}

/** A statement of its own after the rows are written: it must see what another projector committed while we waited for the rows. */
const DELETE_COPIES = 'delete from pombo.message_copies where message = any($1::uuid[])'

export async function position(db: Database): Promise<Position> {
  const [row] = await db.asSystem(`select position from pombo.progress where name = 'index'`)
  return (row?.['position'] ?? START) as Position
}

export async function tombstone(db: Database, id: MessageId): Promise<void> {
  const forgotten = list(PERSONAL, (column) => `${column} = null`)
  const forget = { text: `update pombo.messages set forgotten = true, ${forgotten} where id = $1`, values: [id] }
  await db.asSystem(DELETE_COPIES, [[id]], [forget])
}

/** Truncating removes the table's files from the disk. */
export async function clear(db: Database): Promise<void> {
  await db.asSystem(`truncate pombo.messages, pombo.message_copies; delete from pombo.progress where name = 'index'`)
}

/** A statement may write each row once. Sorted by id, so that two projectors never deadlock. */
function newestOf(projections: readonly Projection[]): readonly Projection[] {
  const newest = new Map<MessageId, Projection>()
  for (const projection of projections) {
    const previous = newest.get(projection.state.id)
    const searchable = projection.searchable ?? previous?.searchable
    const newer = previous === undefined || projection.position > previous.position ? projection : previous
    newest.set(projection.state.id, omitUndefined({ ...newer, searchable }))
  }
  return [...newest.values()].toSorted((one, other) => (one.state.id < other.state.id ? -1 : 1))
}

/** By column name; absent fields become null. */
function toColumns({ state, position, searchable }: Projection) {
  const status = toStatus(state)
  return {
    id: state.id,
    tenant: state.tenantId,
    position,
    created_at: state.createdAt,
    channel: state.channel,
    lane: state.lane,
    status,
    handoff_state: state.handoffState,
    provider_state: state.providerState,
    provider: state.provider === undefined ? undefined : toKey(state.provider),
    provider_message_id: state.providerMessageId === undefined ? undefined : toKey(state.providerMessageId),
    error_code: state.errorCode === undefined ? undefined : toKey(state.errorCode),
    dead: state.dead && status !== 'delivered',
    outcome_unknown: state.phase === 'unknown',
    handed_off_at: state.handedOffAt,
    ended_at: state.endedAt,
    silent_since: silentSince(state),
    stalled_since: stalledSince(state),
    facts: encodeMessage(state),
    state: encodeState(state),
    failed: toWords(state.errorCode, state.errorDetail),
    forgotten: isForgotten(state),
    ...(searchable === undefined || isForgotten(state) ? {} : toPersonal(searchable)),
  }
}

const toPersonal = (searchable: Searchable) => ({
  to_key: toKey(searchable.toKey),
  tags: searchable.tags.map(toKey),
  said: toWords(...searchable.tags, ...Object.values(searchable.metadata), searchable.subject, searchable.body),
  searchable: JSON.stringify(searchable),
})

const toCopies = ({ state: { id }, searchable }: Projection) =>
  (searchable?.copyKeys ?? []).map((key) => ({ id, to_key: toKey(key) }))

type Column = keyof ReturnType<typeof toColumns> | keyof ReturnType<typeof toPersonal>

const TYPES = {
  id: 'uuid',
  tenant: 'text',
  position: 'bigint',
  created_at: 'bigint',
  channel: 'text',
  lane: 'text',
  status: 'text',
  handoff_state: 'text',
  provider_state: 'text',
  provider: 'text',
  provider_message_id: 'text',
  error_code: 'text',
  dead: 'boolean',
  outcome_unknown: 'boolean',
  handed_off_at: 'bigint',
  ended_at: 'bigint',
  silent_since: 'bigint',
  stalled_since: 'bigint',
  facts: 'text',
  state: 'text',
  failed: 'text[]',
  forgotten: 'boolean',
  to_key: 'text',
  tags: 'text[]',
  said: 'text[]',
  searchable: 'text',
} as const satisfies Record<Column, string>

const COLUMNS = Object.keys(TYPES) as readonly Column[]
/** Personal data. */
const PERSONAL: readonly Column[] = ['to_key', 'tags', 'said', 'searchable']

const list = (columns: readonly Column[], write: (column: Column) => string): string => columns.map(write).join(', ')

const toValue = (column: Column): string =>
  column === 'said' || column === 'failed' ? `array_to_tsvector(${column})` : column

/** The id of a deleted message may name a new one: what is stored about the old one must not be taken for its own. */
const IS_SAME = 'm.created_at = excluded.created_at'

/** Personal data stays as first written, and is gone for good once the message is forgotten. */
function toChange(column: Column): string {
  if (column === 'forgotten') return `forgotten = excluded.forgotten or (m.forgotten and ${IS_SAME})`
  if (!PERSONAL.includes(column)) return `${column} = excluded.${column}`
  const known = `case when ${IS_SAME} then m.${column} end`
  return `${column} = case when not (excluded.forgotten or (m.forgotten and ${IS_SAME})) then coalesce(${known}, excluded.${column}) end`
}

const toAdvance = (source: string): string => `
  insert into pombo.progress as p (name, position) select 'index', $1::bigint ${source}
  on conflict (name) do update set position = greatest(p.position, excluded.position)
`
const ADVANCE = toAdvance('')

/** The position comes last and depends on the rows before it, because all projectors share its row. */
const APPLY = `
  with applied as (
    insert into pombo.messages as m (${COLUMNS.join(', ')})
    select ${list(COLUMNS, toValue)}
    from json_to_recordset($2::json) as given (${list(COLUMNS, (column) => `${column} ${TYPES[column]}`)})
    on conflict (id) do update set ${list(COLUMNS, toChange)}
    where excluded.position > m.position
    returning id, tenant, forgotten
  ),
  copied as (
    insert into pombo.message_copies (tenant, to_key, message)
    select tenant, to_key, id from applied join json_to_recordset($3::json) as copy (id uuid, to_key text) using (id)
    where not forgotten
    on conflict do nothing
  )
  ${toAdvance('from (select count(*) from applied) as rows')}
`
