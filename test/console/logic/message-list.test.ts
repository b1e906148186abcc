/**
 * The columns, the display, the export and the summary of the message list. They are imported dynamically, because the
 * server's compiler does not know browser types.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { TEXTS } from '../texts.ts'

type Row = Readonly<Record<string, unknown>>
type Display = Readonly<{ density: string; hidden: readonly string[] }>

const load = async <File>(path: string): Promise<File> =>
  (await import(new URL(`../../../console/src/${path}`, import.meta.url).href)) as File

const { columnsOf, contentOf } = await load<{
  columnsOf: (rows: readonly Row[], hidden: readonly string[]) => readonly string[]
  contentOf: (row: Row) => string | undefined
}>('pages/messages/columns.ts')
const { parseDisplay, withColumn } = await load<{
  parseDisplay: (text: string | null) => Display
  withColumn: (display: Display, column: string, isShown: boolean) => Display
}>('ui/display.ts')
const { toTotalText, toFoundBy } = await load<{
  toTotalText: (total: Readonly<{ value: number; relation: 'eq' | 'gte' }>) => string
  toFoundBy: (search: Readonly<{ found_by: string | null; tried: readonly string[] }>) => string
}>('pages/messages/summary.ts')

const ROW = {
  id: 'a',
  status: 'sent',
  to: '+*******0100',
  provider: null,
  lane: 'transactional',
  attempts: 1,
  cycle: 1,
  error_code: null,
  unknown: false,
  dead_letter: false,
  tags: [],
}

test('shows a column once a row has something in it', () => {
  const bare = ['status', 'channel', 'to', 'id', 'age']
  assert.deepEqual(columnsOf([ROW], []), bare)
  const cases: readonly (readonly [string, Row])[] = [
    ['content', { subject: 'Hello' }],
    ['content', { template: 'welcome' }],
    ['provider', { provider: 'north' }],
    ['lane', { lane: 'bulk' }],
    ['attempts', { attempts: 2 }],
    ['attempts', { cycle: 2 }],
    ['error', { error_code: 'UNREACHABLE' }],
    ['error', { unknown: true }],
    ['tags', { tags: ['vip'] }],
  ]
  for (const [column, more] of cases) {
    const shown = columnsOf([ROW, { ...ROW, ...more }], [])
    assert.deepEqual(new Set(shown), new Set([...bare, column]))
  }
})

test('hides the columns that are switched off, but never what identifies a message', () => {
  assert.deepEqual(columnsOf([{ ...ROW, provider: 'north' }], ['provider', 'age', 'status', 'to']), [
    'status',
    'channel',
    'to',
    'id',
  ])
})

test('prefers the subject to the template, and needs neither', () => {
  assert.equal(contentOf({ ...ROW, subject: 'Hello', template: 'welcome' }), 'Hello')
  assert.equal(contentOf({ ...ROW, subject: null, template: 'welcome' }), 'welcome')
  assert.equal(contentOf(ROW), undefined)
})

test('reads a display as stored, and nothing from what is not one', () => {
  const standard = { density: 'comfortable', hidden: [] }
  for (const text of [null, '', '{', 'null', '7', '{"density":"tiny","hidden":"all"}'])
    assert.deepEqual(parseDisplay(text), standard, String(text))
  assert.deepEqual(parseDisplay('{"density":"compact","hidden":["tags",7]}'), { density: 'compact', hidden: ['tags'] })
  const without = withColumn(withColumn(standard, 'tags', false), 'tags', false)
  assert.deepEqual(without.hidden, ['tags'])
  assert.deepEqual(withColumn(without, 'tags', true), standard)
})

test('says what the search found by, and how many match', () => {
  assert.equal(toTotalText({ value: 1_000, relation: 'gte' }), `${(1_000).toLocaleString()}+ messages`)
  assert.equal(toTotalText({ value: 1, relation: 'eq' }), '1 message')
  assert.equal(toFoundBy({ found_by: 'recipient', tried: ['recipient'] }), 'Found by recipient')
  assert.equal(toFoundBy({ found_by: 'new_kind', tried: [] }), 'Found by new kind')
  assert.equal(toFoundBy({ found_by: null, tried: ['message_id', 'words'] }), 'Looked for: message ID, words')
  assert.ok(TEXTS.messages.export.about.includes('10,000'))
})
