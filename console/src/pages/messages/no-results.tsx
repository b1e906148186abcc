/** What to do when there is nothing to show: send the first message, or change the filters. */
import { Inbox, SearchX } from 'lucide-react'
import { Link } from 'wouter'
import { MESSAGES_TEXTS } from '../../texts/messages.ts'
import { CopyButton } from '../../ui/copy.tsx'
import { Button, Empty } from '../../ui/parts.tsx'
import { type ChangeFilters, type Filters, NO_FILTERS } from './filters.ts'
import { toFirstSend } from './first-send.ts'

const T = MESSAGES_TEXTS

export function FirstMessage() {
  const call = toFirstSend(location.origin)
  return (
    <Empty>
      <Inbox aria-hidden="true" className="empty-icon" />
      <h2>{T.first.title}</h2>
      <p>{T.first.about}</p>
      <Link href="/send" className="button primary">
        {T.first.send}
      </Link>
      <div className="messages-first">
        <div className="messages-first-head">
          <span>{T.first.orCall}</span>
          <CopyButton text={call} what={T.first.call} />
        </div>
        <pre>
          <code>{call}</code>
        </pre>
        <p className="soft">{T.first.hint}</p>
      </div>
    </Empty>
  )
}

type NothingProps = Readonly<{ filters: Filters; onChange: ChangeFilters }>

/** Says what may be the reason, and offers to drop each part of it. */
export const NothingFound = ({ filters, onChange }: NothingProps) => (
  <Empty>
    <SearchX aria-hidden="true" className="empty-icon" />
    <h2>{T.noneMatch}</h2>
    <p>{hintOf(filters)}</p>
    <div className="row">
      {filters.q !== undefined && <Button onClick={() => onChange({ q: undefined })}>{T.clearSearch}</Button>}
      <Button onClick={() => onChange(NO_FILTERS)}>{T.clear}</Button>
    </div>
  </Empty>
)

function hintOf({ q, to, created_from, created_to }: Filters): string {
  if (q !== undefined) return T.hintsWhenNone.q(q)
  if (to !== undefined) return T.hintsWhenNone.to
  return created_from === undefined && created_to === undefined ? T.hintsWhenNone.other : T.hintsWhenNone.created
}
