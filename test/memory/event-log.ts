/** The event log in memory, for tests. A position indexes one list of all events; contents are stored separately, to be shredded. */
import type { MessageId } from '../../src/domain/ids.ts'
import type { MessageEvent } from '../../src/domain/message/events.ts'
import type { Content, Searchable } from '../../src/domain/message/message.ts'
import { toSearchable } from '../../src/domain/message/searchable.ts'
import type { MessageState } from '../../src/domain/message/state.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import { signal } from '../../src/lib/signal.ts'
import {
  type Changes,
  EMPTY,
  type EventLog,
  type EventsPage,
  type EventsQuery,
  type Followed,
  type HasRoom,
  type Loaded,
  type Position,
  type Recorded,
  type Revision,
  type Start,
} from '../../src/ports/event-log.ts'
import type { Job, Taken } from '../../src/ports/queue.ts'
import type { Sealer } from '../../src/ports/sealer.ts'

const FIRST = 1 as Revision

export type MemoryEventLogOptions = Readonly<{
  blind: Sealer['blind']
  indexBodies: boolean
  enqueue: (job: Job) => void
  finish: (taken: Taken) => void
}>

export type MemoryEventLog = EventLog &
  Readonly<{
    remove: (id: MessageId) => void
    /** What is left of the next `limit` events. */
    after: (position: Position, limit: number) => Changes
    /** The newest state of each message, and what its events and its content occupy. */
    stored: () => Iterable<Readonly<{ state: MessageState; bytes: number }>>
    /** Every event, also of removed messages. */
    everything: () => readonly MessageEvent[]
  }>

async function* everyChange(pages: AsyncIterable<readonly Followed[]>): AsyncIterable<Changes> {
  for await (const events of pages) {
    const last = events.at(-1)
    if (last !== undefined) yield { through: last.position, events }
  }
}

const toState = (recorded: Recorded): Followed => ({ ...recorded, messageId: recorded.event.state.id })

/** All events in one list, where removed ones leave gaps, and the stream of every message. */
function openRecords() {
  const all: Recorded[] = []
  const streams = new Map<MessageId, readonly Recorded[]>()
  const removed = new WeakSet<Recorded>()
  const streamOf = (id: MessageId): readonly Recorded[] => streams.get(id) ?? []
  return {
    streamOf,
    streams: () => streams.values(),
    everything: () => all.map(({ event }) => event),
    tip: () => all.length as Position,
    record(event: MessageEvent): Recorded {
      const stream = streamOf(event.state.id)
      const revision = ((stream.at(-1)?.revision ?? EMPTY) + 1) as Revision
      const recorded = { revision, position: (all.length + 1) as Position, event }
      all.push(recorded)
      streams.set(event.state.id, [...stream, recorded])
      return recorded
    },
    positionOf(start: Start): number {
      if (typeof start === 'number') return start
      if ('after' in start) return start.after
      const first = all.findIndex(({ event }) => event.at >= start.since)
      return first === -1 ? all.length : first
    },
    /** What is left of the next `limit` events, and how many they were. */
    page(after: number, limit: number) {
      const read = all.slice(after, after + limit)
      return { count: read.length, left: read.filter((recorded) => !removed.has(recorded)) }
    },
    remove(id: MessageId): void {
      for (const recorded of streamOf(id)) removed.add(recorded)
      streams.delete(id)
    },
  }
}

/** `stored` is the content of the message, or only the searchable fields after shredding. */
function withContent(
  latest: Recorded,
  stored: Content | Searchable | undefined,
  hasRoom: HasRoom = () => true,
): Loaded {
  const { contentSize: size } = latest.event.state
  if (size !== undefined && !hasRoom(size)) return { ...latest, contentSkipped: true }
  if (stored === undefined) return latest
  return 'toKey' in stored ? { ...latest, searchable: stored } : { ...latest, content: stored }
}

const jsonBytes = (value: unknown): number => (value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value)))

