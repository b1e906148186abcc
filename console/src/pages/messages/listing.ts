/**
 * The messages that were fetched, newest first, and how they change. A row that did not change stays the same object,
 * so that it is not drawn again; a listing in which none did is returned as it is.
 */
import type { Message } from '../../api/client.ts'
import type { LiveEvent } from '../../api/live.ts'

export type Listing = Readonly<{ items: readonly Message[]; next: string | null }>

/** What the events of one frame change in the rows that are there. */
export function withEvents(listing: Listing, events: readonly LiveEvent[]): Listing {
  const byMessage = Map.groupBy(events, ({ data }) => data.messageId)
  return mapItems(listing, (row) => {
    const next = byMessage.get(row.id)?.reduce(withEvent, row) ?? row
    return isSame(row, next) ? row : next
  })
}

/** An event may come again, or after a row that was fetched later. */
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

/** The rows that are there, as they are now; none comes in and none drops out. */
export function withFetched(listing: Listing, fetched: readonly Message[]): Listing {
  const byId = new Map(fetched.map((row) => [row.id, row]))
  return mapItems(listing, (row) => newerOf(row, byId.get(row.id)))
}

/** The first page anew; whatever was below it is fetched again when it is scrolled to. */
export function withTop(listing: Listing, top: Listing): Listing {
  const byId = new Map(listing.items.map((row) => [row.id, row]))
  const items = top.items.map((row) => newerOf(byId.get(row.id) ?? row, row))
  const isSame = items.length === listing.items.length && items.every((row, index) => row === listing.items[index])
  return isSame && top.next === listing.next ? listing : { items, next: top.next }
}

export function withMore(listing: Listing, cursor: string, more: Listing): Listing {
  // The top was fetched anew in the meantime: these rows do not follow what is there now.
  if (listing.next !== cursor) return listing
  return { items: [...listing.items, ...more.items], next: more.next }
}

/** How many rows of the top are not there yet. */
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

/** What was fetched, unless an event has overtaken it. */
function newerOf(row: Message, fetched: Message | undefined): Message {
  if (fetched === undefined || fetched.updated_at < row.updated_at) return row
  return isSame(row, fetched) ? row : fetched
}

const isSame = (row: Message, other: Message): boolean =>
  (Object.keys(other) as (keyof Message)[]).every((name) =>
    name === 'tags' ? row.tags.join('\n') === other.tags.join('\n') : row[name] === other[name],
  )
