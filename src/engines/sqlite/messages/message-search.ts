/**
 * Finds the messages of one tenant, newest first. Every filter is read in that order and stops after a page, whatever is
 * stored: names lead to few messages, words and tags are sorted by time, and everything else is a list per shape, of
 * which the newest are merged.
 */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { TenantId } from '../../../domain/ids.ts'
import type { Searchable } from '../../../domain/message/message.ts'
import type { Filter, Query } from '../../../ports/message-index.ts'
import { messageIdOf } from '../../shared/codec.ts'
import { parseNumbered } from '../../shared/cursors.ts'
import { toMessageTerms, toMetadataTerm } from '../../shared/index-terms.ts'
import { decodeState } from './event-codec.ts'
import { assertSound } from './row-checksum.ts'
import { toWordsId } from './search-terms.ts'
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
function fewByShape({ db, shapes, bounds: { from, at, n } }: Asked): readonly number[] | undefined {
  const some = db.prepare(`
    select n from messages where shape = ? and created_at >= ? and (created_at, n) < (?, ?) limit ?
  `)
  some.setReturnArrays(true)
  const few: number[] = []
  for (const shape of shapes) {
    for (const row of some.all(shape, from, at, n, FEW + 1 - few.length)) few.push((row as unknown as [number])[0])
    if (few.length > FEW) return undefined
  }
  return few
}

function findTagged(asked: Asked): Iterable<FoundRow> {
  const { db, tenantId, filter, bounds, limit } = asked
  const [first = '', ...others] = tagsOf(filter)
  const [tags, ...values] = toTagCondition(tenantId, others)
  return select(
    db,
    `from message_tags as tagged cross join messages on messages.n = tagged.n
    where tagged.tenant = ? and tag = ? and tagged.created_at >= ? and (tagged.created_at, tagged.n) < (?, ?)
      and shape in (select value from json_each(?)) and ${tags}
    order by tagged.created_at desc, tagged.n desc limit ?`,
    [tenantId, first, bounds.from, bounds.at, bounds.n, JSON.stringify(asked.shapes), ...values, limit],
  )
}

function findWords(asked: Asked): Iterable<FoundRow> {
  const { db, tenantId, filter, bounds, limit } = asked
  const [tags, ...values] = toTagCondition(tenantId, tagsOf(filter))
  return select(
    db,
    `from message_words cross join messages on messages.n = message_words.n
    where message_words match ? and message_words.rowid >= ? and message_words.rowid < ?
      and created_at >= ? and (created_at, messages.n) < (?, ?) and shape in (select value from json_each(?)) and ${tags}
    order by message_words.rowid desc limit ?`,
    [
      `tenant : "${tenantId.replaceAll('"', '""')}" AND words : (${toMatch(filter)})`,
      toWordsId(bounds.from),
      toWordsId(bounds.at + 1),
      bounds.from,
      bounds.at,
      bounds.n,
      JSON.stringify(asked.shapes),
      ...values,
      limit,
    ],
  )
}

function* findNamed(asked: Asked, named: readonly number[]): Iterable<FoundRow> {
  const { db, tenantId, filter, bounds } = asked
  const [tags, ...values] = toTagCondition(tenantId, tagsOf(filter))
  // Those of a batch or a template may be many, so they are compared below.
  const match = toMatch({ text: filter.text, metadata: filter.metadata })
  const found = select(
    db,
    `from json_each(?) as named cross join messages on messages.n = named.value
    where shape in (select value from json_each(?)) and created_at >= ? and (created_at, messages.n) < (?, ?) and ${tags}
      ${match === undefined ? '' : 'and messages.n in (select n from message_words where words match ?)'}
    order by created_at desc, messages.n desc`,
    [
      JSON.stringify([...new Set(named)]),
      JSON.stringify(asked.shapes),
      bounds.from,
      bounds.at,
      bounds.n,
      ...values,
      ...(match === undefined ? [] : [match]),
    ],
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

/** The message has all of these tags. */
function toTagCondition(
  tenantId: TenantId,
  tags: readonly string[],
): readonly [sql: string, ...values: SQLInputValue[]] {
  const of = 'one.tenant = ? and one.tag = ? and one.created_at = messages.created_at and one.n = messages.n'
  const conditions = ['true', ...tags.map(() => `exists (select 1 from message_tags as one where ${of})`)]
  return [conditions.join(' and '), ...tags.flatMap((tag) => [tenantId, tag])]
}

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
