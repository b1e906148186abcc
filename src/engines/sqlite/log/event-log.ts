/** The event log of the embedded profile: open messages in memory, and everything else from the thread that files the journal. */
import type { Content, Searchable } from '../../../domain/message/message.ts'
import { type Soon, whenReady } from '../../../lib/soon.ts'
import type { EventLog, Loaded, Position, Recorded } from '../../../ports/event-log.ts'
import type { Journal } from '../journal/journal.ts'
import { decodeEvents } from '../messages/event-codec.ts'
import type { ContentRow } from '../messages/event-reader.ts'
import type { DeleteMessages } from '../retention.ts'
import { follow, followChanges } from './follow.ts'
import type { Head } from './heads.ts'
import { OpenMessages, type OpenMessagesDeps } from './open-messages.ts'

export type EventLogDeps = OpenMessagesDeps & Readonly<{ journal: Pick<Journal, 'beginEpoch' | 'destroy'> }>

export function openEventLog(deps: EventLogDeps): EventLog & Readonly<{ deleteMessages: DeleteMessages }> {
  const { filer, journal } = deps
  const messages = new OpenMessages(deps)
  return {
    deleteMessages: (prunable) => messages.delete(prunable),

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
