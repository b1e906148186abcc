/** The results: the list, an empty state or an error. */
import { useEffect, useRef, useState } from 'react'
import { useSearch } from 'wouter'
import { Problem } from '../../api/client.ts'
import { COMMON_TEXTS } from '../../texts/common.ts'
import { MESSAGES_TEXTS } from '../../texts/messages.ts'
import type { Display } from '../../ui/display.ts'
import { Button, Failure, Loading } from '../../ui/parts.tsx'
import { activeFilters, type ChangeFilters, type Filters } from './filters.ts'
import { List } from './list.tsx'
import { savedPosition } from './list-position.ts'
import type { Listing } from './listing.ts'
import { FirstMessage, NothingFound } from './no-results.tsx'
import { toFoundBy, toTotalText } from './summary.ts'
import { NOT_SHOWN, type View } from './use-hold.ts'
import { useMessages } from './use-messages.ts'

const T = MESSAGES_TEXTS

type FoundProps = Readonly<{ filters: Filters; display: Display; onChange: ChangeFilters }>

export function Results({ filters, display, onChange }: FoundProps) {
  const search = useSearch()
  const view = useRef((): View => NOT_SHOWN)
  const position = useRef(savedPosition(search))
  const { query, more, fresh, ask, showFresh } = useMessages(filters, view)
  const { data: listing, isPlaceholderData: isOld } = query
  const announcement = useAnnouncement(search, isOld ? undefined : listing)
  if (query.isError) return <LoadError error={query.error} onAgain={() => void query.refetch()} />
  if (listing === undefined) return <Loading />
  const { items, next } = listing
  return (
    <div className="messages-found">
      <p role="status" className="visually-hidden">
        {announcement}
      </p>
      <Fresh count={fresh} onShow={showFresh} />
      {!isOld && <Summary listing={listing} />}
      {items.length === 0 && !isOld && <NoResults filters={filters} onChange={onChange} />}
      {items.length > 0 && (
        <List
          {...{ listing, display, isOld, search, position, view }}
          onLetGo={ask}
          onNearEnd={(cursor) => !isOld && more.mutate(cursor)}
        />
      )}
      {more.isError && next !== null && <LoadError error={more.error} onAgain={() => more.mutate(next)} />}
      {more.isPending && <p className="messages-end">{T.moreBelow}</p>}
      {next === null && items.length > 0 && <p className="messages-end">{T.end(toMessages(listing))}</p>}
    </div>
  )
}

const toMessages = ({ items }: Listing): string => T.messages(items.length)

/** Announces the number of results when the filters change, not on every new message. */
function useAnnouncement(search: string, listing: Listing | undefined): string {
  const [words, setWords] = useState('')
  const announced = useRef(search)
  useEffect(() => {
    if (listing === undefined || announced.current === search) return
    announced.current = search
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

/** Offers a retry only when the error may be temporary. */
const LoadError = ({ error, onAgain }: Readonly<{ error: unknown; onAgain: () => void }>) => (
  <div className="stack">
    <Failure error={error instanceof Problem ? error : new Error(COMMON_TEXTS.unreachable)} />
    {!(error instanceof Problem && error.status < 500) && (
      <div>
        <Button onClick={onAgain}>{COMMON_TEXTS.tryAgain}</Button>
      </div>
    )}
  </div>
)

/** How many messages match, and what the search text was found by: as far as the API says so. */
function Summary({ listing: { search, total } }: Readonly<{ listing: Listing }>) {
  const words = [total && toTotalText(total), search && toFoundBy(search)].filter((text) => text !== undefined)
  return words.length > 0 && <p className="messages-summary soft">{words.join(' · ')}</p>
}

const NoResults = ({ filters, onChange }: Omit<FoundProps, 'display'>) =>
  activeFilters(filters).length > 0 ? <NothingFound filters={filters} onChange={onChange} /> : <FirstMessage />