function openContents(blind: Sealer['blind'], indexBodies: boolean) {
  const contents = new Map<MessageId, Content>()
  const searchables = new Map<MessageId, Searchable>()
  return {
    keep({ state: { id, tenantId } }: MessageEvent, content: Content): void {
      contents.set(id, content)
      searchables.set(
        id,
        toSearchable(content, (to) => blind(tenantId, to), indexBodies),
      )
    },
    contentOf: (id: MessageId) => contents.get(id),
    bytesOf: (id: MessageId): number => jsonBytes(contents.get(id)) + jsonBytes(searchables.get(id)),
    searchableOf: (id: MessageId) => searchables.get(id),
    shred(id: MessageId, keep?: 'searchable'): void {
      contents.delete(id)
      if (keep === undefined) searchables.delete(id)
    },
  }
}

function pageOf(stream: readonly Recorded[], { limit, before }: EventsQuery): EventsPage | undefined {
  const state = stream.at(-1)?.event.state
  if (state === undefined) return undefined
  const end = Math.min(before ?? stream.length, stream.length)
  const first = Math.max(0, end - limit)
  return { events: stream.slice(first, end).map(({ event }) => event), first, total: stream.length, state }
}

export function memoryEventLog({ blind, indexBodies, enqueue, finish }: MemoryEventLogOptions): MemoryEventLog {
  const { streamOf, record, ...records } = openRecords()
  const contents = openContents(blind, indexBodies)
  const appended = signal()

  function toFollowed(recorded: Recorded): Followed {
    const { id } = recorded.event.state
    const searchable = recorded.revision === FIRST ? contents.searchableOf(id) : undefined
    return omitUndefined({ ...recorded, messageId: id, searchable })
  }

  async function* follow(start: Start, limit: number, signal: AbortSignal): AsyncIterable<readonly Followed[]> {
    const isPosition = typeof start === 'number'
    let reached = records.positionOf(start)
    while (!signal.aborted) {
      const { count, left } = records.page(reached, limit)
      reached += count
      if (left.length > 0) yield left.map(isPosition ? toFollowed : toState)
      else if (count === 0) await appended.wait(signal)
    }
  }

  return {
    async append({ seen, before, event, content, job, ends }) {
      const { id } = event.state
      const stream = streamOf(id)
      const has = (one: MessageEvent): boolean => stream.some((recorded) => recorded.event.id === one.id)
      if (has(event)) return { kind: 'duplicate' }
      if ((stream.at(-1)?.revision ?? EMPTY) !== seen) return { kind: 'conflict' }

      const preceded = before === undefined || has(before) ? undefined : record(before)
      const { revision } = record(event)
      if (content !== undefined) contents.keep(event, content)
      if (ends !== undefined) finish(ends)
      if (job !== undefined) enqueue(job)
      appended.notify()
      return { kind: 'appended', revision, ...(preceded && { before: preceded.revision }) }
    },

    latest: async (id) => streamOf(id).at(-1),

    async load(id, hasRoom) {
      const latest = streamOf(id).at(-1)
      return latest && withContent(latest, contents.contentOf(id) ?? contents.searchableOf(id), hasRoom)
    },

    read: async (id) => streamOf(id),

    page: async (id, query) => pageOf(streamOf(id), query),

    shred: async (id, keep) => contents.shred(id, keep),

    follow,

    changes: (start, limit, signal) => everyChange(follow(start, limit, signal)),

    tip: async () => records.tip(),

    after(position, limit) {
      const { count, left } = records.page(position, limit)
      return { through: (position + count) as Position, events: left.map(toState) }
    },

    remove(id) {
      records.remove(id)
      contents.shred(id)
    },

    everything: records.everything,

    *stored() {
      for (const stream of records.streams()) {
        const state = stream.at(-1)?.event.state
        if (state !== undefined) yield { state, bytes: jsonBytes(stream) + contents.bytesOf(state.id) }
      }
    },
  }
}
