/**
 * Finds the messages of one tenant, newest first. Every filter is read in that order and stops after a page, whatever is
 * stored: names lead to few messages, words and tags are sorted by time, and everything else is a list per shape, of
 * which the newest are merged.
 */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Searchable } from '../../../domain/message/message.ts'
import type { Filter, Query } from '../../../ports/message-index.ts'
import { messageIdOf } from '../../shared/codec.ts'
import { parseNumbered } from '../../shared/cursors.ts'
import { toMessageTerms, toMetadataTerm } from '../../shared/index-terms.ts'
import { decodeState } from './event-codec.ts'
import { assertSound } from './row-checksum.ts'
import {
  ALWAYS,
  allOf,
  type Condition,
  type Found,
  isMoreThan,
  OF_MESSAGE,
  OF_TAGGED,
  OF_WORDS,
  toShapeCondition,
  toShapeHint,
  toTagCondition,
} from './search-conditions.ts'
import { TIME_OF_WORDS, toWordsId } from './search-terms.ts'
import { asksForShapes, findShapes } from './shapes.ts'

/** `facts` and `events` as event-codec.ts decodes them; `searchable` is JSON. */
export type FoundRow = readonly [createdAt: number, n: number, facts: string, events: string, searchable: string | null]

/** Whether shapes and times tell which messages match, if the filter has no name. */
export const isOnlyOfShapes = (filter: Filter): boolean => filter.tag === undefined && toMatch(filter) === undefined

/**
 * Row by row, because the events of a message may be long. `named` are the messages that may have a name of the filter;
 * undefined if it has none.
 */
export function findMessages(db: DatabaseSync, query: Query, named: readonly number[] | undefined): Iterable<FoundRow> {
  const { tenantId, filter } = query
  const shapes = findShapes(db, tenantId, filter)
  if (shapes.length === 0) return []
  const asked: Asked = { ...query, db, shapes, bounds: toBounds(query) }
  if (named !== undefined) return findNamed(asked, named)
  if (toMatch(filter) !== undefined) return findWords(asked)
  const few = filter.tag !== undefined && asksForShapes(filter) ? fewByShape(asked) : undefined
  if (few !== undefined) return findNamed(asked, few)
  if (filter.tag !== undefined) return findTagged(asked)
  return findByShape(asked)
}

type Bounds = Readonly<{ from: number; at: number; n: number }>
type Asked = Query & Readonly<{ db: DatabaseSync; shapes: readonly number[]; bounds: Bounds }>

/** Created at `from` or later, and before the message `n` of `at` in the order of lists. */
function toBounds({ filter: { createdFrom, createdTo }, cursor }: Query): Bounds {
  const [at, n] = cursor === undefined ? [END_OF_TIME, 0] : parseNumbered(cursor)
  const from: number = createdFrom ?? START_OF_TIME
  return createdTo !== undefined && createdTo <= at ? { from, at: createdTo, n: 0 } : { from, at, n }
}

/** Before and after any message. */
const START_OF_TIME = Number.MIN_SAFE_INTEGER
const END_OF_TIME = Number.MAX_SAFE_INTEGER

const ROW = 'messages.created_at, messages.n, facts, events, searchable, checksum'

/** The newest of each shape, and of these the newest. */
function findByShape({ db, shapes, bounds: { from, at, n }, limit }: Asked): Iterable<FoundRow> {
  const newest = db.prepare(`
    select created_at, n from messages
    where shape = ? and created_at >= ? and (created_at, n) < (?, ?) order by created_at desc, n desc limit ?
  `)
  newest.setReturnArrays(true)
  const found = shapes.flatMap((shape) => newest.all(shape, from, at, n, limit) as unknown as [number, number][])
  const page = found.toSorted(newestFirst).slice(0, limit)
  return select(db, `from json_each(?) as page cross join messages on messages.n = page.value`, [toJson(page)])
}

const newestFirst = ([at, n]: readonly [number, number], [otherAt, other]: readonly [number, number]): number =>
  otherAt - at || other - n

const toJson = (page: readonly (readonly [number, number])[]): string => JSON.stringify(page.map(([, n]) => n))

/** So many messages are looked at one by one, however many others have the tag. */
const FEW = 5_000

/** The messages of the shapes; undefined if they are many. */
function fewByShape({ db, shapes, bounds }: Asked): readonly number[] | undefined {
  const where = allOf(toShapeCondition(shapes), toBoundsCondition(bounds))
  if (isMoreThan(db, FEW, { table: 'messages', where })) return undefined
  const [matches, ...values] = where
  const few = db.prepare(`select n from messages where ${matches}`).all(...values)
  return few.map(({ n }) => Number(n))
}

