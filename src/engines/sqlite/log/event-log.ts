/** The event log of the embedded profile: open messages in memory, and everything else from the thread that files the journal. */
import type { TenantId } from '../../../domain/ids.ts'
import type { Content, Searchable } from '../../../domain/message/message.ts'
import { type Soon, whenReady } from '../../../lib/soon.ts'
import type { EventLog, Loaded, Position, Recorded } from '../../../ports/event-log.ts'
import type { Journal } from '../journal/journal.ts'
import { decodeEvents, decodePage, parseEvents } from '../messages/event-codec.ts'
import type { ContentRow } from '../messages/event-reader.ts'
import type { DeleteMessages } from '../retention.ts'
import { follow, followChanges } from './follow.ts'
import type { Head } from './heads.ts'
import { OpenMessages, type OpenMessagesDeps } from './open-messages.ts'

export type EventLogDeps = OpenMessagesDeps & Readonly<{ journal: Pick<Journal, 'beginEpoch' | 'destroy'> }>

export type OpenedEventLog = EventLog &
  Readonly<{
    deleteMessages: DeleteMessages
    /** How many messages of a tenant will have a job once their append is on disk. */
    arriving: (tenantId: TenantId) => number
    /** Where the log ends, and what is appended to it. */
    live: Pick<OpenMessages, 'tip' | 'live'>
  }>

export function openEventLog(deps: EventLogDeps): OpenedEventLog {
  const { filer, journal } = deps
  const messages = new OpenMessages(deps)
  return {
    deleteMessages: (prunable) => messages.delete(prunable),
    arriving: (tenantId) => messages.arriving(tenantId),
    live: messages,

    append: (entry) => messages.append(entry),

    latest: (id) => whenReady(messages.durable(id), (head) => head && toRecorded(head)),

    load: (id, hasRoom) =>
      whenReady(messages.durable(id), (head): Soon<Loaded | undefined> => {
        if (head === undefined) return undefined
        const loaded = toRecorded(head)
        const { contentSize } = head.event.state
        if (contentSize !== undefined && hasRoom?.(contentSize) === false) return { ...loaded, contentSkipped: true }
        if (head.content !== undefined) return { ...loaded, content: head.content }
        return filer.content(id).then((row) => ({ ...loaded, ...toContent(row) }))
      }),

    async read(id) {
      await messages.durable(id)
      const timeline = await filer.read(id)
      return timeline === undefined ? [] : decodeEvents(...timeline)
    },

    async page(id, query) {
      await messages.settled(id)
      const found = await filer.timeline(id)
      if (found === undefined) return undefined
      if ('numbers' in found) return deps.events.timeline(id, found, query)
      const [facts, events] = found
      return decodePage(facts, parseEvents(events), query)
    },

    /** The journal holds the content too until it is filed, so its frames are destroyed as well. */
    async shred(id, keep) {
      const through = await journal.beginEpoch()
      await filer.shred(id, keep)
      messages.dropContent(id)
      journal.destroy(through)
      await filer.truncateJournal()
    },

    follow: (start, limit, stop) => follow({ filer, messages }, start, limit, stop),
    changes: (start, limit, stop) => followChanges({ filer, messages }, start, limit, stop),
    tip: async () => messages.tip,
  }
}

const toRecorded = ({ revision, event }: Head): Recorded => ({
  revision,
  position: revision as number as Position,
  event,
})

function toContent([content, searchable]: ContentRow): Pick<Loaded, 'content' | 'searchable'> {
  if (content !== null) {
    const text = typeof content === 'string' ? content : Buffer.from(content).toString()
    return { content: JSON.parse(text) as Content }
  }
  return searchable === null ? {} : { searchable: JSON.parse(searchable) as Searchable }
}
