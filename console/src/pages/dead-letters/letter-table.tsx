/** The table of dead letters, newest first. On narrow screens each row becomes a few short lines. */
import { type RefObject, useEffect, useRef } from 'react'
import { Link } from 'wouter'
import type { Message } from '../../api/client.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { DEAD_LETTERS_TEXTS } from '../../texts/dead-letters.ts'
import { ChannelIcon } from '../../ui/channel-icon.tsx'
import { toRecipient } from '../../ui/recipient.ts'
import { RecipientName } from '../../ui/recipient-name.tsx'
import { Age } from '../../ui/time.tsx'
import { useRowKeys } from './row-keys.ts'
import type { Selection } from './selection.ts'

const T = DEAD_LETTERS_TEXTS

type TableProps = Readonly<{ letters: readonly Message[]; selection: Selection; selectable: boolean }>

export function LetterTable({ letters, selection, selectable }: TableProps) {
  const table = useRef<HTMLTableElement>(null)
  useRowKeys(table, (id) => selectable && selection.toggle(id))
  return (
    <div className="table-wrap">
      <table className="table letters" ref={table}>
        <thead>
          <tr>
            {selectable && (
              <th className="pick">
                <AllShown letters={letters} selection={selection} />
              </th>
            )}
            <th>{T.columns.recipient}</th>
            <th className="wide">{T.columns.via}</th>
            <th className="wide">{T.columns.reason}</th>
            <th className="wide right">{T.columns.attempts}</th>
            <th className="wide">{T.columns.tags}</th>
            <th className="wide right">{T.columns.failed}</th>
            <th className="right" aria-sort="descending">
              {T.columns.created}
            </th>
          </tr>
        </thead>
        <tbody>
          {letters.map((letter) => (
            <Row key={letter.id} letter={letter} selection={selection} selectable={selectable} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function AllShown({ letters, selection }: Omit<TableProps, 'selectable'>) {
  const box: RefObject<HTMLInputElement | null> = useRef(null)
  const some = selection.ids.length > 0
  const all = some && selection.ids.length === letters.length
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = some && !all
  }, [some, all])
  return <input ref={box} type="checkbox" aria-label={T.selectShown} checked={all} onChange={selection.toggleShown} />
}

type RowProps = Omit<TableProps, 'letters'> & Readonly<{ letter: Message }>

function Row({ letter, selection, selectable }: RowProps) {
  const { id, channel, provider, error_code: code, error_detail: detail, tags } = letter
  return (
    <tr data-row={id} className={selection.has(id) ? 'selected' : ''}>
      {selectable && (
        <td className="pick">
          <input
            type="checkbox"
            aria-label={T.selectOne(toRecipient(letter))}
            checked={selection.has(id)}
            onChange={() => selection.toggle(id)}
          />
        </td>
      )}
      <td className="whole">
        <Link href={`/messages/${id}`}>
          <RecipientName of={letter} />
        </Link>
        <div className="narrow soft">
          <code>{code}</code> {COMMON_TEXTS.channels[channel]} · {provider ?? T.noProvider} · {T.failed}{' '}
          <Age at={letter.updated_at} />
        </div>
      </td>
      <td className="wide whole">
        <ChannelIcon channel={channel} /> {provider ?? T.noProvider}
      </td>
      <td className="wide">
        <code>{code}</code> <span className="soft">{detail}</span>
      </td>
      <td className="wide right nums">{T.attempts(letter.attempts, letter.cycle)}</td>
      <td className="wide whole">
        {tags.map((tag) => (
          <span key={tag} className="tag">
            {tag}
          </span>
        ))}
      </td>
      <td className="wide right">
        <Age at={letter.updated_at} />
      </td>
      <td className="right">
        <Age at={letter.created_at} />
      </td>
    </tr>
  )
}
