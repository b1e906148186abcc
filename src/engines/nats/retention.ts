/**
 * Deletes what the broker stores about messages that are no longer kept. Streams are purged by subject: unlike an
 * erasure, that does not overwrite secrets on disk, but it takes a hundredth of the time, and the broker removes blocks
 * of deleted messages within minutes.
 *
 * Carrier references are left to their age limit. They hold no personal data, and a report that finds none would be
 * stored for as long.
 */
import type { MessageId } from '../../domain/ids.ts'
import type { MessageState } from '../../domain/message/state.ts'
import type { Contents } from './contents.ts'
import type { JetStream } from './jetstream.ts'
import type { Names } from './subjects.ts'
import { decodeStored, toRecorded } from './wire.ts'

export type BrokerRetentionDeps = Readonly<{ js: JetStream; names: Names; contents: Contents }>

/** The sequence of the newest event of each message; 0 if the log has dropped it for its age. */
export type SeenEvents = ReadonlyMap<MessageId, number>

export type BrokerRetention = Readonly<{
  /** Deletes the keys and contents of these messages, except those that the log knows to be kept. */
  removeContents: (ids: readonly MessageId[], isKept: (state: MessageState) => boolean) => Promise<SeenEvents>
  /** Deletes their events, but none that was appended since. */
  removeEvents: (seen: SeenEvents) => Promise<void>
}>

/** Messages worked on at once: few enough not to delay other requests. */
const AT_ONCE = 32

export const natsRetention = (deps: BrokerRetentionDeps): BrokerRetention => ({
  async removeContents(ids, isKept) {
    const seen = new Map<MessageId, number>()
    await eachOf(ids, async (id) => {
      const seq = await removeContent(deps, id, isKept)
      if (seq !== undefined) seen.set(id, seq)
    })
    return seen
  },

  removeEvents: (seen) => eachOf([...seen], ([id, seq]) => removeEvents(deps, id, seq)),
})

/** Returns the sequence of its newest event; undefined if the message is kept. */
async function removeContent(
  { js, names, contents }: BrokerRetentionDeps,
  id: MessageId,
  isKept: (state: MessageState) => boolean,
): Promise<number | undefined> {
  const stored = await js.get(names.log, { last_by_subj: names.event(id) })
  const state = stored && toRecorded(decodeStored(stored)).event.state
  if (state !== undefined && isKept(state)) return undefined
  // With the mark of a destroyed key: it would forbid keys for a new message with this id.
  await js.api(`STREAM.PURGE.${names.keys}`, { filter: names.key(id, '*') })
  // Only large content is stored apart from its event.
  if (state === undefined || state.contentSize !== undefined) await contents.purge(id)
  return stored?.seq ?? 0
}

async function removeEvents({ js, names }: BrokerRetentionDeps, id: MessageId, seq: number): Promise<void> {
  if (seq > 0) await js.api(`STREAM.PURGE.${names.log}`, { filter: names.event(id), seq: seq + 1 })
}

async function eachOf<Item>(items: readonly Item[], act: (item: Item) => Promise<void>): Promise<void> {
  for (let first = 0; first < items.length; first += AT_ONCE) {
    await Promise.all(items.slice(first, first + AT_ONCE).map(act))
  }
}
