/**
 * Writes the index. A page of projections is one statement. A projection older than its row changes nothing, so pages
 * may be repeated, late, or written by several projectors at once.
 */

import type { MessageId } from '../../domain/ids.ts'
import type { Searchable } from '../../domain/message/message.ts'
import { silentSince, stalledSince } from '../../domain/message/overdue.ts'
import { isForgotten } from '../../domain/message/searchable.ts'
import type { Handoff } from '../../domain/message/usage.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { type Position, START } from '../../ports/event-log.ts'
import type { Projection } from '../../ports/message-index.ts'
import { encodeMessage, encodeState } from '../shared/codec.ts'
import { toMessageTerms, toMetadataTerms } from '../shared/index-terms.ts'
import { APPLIED, BILLED, COUNTING, toBilled, toCounted, toKept } from './applied-counts.ts'
import { ARRAYS } from './binary-arrays.ts'
import type { Database } from './database.ts'
import { type ShapeFields, type Shapes, toShapeFields } from './shapes.ts'
import { toKey, toWords } from './words.ts'

export async function apply(
  { db, shapes }: ListingDeps,
  projections: readonly Projection[],
  through: Position,
): Promise<void> {
  const newest = newestOf(projections)
  if (newest.length === 0) {
    await db.asSystem(ADVANCE, [through])
    return
  }
  const states = newest.map(({ state }) => state)
  const fields = states.map(toShapeFields)
  const numbers = await shapes.of(fields)
  const rows = newest.map((projection, nth) =>
    toRow(projection, { ...(fields[nth] as ShapeFields), shape: numbers[nth] as number }),
  )
  const values = [through, ...COLUMNS.map((column) => toArray(TYPES[column], column, rows)), ...toBilled(states)]
  const copies = newest.flatMap(toCopies)
  const apply =
    copies.length === 0
      ? { text: APPLY, values }
      : { text: APPLY_WITH_COPIES, values: [...values, ...toCopyArrays(copies)] }
  const forgotten = newest.flatMap(({ state }) => (isForgotten(state) ? [state.id] : []))
  if (forgotten.length === 0) await db.asSystem(apply.text, apply.values, [COUNTING])
  else await db.asSystem(DELETE_COPIES, [forgotten], [COUNTING, apply])
}

export type ListingDeps = Readonly<{ db: Database; shapes: Shapes }>

type Copy = Readonly<{ id: MessageId; toKey: string }>

const toCopyArrays = (copies: readonly Copy[]): Buffer[] => [
  ARRAYS.uuid(copies.map(({ id }) => id)),
  ARRAYS.text(copies.map(({ toKey: key }) => key)),
]

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
    newest.set(projection.state.id, previous === undefined ? projection : newerOf(previous, projection))
  }
  return [...newest.values()].toSorted((one, other) => (one.state.id < other.state.id ? -1 : 1))
}

function newerOf(one: Projection, other: Projection): Projection {
  const newer = other.position > one.position ? other : one
  const searchable = other.searchable ?? one.searchable
  const contentBytes = other.contentBytes ?? one.contentBytes
  const handoffs = [...(one.handoffs ?? []), ...(other.handoffs ?? [])]
  return omitUndefined({ ...newer, searchable, contentBytes, handoffs: handoffs.length === 0 ? undefined : handoffs })
}

/** By column name; absent fields become null. */
function toRow(
  { state, position, searchable, contentBytes, handoffs }: Projection,
  shape: ShapeFields & Readonly<{ shape: number }>,
) {
  return {
    ...shape,
    id: state.id,
    position,
    created_at: state.createdAt,
    provider_message_id: state.providerMessageId === undefined ? undefined : toKey(state.providerMessageId),
    handed_off_at: state.handedOffAt,
    ended_at: state.endedAt,
    silent_since: silentSince(state),
    stalled_since: stalledSince(state),
    facts: encodeMessage(state),
    state: encodeState(state),
    failed: [...toMessageTerms(state), ...toWords(state.errorCode, state.errorDetail)],
    forgotten: isForgotten(state),
    content_bytes: state.erased ? 0 : toContentBytes(state.contentSize, contentBytes),
    handoffs: handoffs && toHandoffs(handoffs),
    ...(searchable === undefined || isForgotten(state) ? {} : toPersonal(searchable)),
  }
}

/** By attempt, so that a hand-off counts once, however often it is projected. */
const toHandoffs = (handoffs: readonly Handoff[]): string =>
  JSON.stringify(Object.fromEntries(handoffs.map(({ attempt, at, provider = '' }) => [attempt, [at, toKey(provider)]])))

/** Content that is too large for an event is elsewhere, and its event has only its size. */
const toContentBytes = (kilobytes = 0, inEvent?: number): number | undefined =>
  inEvent === undefined ? undefined : Math.max(inEvent, kilobytes * 1024)

const toPersonal = (searchable: Searchable) => ({
  to_key: toKey(searchable.toKey),
  tags: searchable.tags.map(toKey),
  said: [
    ...new Set(toMetadataTerms(searchable.metadata)),
    ...toWords(...searchable.tags, ...Object.values(searchable.metadata), searchable.subject, searchable.body),
  ],
  searchable: JSON.stringify(searchable),
})

