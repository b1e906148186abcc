/**
 * The message list, kept up to date. Live events update listed rows at once. What events do not contain (new rows,
 * providers, errors) is fetched at most once a second: the first page while the user is at the top, otherwise the
 * visible rows.
 */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { api, unwrap } from '../../api/client.ts'
import { type LiveEvent, useLive } from '../../api/live.ts'
import { canChange, type Filters, type MessageQuery, toQuery } from './filters.ts'
import { countNew, type Listing, toListing, withEvents, withFetched, withMore, withTop } from './listing.ts'
import { openPace, type Pace } from './pace.ts'
import type { View } from './use-hold.ts'

const PAGE_SIZE = 100
const SLACK = 50
const EVERY_MS = 1_000

export function useMessages(filters: Filters, view: RefObject<() => View>) {
  const client = useQueryClient()
  const key = ['messages', filters]
  const query = useQuery({
    queryKey: key,
    queryFn: () => fetchTop(filters),
    staleTime: Number.POSITIVE_INFINITY,
    refetchOnMount: false,
    structuralSharing: false,
    placeholderData: keepPreviousData,
  })
  const more = useMutation({
    mutationFn: (cursor: string) => fetchPage(filters, { cursor }),
    onSuccess: (page, cursor) =>
      client.setQueryData<Listing>(key, (before) => before && withMore(before, cursor, page)),
  })
  const { fresh, ask, showFresh } = useRefresh(filters, view)
  useLive((events) => {
    const before = client.getQueryData<Listing>(key)
    if (before === undefined) return
    const after = withEvents(before, events)
    if (after !== before) client.setQueryData(key, after)
    if (after !== before || canChange(filters) || events.some(isNew)) ask()
  })
  return { query, more, fresh, ask, showFresh }
}

const isNew = ({ data }: LiveEvent): boolean => data.previousStatus === null

/** Refetches the visible rows on request, and counts new messages above them. */
function useRefresh(filters: Filters, view: RefObject<() => View>) {
  const client = useQueryClient()
  const [fresh, setFresh] = useState(0)
  const opened = useRef<Readonly<{ pace: Pace; showFresh: () => void }>>(undefined)
  const address = new URLSearchParams(filters).toString()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the address says whether the filters are others
  useEffect(() => {
    const key = ['messages', filters]
    const current = (): Listing | undefined => client.getQueryData<Listing>(key)
    const change = (next: (before: Listing) => Listing): unknown =>
      client.setQueryData<Listing>(key, (before) => before && next(before))
    let top: Listing = { items: [], next: null }

    const showFresh = (): void => {
      change((before) => withTop(before, top))
      setFresh(0)
      scrollTo(0, 0)
      pace.ask()
    }
    const refresh = async (): Promise<void> => {
      const { isHeld, first, last } = view.current()
      const seen = isHeld ? (current()?.items.slice(first, last + 1) ?? []) : []
      const [fetchedTop, fetched] = await Promise.all([fetchTop(filters), fetchAgain(filters, seen)])
      top = fetchedTop
      // Checked again, because the user may have scrolled in the meantime.
      if (view.current().isHeld) change((before) => withFetched(before, fetched))
      else change((before) => withTop(before, top))
      setFresh(countNew(current(), top))
    }
    const pace = openPace(refresh, EVERY_MS)
    opened.current = { pace, showFresh }
    setFresh(0)
    // The cached list may be outdated after returning from another page.
    const fetchedAt = client.getQueryState(key)?.dataUpdatedAt ?? 0
    if (fetchedAt > 0 && fetchedAt < Date.now() - EVERY_MS) pace.ask()
    return pace.stop
  }, [client, view, address])
  return { fresh, ask: () => opened.current?.pace.ask(), showFresh: () => opened.current?.showFresh() }
}

/** With the number of all messages that match. */
const fetchTop = (filters: Filters): Promise<Listing> => fetchPage(filters, { total: true })

async function fetchPage(filters: Filters, page: Pick<MessageQuery, 'cursor' | 'limit' | 'created_to' | 'total'>) {
  const query = { ...toQuery(filters), limit: PAGE_SIZE, ...page }
  return toListing(await unwrap(api.GET('/v1/messages', { params: { query } })))
}

/** Fetches these rows again. Asks for a few more, because several messages may share a millisecond. */
async function fetchAgain(filters: Filters, rows: Listing['items']): Promise<Listing['items']> {
  const [newest] = rows
  if (newest === undefined) return []
  const created_to = new Date(Date.parse(newest.created_at) + 1).toISOString()
  return (await fetchPage(filters, { created_to, limit: Math.min(200, rows.length + SLACK) })).items
}
