/** The log in memory. A position is a place in one list of all events; contents stand beside it, so they can go. */
import type { MessageEvent } from '../../domain/events.ts'
import type { MessageId } from '../../domain/ids.ts'
import type { Content } from '../../domain/message.ts'
import { toSearchable } from '../../domain/searchable.ts'
import {
  type Changes,
  EMPTY,
  type EventLog,
  type Followed,
  type HasRoom,
  type Loaded,
  type Position,
  type Recorded,
  type Revision,
} from '../../ports/event-log.ts'
import type { Job, Taken } from '../../ports/queue.ts'
import type { Sealer } from '../../ports/sealer.ts'
import { bell } from './bell.ts'

const FIRST = 1 as Revision

export type MemoryEventLogOptions = Readonly<{
  blind: Sealer['blind']
  indexBodies: boolean
  enqueue: (job: Job) => void
  finish: (taken: Taken) => void
}>

async function* everyChange(pages: AsyncIterable<readonly Followed[]>, after: Position): AsyncIterable<Changes> {
  for await (const events of pages) yield { through: events.at(-1)?.position ?? after, events }
}

function withContent(latest: Recorded, content: Content | undefined, hasRoom: HasRoom = () => true): Loaded {
  const { weight } = latest.event.state
  if (weight !== undefined && !hasRoom(weight)) return { ...latest, isLeft: true }
  return content === undefined ? latest : { ...latest, content }
}

export function memoryEventLog({ blind, indexBodies, enqueue, finish }: MemoryEventLogOptions): EventLog {
  const all: Recorded[] = []
  const streams = new Map<MessageId, Recorded[]>()
  const contents = new Map<MessageId, Content>()
  const news = bell()

  const streamOf = (id: MessageId): readonly Recorded[] => streams.get(id) ?? []

  function record(event: MessageEvent): Recorded {
    const stream = streamOf(event.state.id)
    const revision = ((stream.at(-1)?.revision ?? EMPTY) + 1) as Revision
    const recorded = { revision, position: (all.length + 1) as Position, event }
    all.push(recorded)
    streams.set(event.state.id, [...stream, recorded])
    return recorded
  }

  function toFollowed(recorded: Recorded): Followed {
    const { id, tenantId } = recorded.event.state
    const content = recorded.revision === FIRST ? contents.get(id) : undefined
    if (content === undefined) return { ...recorded, messageId: id }
    return { ...recorded, messageId: id, searchable: toSearchable(content, blind(tenantId, content.to), indexBodies) }
  }

  async function* follow(after: Position, limit: number, signal: AbortSignal): AsyncIterable<readonly Followed[]> {
    let reached: number = after
    while (!signal.aborted) {
      const page = all.slice(reached, reached + limit).map(toFollowed)
      reached += page.length
      if (page.length > 0) yield page
      else await news.rung(signal)
    }
  }

  return {
    async append({ seen, before, event, content, job, ends }) {
      const { id } = event.state
      const stream = streamOf(id)
      const has = (one: MessageEvent): boolean => stream.some((recorded) => recorded.event.id === one.id)
      if (has(event)) return { kind: 'duplicate' }
      if ((stream.at(-1)?.revision ?? EMPTY) !== seen) return { kind: 'conflict' }

      if (before !== undefined && !has(before)) record(before)
      const { revision } = record(event)
      if (content !== undefined) contents.set(id, content)
      if (ends !== undefined) finish(ends)
      if (job !== undefined) enqueue(job)
      news.ring()
      return { kind: 'appended', revision }
    },

    latest: async (id) => streamOf(id).at(-1),

    async load(id, hasRoom) {
      const latest = streamOf(id).at(-1)
      return latest && withContent(latest, contents.get(id), hasRoom)
    },

    read: async (id) => streamOf(id),

    async shred(id) {
      contents.delete(id)
    },

    follow,

    changes: (after, limit, signal) => everyChange(follow(after, limit, signal), after),

    async tip() {
      return all.length as Position
    },
  }
}
