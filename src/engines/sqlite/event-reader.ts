/** Reads events, whether they are in the tables already or not. */
import type { EventId, MessageId } from '../../domain/ids.ts'
import type { ContentRow, EventRow, EventTables, FollowedRow } from './event-tables.ts'
import { type FramedEvent, LARGE } from './journal/frame.ts'
import type { MessageNumbers } from './message-numbers.ts'
import type { Unfiled, UnfiledEvents } from './unfiled.ts'

/** The newest event, the ids of all events, and the content unless it is large. */
export type LoadedRow = readonly [...EventRow, eventIds: readonly EventId[], content: string | null]
export type ChangesRow = readonly [through: number, rows: readonly FollowedRow[]]

type EventReaderDeps = Readonly<{ numbers: MessageNumbers; events: EventTables }>

export class EventReader {
  readonly #numbers: MessageNumbers
  readonly #events: EventTables
  readonly #unfiled: UnfiledEvents

  constructor({ numbers, events }: EventReaderDeps, unfiled: UnfiledEvents) {
    this.#numbers = numbers
    this.#events = events
    this.#unfiled = unfiled
  }

  load(id: MessageId): LoadedRow | undefined {
    const rows = this.read(id)
    const newest = rows.at(-1)
    if (newest === undefined) return undefined
    const [content] = this.content(id)
    return [...newest, rows.map(([, eventId]) => eventId), typeof content === 'string' ? content : null]
  }

  content(id: MessageId): ContentRow {
    const unfiled = this.#unfiled.get(id)?.events[0]?.content
    if (unfiled !== undefined) return [unfiled, null]
    const n = this.#numbers.find(id)
    if (n === undefined) return [null, null]
    const content = this.#events.open(n, id)
    if (content === undefined) return [null, this.#events.searchable(n)]
    return [content.length > LARGE ? content : Buffer.from(content).toString(), null]
  }

  /** All events of a message, oldest first. */
  read(id: MessageId): readonly EventRow[] {
    const unfiled = this.#unfiled.get(id)?.events ?? []
    const n = unfiled[0]?.facts === undefined ? this.#numbers.find(id) : undefined
    const filed = n === undefined ? [] : this.#events.read(n)
    const facts = unfiled[0]?.facts ?? filed[0]?.[2] ?? ''
    return [...filed, ...unfiled.map((event) => toRow(event, facts))]
  }

  page(after: number, limit: number): readonly FollowedRow[] {
    const unfiled = this.#unfiled
      .after(after, limit)
      .map(
        ({ event, unfiled }): FollowedRow => [
          ...toRow(event, this.factsOf(unfiled)),
          event.facts === undefined ? null : (unfiled.searchable ?? null),
        ],
      )
    return merged(this.#events.page(after, limit), unfiled, limit)
  }

  /** The newest event of each message in the page. */
  changes(after: number, limit: number): ChangesRow {
    const unfiled = this.#unfiled
      .after(after, limit)
      .map(({ event, unfiled }): FollowedRow => [...toRow(event, this.factsOf(unfiled)), this.#searchableOf(unfiled)])
    const rows = merged(this.#events.pageWithSearchable(after, limit), unfiled, limit)
    const newest = new Map(rows.map((row) => [row[2], row]))
    return [rows.at(-1)?.[0] ?? after, [...newest.values()].toSorted(([one], [other]) => one - other)]
  }

  /** The immutable fields of the message. */
  factsOf({ id, events: [first] }: Unfiled): string {
    if (first?.facts !== undefined) return first.facts
    const n = this.#numbers.find(id)
    return n === undefined ? '' : this.#numbers.factsOf(n)
  }

  #searchableOf({ id, searchable }: Unfiled): string | null {
    if (searchable !== undefined) return searchable
    const n = this.#numbers.find(id)
    return n === undefined ? null : this.#events.searchable(n)
  }
}

const toRow = ({ seq, eventId, body }: FramedEvent, facts: string): EventRow => [seq, eventId, facts, body]

/** Both are in the order of positions. */
const merged = (filed: readonly FollowedRow[], unfiled: readonly FollowedRow[], limit: number) =>
  (unfiled.length === 0 ? filed : [...filed, ...unfiled].toSorted(([one], [other]) => one - other)).slice(0, limit)
