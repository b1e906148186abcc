/**
 * The conditions of searches in SQL. The row of a message is large, and reading it takes twenty times as long as an entry
 * of an index, so a search for words or tags first asks the indexes which messages it need not read.
 */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { TenantId } from '../../../domain/ids.ts'
import { TIME_OF_WORDS } from './search-terms.ts'

export type Condition = readonly [sql: string, ...values: SQLInputValue[]]

export const ALWAYS: Condition = ['true']

export const allOf = (...conditions: readonly Condition[]): Condition => [
  conditions.map(([sql]) => sql).join(' and '),
  ...conditions.flatMap(([, ...values]) => values),
]

/** Whose tag `one` is. Words tell only the time of their message. */
export const OF_MESSAGE = 'one.created_at = messages.created_at and one.n = messages.n'
export const OF_TAGGED = 'one.created_at = tagged.created_at and one.n = tagged.n'
export const OF_WORDS = `one.created_at = ${TIME_OF_WORDS}`

/** It has all of these tags. A plain `exists` becomes a join, which may come after the row of the message. */
export function toTagCondition(tenantId: TenantId, tags: readonly string[], of: string): Condition {
  const hasTag = (tag: string): Condition => [
    `exists (select 1 from message_tags as one where one.tenant = ? and one.tag = ? and ${of}) is true`,
    tenantId,
    tag,
  ]
  return allOf(ALWAYS, ...tags.map(hasTag))
}

export const toShapeCondition = (shapes: readonly number[]): Condition => [
  'shape in (select value from json_each(?))',
  JSON.stringify(shapes),
]

/** Rows that are found in an index, and the time of creation that they tell. */
export type Found = Readonly<{ table: string; where: Condition; time: string }>

export function isMoreThan(db: DatabaseSync, count: number, { table, where }: Omit<Found, 'time'>): boolean {
  const [matches, ...values] = where
  return db.prepare(`select 1 from ${table} where ${matches} limit 1 offset ?`).get(...values, count) !== undefined
}

/** Messages of these shapes, created at `from` or later, and at `at` or before. */
export type Shaped = Readonly<{ shapes: readonly number[]; from: number; at: number }>

/** The rows of so many messages are read in a few milliseconds. */
const SOME = 1_000
/** The times of so many messages are read from the index in 15 ms. */
const RARE = 100_000

/**
 * Leaves out rows at whose time no message of these shapes was created, if many rows are found and the shapes are rare.
 * Other messages may have the same time, so what is left must be compared.
 */
export function toShapeHint(db: DatabaseSync, found: Found, { shapes, from, at }: Shaped): Condition {
  const where = allOf(toShapeCondition(shapes), ['created_at between ? and ?', from, at])
  if (!isMoreThan(db, SOME, found) || isMoreThan(db, RARE, { table: 'messages', where })) return ALWAYS
  const [rare, ...values] = where
  return [`${found.time} in (select created_at from messages where ${rare})`, ...values]
}
