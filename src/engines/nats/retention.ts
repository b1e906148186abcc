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
import type { Keys } from './keys.ts'
import type { Names } from './subjects.ts'
import { decodeStored, toRecorded } from './wire.ts'

export type BrokerRetentionDeps = Readonly<{
  js: JetStream
  names: Names
  keys: Keys
  contents: Contents
}>

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
    await eachPage(ids, async (page) => {
      const removable = (await Promise.all(page.map((id) => readRemovable(deps, id, isKept)))).filter(isDefined)
      // Messages accepted together often share a block of keys.
      await deps.keys.purge(
        removable.map(({ id }) => id),
        removable.flatMap(({ kid }) => kid ?? []),
      )
      await Promise.all(removable.map(({ id, isLarge }) => (isLarge ? deps.contents.purge(id) : undefined)))
      for (const { id, seq } of removable) seen.set(id, seq)
    })
    return seen
  },

  removeEvents: (seen) =>
    eachPage([...seen], (page) => Promise.all(page.map(([id, seq]) => removeEvents(deps, id, seq)))),
})

/** A message that may be deleted: its newest event, its key, and whether its content may be stored apart. */
type Removable = Readonly<{ id: MessageId; seq: number; kid: string | undefined; isLarge: boolean }>

/** Undefined if the message is kept. */
async function readRemovable(
  { js, names }: BrokerRetentionDeps,
  id: MessageId,
  isKept: (state: MessageState) => boolean,
): Promise<Removable | undefined> {
  const stored = await js.get(names.logOf(id), { last_by_subj: names.event(id) })
  // Its key was dropped by age as well.
  if (stored === undefined) return { id, seq: 0, kid: undefined, isLarge: true }
  const newest = decodeStored(stored)
  const { state } = toRecorded(newest).event
  if (isKept(state)) return undefined
  const [oldest] = newest.history
  const first = oldest === undefined ? stored : await js.get(names.logOf(id), { seq: oldest[0] })
  const kid = first && decodeStored(first).sealed?.kid
  return { id, seq: stored.seq, kid, isLarge: state.contentSize !== undefined }
}

async function removeEvents({ js, names }: BrokerRetentionDeps, id: MessageId, seq: number): Promise<void> {
  if (seq > 0) await js.api(`STREAM.PURGE.${names.logOf(id)}`, { filter: names.event(id), seq: seq + 1 })
}

async function eachPage<Item>(items: readonly Item[], act: (page: readonly Item[]) => Promise<unknown>): Promise<void> {
  for (let first = 0; first < items.length; first += AT_ONCE) await act(items.slice(first, first + AT_ONCE))
}

const isDefined = <Value>(value: Value | undefined): value is Value => value !== undefined
