/** Exports what matches as CSV, page by page. It contains what lists show: recipients stay masked. */
import type { Message, MessagePage } from '../../api/client.ts'
import { toCsvLine } from '../../ui/csv.ts'

export const EXPORT_LIMIT = 10_000
const PAGE = 200

const COLUMNS = [
  'id',
  'created_at',
  'updated_at',
  'channel',
  'type',
  'lane',
  'status',
  'handoff_state',
  'provider_state',
  'to',
  'subject',
  'template',
  'batch_id',
  'provider',
  'provider_message_id',
  'attempts',
  'cycle',
  'segments',
  'encoding',
  'error_code',
  'error_detail',
  'tags',
  'unknown',
  'dead_letter',
  'erased',
] as const satisfies readonly (keyof Message)[]

/** The columns that every gateway has. */
const columnsOf = (rows: readonly Message[]): readonly (keyof Message)[] =>
  COLUMNS.filter((name) => rows.length === 0 || rows.some((row) => name in row))

export function toCsv(rows: readonly Message[]): string {
  const columns = columnsOf(rows)
  return [columns, ...rows.map((row) => columns.map((name) => toText(row[name])))].map(toCsvLine).join('')
}

function toText(value: Message[keyof Message]): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? value.join(' ') : String(value)
}

export type Fetched = Readonly<{ rows: readonly Message[]; isComplete: boolean }>
export type FetchPage = (cursor: string | undefined, limit: number) => Promise<MessagePage>

/** Reports how many rows there are after each page. Rejects when aborted, in whose place `fetchPage` may reject, too. */
export async function fetchAll(
  fetchPage: FetchPage,
  onProgress: (count: number) => void,
  signal: AbortSignal,
): Promise<Fetched> {
  const rows: Message[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await fetchPage(cursor, Math.min(PAGE, EXPORT_LIMIT - rows.length))
    signal.throwIfAborted()
    rows.push(...page.items)
    onProgress(rows.length)
    if (page.next_cursor === null) return { rows, isComplete: true }
    if (rows.length >= EXPORT_LIMIT) return { rows, isComplete: false }
    cursor = page.next_cursor
  }
}