const toCopies = ({ state: { id }, searchable }: Projection): readonly Copy[] =>
  (searchable?.copyKeys ?? []).map((key) => ({ id, toKey: toKey(key) }))

type IndexRow = ReturnType<typeof toRow> & Partial<ReturnType<typeof toPersonal>>
type Column = keyof ReturnType<typeof toRow> | keyof ReturnType<typeof toPersonal>

/** Arrays of arrays have rows of equal length, so an array in a row is passed as a text. */
const WORDS = 'text[]'
/** Passed as a text, too. */
const JSON_TEXT = 'jsonb'

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
  failed: WORDS,
  forgotten: 'boolean',
  content_bytes: 'bigint',
  handoffs: JSON_TEXT,
  shape: 'bigint',
  to_key: 'text',
  tags: WORDS,
  said: WORDS,
  searchable: 'text',
} as const satisfies Record<Column, keyof typeof ARRAYS | typeof WORDS | typeof JSON_TEXT>

const COLUMNS = Object.keys(TYPES) as readonly Column[]
/** Personal data. */
const PERSONAL: readonly Column[] = ['to_key', 'tags', 'said', 'searchable']

const list = (columns: readonly Column[], write: (column: Column) => string): string => columns.map(write).join(', ')

function toArray(type: (typeof TYPES)[Column], column: Column, rows: readonly IndexRow[]): Buffer {
  const values = rows.map((row) => row[column])
  // The types of the fields are those of TYPES.
  if (type === WORDS)
    return ARRAYS.text((values as (string[] | undefined)[]).map((words) => words && toArrayText(words)))
  if (type === JSON_TEXT) return ARRAYS.text(values as (string | undefined)[])
  return (ARRAYS[type] as (values: readonly unknown[]) => Buffer)(values)
}

const toArrayText = (words: readonly string[]): string => `{${words.map(quote)}}`
const quote = (word: string): string => `"${word.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`

/** The type of the array that a column is passed in. */
const toPassed = (column: Column): string =>
  `${TYPES[column] === WORDS || TYPES[column] === JSON_TEXT ? 'text' : TYPES[column]}[]`

function toValue(column: Column): string {
  if (TYPES[column] === JSON_TEXT) return `${column}::${JSON_TEXT}`
  if (TYPES[column] !== WORDS) return column
  return column === 'tags' ? `tags::${WORDS}` : `array_to_tsvector(${column}::${WORDS})`
}

/** The id of a deleted message may name a new one: what is stored about the old one must not be taken for its own. */
const IS_SAME = 'm.created_at = excluded.created_at'

/** Personal data stays as first written, and is gone for good once the message is forgotten. */
function toChange(column: Column): string {
  if (column === 'forgotten') return `forgotten = excluded.forgotten or (m.forgotten and ${IS_SAME})`
  const known = `case when ${IS_SAME} then m.${column} end`
  if (column === 'content_bytes') return `${column} = coalesce(excluded.${column}, ${known})`
  if (column === 'handoffs') return `${column} = coalesce(excluded.${column} || ${known}, excluded.${column}, ${known})`
  if (!PERSONAL.includes(column)) return `${column} = excluded.${column}`
  return `${column} = case when not (excluded.forgotten or (m.forgotten and ${IS_SAME})) then coalesce(${known}, excluded.${column}) end`
}

const toAdvance = (source: string): string => `
  insert into pombo.progress as p (name, position) select 'index', $1::bigint ${source}
  on conflict (name) do update set position = greatest(p.position, excluded.position)
`
const ADVANCE = toAdvance('')

/** The position is $1. */
const PASSED = list(COLUMNS, (column) => `$${COLUMNS.indexOf(column) + 2}::${toPassed(column)}`)
const FIRST_BILLED = COLUMNS.length + 2
const COPIED = [FIRST_BILLED + BILLED, FIRST_BILLED + BILLED + 1].map((nth) => `$${nth}`)

const toApply = (copied: string): string => `
  with applied as (
    insert into pombo.messages as m (${COLUMNS.join(', ')})
    select ${list(COLUMNS, toValue)} from unnest(${PASSED}) as given (${COLUMNS.join(', ')})
    on conflict (id) do update set ${list(COLUMNS, toChange)}, ${toKept(IS_SAME)}, counted = true
    where excluded.position > m.position
    returning ${APPLIED}
  ),
  ${toCounted(FIRST_BILLED)}
  ${copied}
  ${toAdvance('from (select count(*) from applied) as rows')}
`

/** The position comes last and depends on the rows before it, because all projectors share its row. */
const APPLY = toApply('')

const APPLY_WITH_COPIES = toApply(`
  , copied as (
    insert into pombo.message_copies (tenant, to_key, message)
    select tenant, to_key, id from applied
      join unnest(${COPIED[0]}::uuid[], ${COPIED[1]}::text[]) as copy (id, to_key) using (id)
    where not forgotten
    on conflict do nothing
  )
`)