function findTagged(asked: Asked): Iterable<FoundRow> {
  const { db, tenantId, filter, shapes, bounds, limit } = asked
  const [first = '', ...others] = tagsOf(filter)
  const where: Condition = [
    'tagged.tenant = ? and tagged.tag = ? and tagged.created_at >= ? and (tagged.created_at, tagged.n) < (?, ?)',
    ...[tenantId, first, bounds.from, bounds.at, bounds.n],
  ]
  const [matches, ...values] = allOf(
    where,
    hintOf(asked, { table: 'message_tags as tagged', where, time: 'tagged.created_at' }),
    toTagCondition(tenantId, others, OF_TAGGED),
    toShapeCondition(shapes),
  )
  return select(
    db,
    `from message_tags as tagged cross join messages on messages.n = tagged.n
    where ${matches} order by tagged.created_at desc, tagged.n desc limit ?`,
    [...values, limit],
  )
}

function findWords(asked: Asked): Iterable<FoundRow> {
  const { db, tenantId, filter, shapes, bounds, limit } = asked
  const where: Condition = [
    'message_words match ? and message_words.rowid >= ? and message_words.rowid < ?',
    `tenant : "${tenantId.replaceAll('"', '""')}" AND words : (${toMatch(filter)})`,
    toWordsId(bounds.from),
    toWordsId(bounds.at + 1),
  ]
  const tags = tagsOf(filter)
  const [matches, ...values] = allOf(
    where,
    hintOf(asked, { table: 'message_words', where, time: TIME_OF_WORDS }),
    toTagCondition(tenantId, tags, OF_WORDS),
    toBoundsCondition(bounds),
    toTagCondition(tenantId, tags, OF_MESSAGE),
    toShapeCondition(shapes),
  )
  return select(
    db,
    `from message_words cross join messages on messages.n = message_words.n
    where ${matches} order by message_words.rowid desc limit ?`,
    [...values, limit],
  )
}

const hintOf = ({ db, filter, shapes, bounds: { from, at } }: Asked, found: Found): Condition =>
  asksForShapes(filter) ? toShapeHint(db, found, { shapes, from, at }) : ALWAYS

const toBoundsCondition = ({ from, at, n }: Bounds): Condition => [
  'created_at >= ? and (created_at, messages.n) < (?, ?)',
  ...[from, at, n],
]

function* findNamed(asked: Asked, named: readonly number[]): Iterable<FoundRow> {
  const { db, tenantId, filter, shapes, bounds } = asked
  // Those of a batch or a template may be many, so they are compared below.
  const match = toMatch({ text: filter.text, metadata: filter.metadata })
  const [matches, ...values] = allOf(
    toShapeCondition(shapes),
    toBoundsCondition(bounds),
    toTagCondition(tenantId, tagsOf(filter), OF_MESSAGE),
    match === undefined ? ALWAYS : ['messages.n in (select n from message_words where words match ?)', match],
  )
  const found = select(
    db,
    `from json_each(?) as named cross join messages on messages.n = named.value
    where ${matches} order by created_at desc, messages.n desc`,
    [JSON.stringify([...new Set(named)]), ...values],
  )
  for (const row of found) if (hasNames(row, filter)) yield row
}

/** A name is only a hash: what is found by it must be compared. */
function hasNames([, , facts, events, json]: FoundRow, filter: Filter): boolean {
  const { ids, idPrefix = '', toKey, providerMessageId } = filter
  const id = messageIdOf(facts)
  if ((filter.id ?? id) !== id || ids?.includes(id) === false) return false
  if (!id.replaceAll('-', '').startsWith(idPrefix)) return false
  const state = decodeState(facts, events)
  if ((filter.batchId ?? state.batchId) !== state.batchId) return false
  if ((filter.template ?? state.template) !== state.template) return false
  if ((providerMessageId ?? state.providerMessageId) !== state.providerMessageId) return false
  if (toKey === undefined) return true
  const searchable = json === null ? undefined : (JSON.parse(json) as Searchable)
  return searchable?.toKey === toKey || searchable?.copyKeys?.includes(toKey) === true
}

const tagsOf = ({ tag }: Filter): readonly string[] => [tag ?? []].flat()

function* select(db: DatabaseSync, sql: string, values: readonly SQLInputValue[]): Iterable<FoundRow> {
  const rows = db.prepare(`select ${ROW} ${sql}`)
  rows.setReturnArrays(true)
  const found = rows.iterate(...values) as unknown as Iterable<[...FoundRow, checksum: number]>
  for (const [at, n, facts, events, searchable, checksum] of found) {
    assertSound(n, { facts, events, searchable }, checksum)
    yield [at, n, facts, events, searchable]
  }
}

type Worded = { readonly [Field in 'text' | 'metadata' | 'batchId' | 'template']?: Filter[Field] | undefined }

/** Every word is quoted, so that no input is an operator; the last one is a prefix. Without words there is no condition. */
function toMatch({ text, metadata = [], batchId, template }: Worded): string | undefined {
  const words = text?.match(/[\p{L}\p{N}]+/gu) ?? []
  const exact = [...[metadata].flat().map(toMetadataTerm), ...toMessageTerms({ batchId, template })]
  const terms = [
    ...exact.map((term) => `"${term}"`),
    ...(words.length === 0 ? [] : [`${words.map((word) => `"${word}"`).join(' ')}*`]),
  ]
  return terms.length === 0 ? undefined : terms.join(' ')
}
