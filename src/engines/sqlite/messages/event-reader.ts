/** Reads the log, whether its events are in the tables already or not. */
import type { MessageId } from '../../../domain/ids.ts'
import { messageIdOf } from '../../shared/codec.ts'
import { LARGE } from '../journal/framed-event.ts'
import { appendEvents, joinEvents, parseEvents } from './event-codec.ts'
import type { FiledMessages } from './filed-messages.ts'
import type { Filings } from './filings.ts'
import type { MessageRow } from './message-table.ts'
import type { ToSearchable, UnfiledEvents } from './unfiled.ts'

/** All events of a message, as event-codec.ts decodes them. */
export type TimelineRow = readonly [facts: string, events: string]
/**
 * Of a message whose timeline is long: the numbers of the rows that may have it, and its events that are in no row yet.
 * The thread that searches reads it.
 */
export type LongTimeline = Readonly<{ numbers: readonly number[]; unfiled: readonly string[] }>
/** With the content unless it is large; JSON. */
export type LoadedRow = readonly [...TimelineRow, content: string | null]
/** JSON; large content is the bytes of its text. `searchable` only where the content was shredded and this was kept. */
export type ContentRow = readonly [content: string | Uint8Array | null, searchable: string | null]
/** Events in the order of their positions, each with the index of its message. */
export type LogPage = Readonly<{
  messages: readonly (readonly [...TimelineRow, searchable: string | null])[]
  events: readonly (readonly [seq: number, message: number])[]
}>

/** Reading and sending this much takes this thread less than a millisecond. */
const LONG_BYTES = 64 * 1024

type EventReaderDeps = Readonly<{
  messages: FiledMessages
  filings: Filings
  unfiled: UnfiledEvents
  toSearchable: ToSearchable
}>
type Found = Readonly<{ seq: number; id: MessageId }>

export class EventReader {
  readonly #messages: FiledMessages
  readonly #filings: Filings
  readonly #unfiled: UnfiledEvents
  readonly #toSearchable: ToSearchable

  constructor({ messages, filings, unfiled, toSearchable }: EventReaderDeps) {
    this.#messages = messages
    this.#filings = filings
    this.#unfiled = unfiled
    this.#toSearchable = toSearchable
  }

  load(id: MessageId): LoadedRow | LongTimeline | undefined {
    const timeline = this.timeline(id)
    if (timeline === undefined || 'numbers' in timeline) return timeline
    const [content] = this.content(id)
    return [...timeline, typeof content === 'string' ? content : null]
  }

  content(id: MessageId): ContentRow {
    const unfiled = this.#unfiled.get(id)?.content
    if (unfiled !== undefined) return [unfiled, null]
    const row = this.#messages.find(id)
    if (row === undefined) return [null, null]
    const content = this.#messages.content(row.n, id)
    if (content === undefined) return [null, row.searchable]
    return [content.length > LARGE ? content : Buffer.from(content).toString(), null]
  }

  read(id: MessageId): TimelineRow | undefined {
    const [facts, events] = this.#whole(id) ?? []
    return facts === undefined || events === undefined ? undefined : [facts, events]
  }

  timeline(id: MessageId): TimelineRow | LongTimeline | undefined {
    const unfiled = this.#unfiled.get(id)
    const numbers = unfiled?.facts === undefined ? this.#messages.named(id) : []
    if (numbers.every((n) => this.#messages.eventBytes(n) <= LONG_BYTES)) return this.read(id)
    return { numbers, unfiled: unfiled?.events ?? [] }
  }

  /** The immutable fields of a message. */
  factsOf(id: MessageId): string {
    return this.#unfiled.get(id)?.facts ?? this.#messages.find(id)?.facts ?? ''
  }

  page(after: number, limit: number): LogPage {
    const unfiled = this.#unfiled.after(after, limit).map(([seq, { id }]) => ({ seq, id }))
    const rows = new Map<MessageId, MessageRow>()
    const found = [...this.#filedAfter(after, limit, rows), ...unfiled].toSorted(bySeq).slice(0, limit)
    const indexes = new Map([...new Set(found.map(({ id }) => id))].map((id, index) => [id, index]))
    return {
      messages: [...indexes.keys()].flatMap((id) => {
        const whole = this.#whole(id, rows.get(id))
        return whole === undefined ? [] : [whole]
      }),
      events: found.map(({ seq, id }) => [seq, indexes.get(id) ?? 0]),
    }
  }

  /** Filings overlap: what they hold beyond `through` may have gaps until the next one is read. */
  #filedAfter(after: number, limit: number, rows: Map<MessageId, MessageRow>): readonly Found[] {
    const found = new Map<number, Found>()
    for (const { through, added, others } of this.#filings.after(after)) {
      const late = others.flatMap((n) => this.#messages.read(n) ?? [])
      for (const row of [...this.#messages.readRange(added.first, added.last), ...late]) {
        const id = messageIdOf(row.facts)
        rows.set(id, row)
        for (const [seq] of parseEvents(row.events)) if (seq > after) found.set(seq, { seq, id })
      }
      const complete = [...found.values()].filter(({ seq }) => seq <= through)
      if (complete.length >= limit) return complete.toSorted(bySeq).slice(0, limit)
    }
    return [...found.values()]
  }

  #whole(id: MessageId, row?: MessageRow): LogPage['messages'][number] | undefined {
    const unfiled = this.#unfiled.get(id)
    if (unfiled?.facts !== undefined) {
      const { facts, events } = unfiled
      const searchable = unfiled.decode(this.#toSearchable)?.searchable
      return [facts, joinEvents(events), searchable === undefined ? null : JSON.stringify(searchable)]
    }
    const filed = row ?? this.#messages.find(id)
    if (filed === undefined) return undefined
    const events = unfiled === undefined ? filed.events : appendEvents(filed.events, unfiled.events)
    return [filed.facts, events, filed.searchable]
  }
}

const bySeq = (one: Found, other: Found): number => one.seq - other.seq
