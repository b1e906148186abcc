/** The export of messages: page by page, up to its limit, and never more than lists show. */
import assert from 'node:assert/strict'
import { test } from 'node:test'

type Row = Readonly<Record<string, unknown>>
type Page = Readonly<{ items: readonly Row[]; next_cursor: string | null }>
type FetchPage = (cursor: string | undefined, limit: number) => Promise<Page>
type ExportFile = Readonly<{
  EXPORT_LIMIT: number
  toCsv: (rows: readonly Row[]) => string
  fetchAll: (
    fetchPage: FetchPage,
    onProgress: (count: number) => void,
    signal: AbortSignal,
  ) => Promise<Readonly<{ rows: readonly Row[]; isComplete: boolean }>>
}>

const FILE = new URL('../../../console/src/pages/messages/export.ts', import.meta.url)
const { EXPORT_LIMIT, toCsv, fetchAll } = (await import(FILE.href)) as ExportFile

/** Answers with as many rows as asked for, of this many. */
const pagesOf =
  (total: number): FetchPage =>
  async (cursor = '0', limit) => {
    const from = Number(cursor)
    const to = Math.min(total, from + limit)
    const items = Array.from({ length: to - from }, (_, index) => ({ id: String(from + index) }))
    return { items, next_cursor: to < total ? String(to) : null }
  }

test('fetches all pages and reports its progress', async () => {
  const counts: number[] = []
  const { rows, isComplete } = await fetchAll(pagesOf(450), (count) => counts.push(count), new AbortController().signal)
  assert.deepEqual([rows.length, isComplete, counts], [450, true, [200, 400, 450]])
  assert.equal(new Set(rows.map(({ id }) => id)).size, 450)
})

test('ends at the limit and says so', async () => {
  const fetched = await fetchAll(pagesOf(EXPORT_LIMIT + 1), () => {}, new AbortController().signal)
  assert.deepEqual([fetched.rows.length, fetched.isComplete], [EXPORT_LIMIT, false])
  const exact = await fetchAll(pagesOf(EXPORT_LIMIT), () => {}, new AbortController().signal)
  assert.ok(exact.isComplete)
})

test('stops when canceled', async () => {
  const cancel = new AbortController()
  let pages = 0
  const fetchPage: FetchPage = (cursor, limit) => {
    pages += 1
    return pagesOf(10_000)(cursor, limit)
  }
  await assert.rejects(
    fetchAll(fetchPage, () => cancel.abort(), cancel.signal),
    { name: 'AbortError' },
  )
  assert.equal(pages, 2)
})

test('writes known fields only, those of newer gateways if they are there, and no formulas', () => {
  const row = { id: 'a', to: '+*******0100', tags: ['x', 'y'], provider: null, attempts: 2, secret: 'no' }
  assert.equal(toCsv([row]), `id,to,provider,attempts,tags\r\na,'+*******0100,,2,x y\r\n`)
  assert.equal(toCsv([{ id: 'a', subject: '=HYPERLINK("x")' }]), `id,subject\r\na,"'=HYPERLINK(""x"")"\r\n`)
})
