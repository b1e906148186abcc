/** What was found: the list, or in its place why there is none. */
import { useEffect, useRef, useState } from 'react'
import { Link, useSearch } from 'wouter'
import { Problem } from '../../api/client.ts'
import { TEXTS } from '../../texts.ts'
import { toCount } from '../../ui/numbers.ts'
import { Button, Empty, Failure, Loading } from '../../ui/parts.tsx'
import { clearFilters } from './active-filters.tsx'
import { activeFilters, type ChangeFilters, type Filters } from './filters.ts'
import { List } from './list.tsx'
import type { Listing } from './listing.ts'
import { keptPlace } from './place.ts'
import { NOTHING_SEEN, type View } from './use-hold.ts'
import { useMessages } from './use-messages.ts'

const T = TEXTS.messages

type FoundProps = Readonly<{ filters: Filters; onChange: ChangeFilters }>

export function Found({ filters, onChange }: FoundProps) {
  const search = useSearch()
  const view = useRef((): View => NOTHING_SEEN)
  const place = useRef(keptPlace(search))
  const { query, more, fresh, ask, showFresh } = useMessages(filters, view)
  const { data: listing, isPlaceholderData: isOld } = query
  const words = useAnnouncement(search, isOld ? undefined : listing)
  if (query.isError) return <Trouble error={query.error} onAgain={() => void query.refetch()} />
  if (listing === undefined) return <Loading />
  const { items, next } = listing
  return (
    <div className="messages-found">
      <p role="status" className="visually-hidden">
        {words}
      </p>
      <Fresh count={fresh} onShow={showFresh} />
      {items.length === 0 && !isOld && <Nothing filters={filters} onChange={onChange} />}
      {items.length > 0 && (
        <List
          {...{ listing, isOld, search, place, view }}
          onLetGo={ask}
          onNearEnd={(cursor) => !isOld && more.mutate(cursor)}
        />
      )}
      {more.isError && next !== null && <Trouble error={more.error} onAgain={() => more.mutate(next)} />}
      {more.isPending && <p className="messages-end">{T.moreBelow}</p>}
      {next === null && items.length > 0 && <p className="messages-end">{T.end(toMessages(listing))}</p>}
    </div>
  )
}

const toMessages = ({ items }: Listing): string => T.messages(toCount(items.length), items.length === 1)

/** What other filters have found is said once, not with every message that comes in. */
function useAnnouncement(search: string, listing: Listing | undefined): string {
  const [words, setWords] = useState('')
  const told = useRef(search)
  useEffect(() => {
    if (listing === undefined || told.current === search) return
    told.current = search
    setWords(listing.next === null ? toMessages(listing) : T.moreThan(toMessages(listing)))
  }, [search, listing])
  return words
}

const Fresh = ({ count, onShow }: Readonly<{ count: number; onShow: () => void }>) =>
  count > 0 && (
    <div className="messages-fresh">
      <Button kind="primary" onClick={onShow}>
        {T.fresh(count)}
      </Button>
    </div>
  )

/** What the gateway has refused it refuses again: then there is something to change, not to repeat. */
const Trouble = ({ error, onAgain }: Readonly<{ error: unknown; onAgain: () => void }>) => (
  <div className="stack">
    <Failure error={error instanceof Problem ? error : new Error(T.unreachable)} />
    {!(error instanceof Problem && error.status < 500) && (
      <div>
        <Button onClick={onAgain}>{T.again}</Button>
      </div>
    )}
  </div>
)

const Nothing = ({ filters, onChange }: FoundProps) =>
  activeFilters(filters).length > 0 ? (
    <Empty>
      <p>{T.noneMatch}</p>
      <Button onClick={() => clearFilters(onChange)}>{T.clear}</Button>
    </Empty>
  ) : (
    <Empty>
      <p>
        {T.none} <Link href="/simulator">{T.noneSend}</Link>
      </p>
    </Empty>
  )
