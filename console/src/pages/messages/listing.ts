/**
 * The fetched messages, newest first, and how they change. Unchanged rows keep their identity, so that they are not
 * rendered again.
 */
import type { Message, MessagePage, SearchReport, Total } from '../../api/client.ts'
import type { LiveEvent } from '../../api/live.ts'

export type Listing = Readonly<{
  items: readonly Message[]
  next: string | null
  /** How the search text was understood, if the API says so. */
  search?: SearchReport | undefined
  /** How many messages match, if the API says so. */
  total?: Total | undefined
}>

export const toListing = ({ items, next_cursor: next, search, total }: MessagePage): Listing => ({
  items,
  next,
  ...(search ? { search } : {}),
  ...(total ? { total } : {}),
})

/** Applies the events of one frame to the listed rows. */
export function withEvents(listing: Listing, events: readonly LiveEvent[]): Listing {
  const byMessage = Map.groupBy(events, ({ data }) => data.messageId)
  return mapItems(listing, (row) => {
    const next = byMessage.get(row.id)?.reduce(withEvent, row) ?? row
    return isSame(row, next) ? row : next
  })
}

/** Events may repeat, or arrive after a newer row was fetched. */
function withEvent(row: Message, { name, data }: LiveEvent): Message {
  if (data.at === undefined || data.at < row.updated_at) return row
  const updated_at = data.at
  if (name.endsWith('.status.v1')) return { ...row, updated_at, status: data.newStatus as Message['status'] }
  if (name.endsWith('.retry.v1'))
    return { ...row, updated_at, attempts: data.attempt ?? row.attempts, error_code: data.reason ?? row.error_code }
  if (name.endsWith('.deadletter.v1'))
    return { ...row, updated_at, dead_letter: true, error_code: data.failureReason ?? row.error_code }
  return row
}

/** Updates the listed rows; adds and removes none. */
export function withFetched(listing: Listing, fetched: readonly Message[]): Listing {
  const byId = new Map(fetched.map((row) => [row.id, row]))
  return mapItems(listing, (row) => newerOf(row, byId.get(row.id)))
}

/** Replaces everything with a new first page. Later pages are fetched again on scrolling. */
export function withTop(listing: Listing, top: Listing): Listing {
  const byId = new Map(listing.items.map((row) => [row.id, row]))
  const items = top.items.map((row) => newerOf(byId.get(row.id) ?? row, row))
  const isSame = items.length === listing.items.length && items.every((row, index) => row === listing.items[index])
  return isSame && top.next === listing.next ? listing : { ...top, items }
}

export function withMore(listing: Listing, cursor: string, more: Listing): Listing {
  // The first page was replaced in the meantime, so these rows do not follow it.
  if (listing.next !== cursor) return listing
  return { ...listing, items: [...listing.items, ...more.items], next: more.next }
}

/** How many rows of the first page are not listed yet. */
export function countNew(listing: Listing | undefined, top: Listing): number {
  if (listing === undefined) return 0
  const newest = listing.items[0]?.created_at ?? ''
  const known = new Set(listing.items.map(({ id }) => id))
  return top.items.filter((row) => row.created_at >= newest && !known.has(row.id)).length
}

function mapItems(listing: Listing, change: (row: Message) => Message): Listing {
  let changed = false
  const items = listing.items.map((row) => {
    const next = change(row)
    if (next !== row) changed = true
    return next
  })
  return changed ? { ...listing, items } : listing
}

/** The fetched row, unless an event has already updated the listed one. */
function newerOf(row: Message, fetched: Message | undefined): Message {
  if (fetched === undefined || fetched.updated_at < row.updated_at) return row
  return isSame(row, fetched) ? row : fetched
}

const isSame = (row: Message, other: Message): boolean =>
  (Object.keys(other) as (keyof Message)[]).every((name) =>
    name === 'tags' ? row.tags.join('\n') === other.tags.join('\n') : row[name] === other[name],
  )
