/** One row of the list. It renders again only when its message, its position or the columns change. */
import { type MouseEvent, memo, type ReactNode } from 'react'
import { Link } from 'wouter'
import type { Message } from '../../api/client.ts'
import { MESSAGES_TEXTS } from '../../texts/messages.ts'
import { ChannelIcon } from '../../ui/channel-icon.tsx'
import { Status } from '../../ui/parts.tsx'
import { toShortId } from '../../ui/recipient.ts'
import { RecipientName } from '../../ui/recipient-name.tsx'
import { Age } from '../../ui/time.tsx'
import { type Column, contentOf } from './columns.ts'

const T = MESSAGES_TEXTS

/** The header is row 1. */
const ROWS_BEFORE = 2

export const rowId = (message: string): string => `message-${message}`

type RowProps = Readonly<{
  message: Message
  columns: readonly Column[]
  index: number
  offset: number
  isSelected: boolean
  onOpen: (id: string) => void
}>

export const Row = memo(({ message, columns, index, offset, isSelected, onOpen }: RowProps) => (
  <tr
    id={rowId(message.id)}
    className="message-row"
    aria-rowindex={index + ROWS_BEFORE}
    aria-selected={isSelected}
    style={{ transform: `translateY(${offset}px)` }}
    onClick={passToLink}
  >
    {columns.map((column) => (
      <td key={column} className={`at-${column}`}>
        {CELLS[column](message, onOpen)}
      </td>
    ))}
  </tr>
))

/** The link covers its row, except for what explains itself on hover. */
function passToLink({ target, currentTarget, nativeEvent }: MouseEvent): void {
  if (target instanceof Element && target.closest('a') !== null) return
  currentTarget.querySelector('a')?.dispatchEvent(new globalThis.MouseEvent('click', nativeEvent))
}

type Cell = (message: Message, onOpen: (id: string) => void) => ReactNode

const CELLS: Readonly<Record<Column, Cell>> = {
  status: ({ status }) => <Status status={status} />,
  channel: ({ channel }) => <ChannelIcon channel={channel} />,
  to: (message, onOpen) => (
    <Link href={`/messages/${message.id}`} className="message-link" tabIndex={-1} onClick={() => onOpen(message.id)}>
      <RecipientName of={message} />
    </Link>
  ),
  content: (message) => <Content message={message} />,
  id: ({ id }) => <code title={id}>{toShortId(id)}</code>,
  provider: ({ provider }) => provider,
  lane: ({ lane }) => (lane === 'transactional' ? null : T.lanes[lane]),
  attempts: ({ attempts, cycle }) =>
    attempts > 1 || cycle > 1 ? <span title={T.attempts(attempts, cycle)}>{attempts}</span> : null,
  error: (message) => <RowError message={message} />,
  tags: ({ tags }) =>
    tags.length > 0 && (
      <span title={tags.join(', ')}>
        {tags.map((tag) => (
          <span key={tag} className="tag">
            {tag}
          </span>
        ))}
      </span>
    ),
  age: ({ created_at }) => <Age at={created_at} />,
}

function Content({ message }: Readonly<{ message: Message }>) {
  const content = contentOf(message)
  const { template } = message
  return content === undefined ? null : <span title={template ? T.template(template) : content}>{content}</span>
}

function RowError({ message: { error_code, error_detail, unknown, dead_letter } }: Readonly<{ message: Message }>) {
  const words = [unknown && T.unknownOutcome, dead_letter && T.deadLetter].filter((word) => word !== false)
  if (error_code === null && words.length === 0) return null
  return (
    <>
      {error_code !== null && <code title={error_detail ?? undefined}>{error_code}</code>}
      {words.length > 0 && <span className="soft"> {words.join(', ')}</span>}
    </>
  )
}
