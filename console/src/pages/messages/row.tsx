/** One row of the list. It renders again only when its message or position changes. */
import { memo } from 'react'
import { Link } from 'wouter'
import type { Message } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'
import { Status } from '../../ui/parts.tsx'
import { Age } from '../../ui/time.tsx'

const T = TEXTS.messages

export const COLUMNS = ['status', 'channel', 'to', 'provider', 'attempts', 'error', 'tags', 'age'] as const

/** The header is row 1. */
const ROWS_BEFORE = 2

export const rowId = (message: string): string => `message-${message}`

type RowProps = Readonly<{
  message: Message
  index: number
  offset: number
  isSelected: boolean
  onOpen: (id: string) => void
}>

export const Row = memo(({ message, index, offset, isSelected, onOpen }: RowProps) => (
  <tr
    id={rowId(message.id)}
    className="message-row"
    aria-rowindex={index + ROWS_BEFORE}
    aria-selected={isSelected}
    style={{ transform: `translateY(${offset}px)` }}
  >
    <td className="at-status">
      <Status status={message.status} />
    </td>
    <td className="at-channel">
      {message.channel}
      {message.lane !== 'transactional' && <span className="soft"> {message.lane}</span>}
    </td>
    <td className="at-to">
      <Link
        href={`/messages/${message.id}`}
        className="message-link nums"
        tabIndex={-1}
        onClick={() => onOpen(message.id)}
      >
        {message.to ?? T.erased}
      </Link>
    </td>
    <td className="at-provider">{message.provider}</td>
    <td className="at-attempts nums" title={message.cycle > 1 ? T.cycle(message.cycle) : undefined}>
      {message.attempts}
    </td>
    <td className="at-error">
      <RowError message={message} />
    </td>
    <td className="at-tags" title={message.tags.join(', ') || undefined}>
      {message.tags.map((tag) => (
        <span key={tag} className="tag">
          {tag}
        </span>
      ))}
    </td>
    <td className="at-age">
      <Age at={message.created_at} />
    </td>
  </tr>
))

function RowError({ message: { error_code, error_detail, unknown, dead_letter } }: Readonly<{ message: Message }>) {
  const words = [unknown && T.unknownOutcome, dead_letter && T.deadLetter].filter((word) => word !== false)
  return (
    <>
      {error_code !== null && <code title={error_detail ?? undefined}>{error_code}</code>}
      {words.length > 0 && <span className="soft"> {words.join(', ')}</span>}
    </>
  )
}
