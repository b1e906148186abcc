/** The columns of the list. Those that are empty in every row are not shown. */
import type { Message } from '../../api/client.ts'
import { MESSAGES_TEXTS } from '../../texts/messages.ts'

export const COLUMNS = [
  'status',
  'channel',
  'to',
  'content',
  'id',
  'provider',
  'lane',
  'attempts',
  'error',
  'tags',
  'age',
] as const
export type Column = (typeof COLUMNS)[number]

const ALWAYS: readonly Column[] = ['status', 'to']

/** What the display menu offers. */
export const HIDEABLE: readonly (readonly [Column, string])[] = COLUMNS.filter((name) => !ALWAYS.includes(name)).map(
  (name) => [name, MESSAGES_TEXTS.columns[name]],
)

/** Whether a row has something to show in a column. */
const FILLED: Readonly<Partial<Record<Column, (row: Message) => boolean>>> = {
  content: (row) => contentOf(row) !== undefined,
  provider: ({ provider }) => provider !== null,
  lane: ({ lane }) => lane !== 'transactional',
  attempts: ({ attempts, cycle }) => attempts > 1 || cycle > 1,
  error: ({ error_code, unknown, dead_letter }) => error_code !== null || unknown || dead_letter,
  tags: ({ tags }) => tags.length > 0,
}

/** The subject of an email, or the template of any message. */
export const contentOf = ({ subject, template }: Message): string | undefined => subject ?? template ?? undefined

export const columnsOf = (rows: readonly Message[], hidden: readonly string[]): readonly Column[] =>
  COLUMNS.filter((name) => ALWAYS.includes(name) || !hidden.includes(name)).filter((name) => {
    const isFilled = FILLED[name]
    return isFilled === undefined || rows.some(isFilled)
  })

const WIDTHS: Readonly<Record<Column, string>> = {
  status: '104px',
  channel: '28px',
  to: 'minmax(124px, 1.5fr)',
  content: 'minmax(90px, 1.8fr)',
  id: '88px',
  provider: 'minmax(64px, 0.8fr)',
  lane: '48px',
  attempts: '76px',
  error: 'minmax(100px, 1.6fr)',
  tags: 'minmax(60px, 1.1fr)',
  age: '64px',
}

export const widthsOf = (columns: readonly Column[]): string => columns.map((name) => WIDTHS[name]).join(' ')
