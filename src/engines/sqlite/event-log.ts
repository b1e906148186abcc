/** The event log of the embedded profile. */

import type { MessageId } from '../../domain/ids.ts'
import type { Content, Searchable } from '../../domain/message/message.ts'
import { toGist } from '../../domain/message/searchable.ts'
import {
  type AppendResult,
  EMPTY,
  type Entry,
  type EventLog,
  type Followed,
  type HasRoom,
  type Loaded,
  type Position,
  type Recorded,
  type Revision,
  type Start,
} from '../../ports/event-log.ts'
import { decodeEvent, encodeEvent, encodeMessage, messageIdOf } from '../shared/codec.ts'
import type { Driver } from './driver.ts'
import {
  type AppendRow,
  CONFLICT,
  DUPLICATE,
  type EventRow,
  type FollowedRow,
  LARGE,
  type LoadedRow,
} from './event-tables.ts'
import type { Prefetched } from './queue.ts'
import type { StoreMethods } from './store.ts'

/** `prefetched` holds messages that came along with a job, so that loading them once needs no call. */
export function sqliteEventLog(driver: Driver<StoreMethods>, prefetched: Prefetched): EventLog {
  return {
    append: async (entry) => toResult(await driver.call('append', ...toRow(entry))),

    async latest(id) {
      const row = await driver.call('latest', id)
      return row && toRecorded(row)
    },

    async load(id, hasRoom) {
      // A message that did not come along with its job may be large.
      const skipped = hasRoom && !prefetched.has(id) ? await withoutContent(driver, id, hasRoom) : undefined
      if (skipped !== undefined) return skipped
      const row = prefetched.get(id) ?? (await driver.call('load', id))
      prefetched.delete(id)
      if (row === undefined) return undefined
      const [, , , , content, searchable] = row
      return {
        ...toRecorded(row),
        ...(content === null ? {} : { content: toContent(content) }),
        ...(searchable === null ? {} : { searchable: JSON.parse(searchable) as Searchable }),
      }
    },

    async read(id) {
      return (await driver.call('read', id)).map(toRecorded)
    },

    async shred(id, keep) {
      await driver.call('shred', id, keep)
      prefetched.delete(id)
    },

    async *follow(start, limit, signal) {
      const toTold = toldFrom(start)
      let at = await toPosition(driver, start)
      while (!signal.aborted) {
        const since = driver.signals()
        const rows = await driver.call('page', at, limit)
        at = rows.at(-1)?.[0] ?? at
        if (rows.length > 0) yield rows.map(toTold)
        else await driver.changed('tip', since, signal)
      }
    },

    async *changes(start, limit, signal) {
      const toTold = toldFrom(start)
      let at = await toPosition(driver, start)
      while (!signal.aborted) {
        const since = driver.signals()
        const [through, rows] = await driver.call('changes', at, limit)
        if (through > at) yield { through: through as Position, events: rows.map(toTold) }
        else await driver.changed('tip', since, signal)
        at = through
      }
    },

    tip: async () => (await driver.call('tip')) as Position,
  }
}

/** The position to read on from. */
const toPosition = async (driver: Driver<StoreMethods>, start: Start): Promise<number> =>
  typeof start === 'number' ? start : driver.call('positionBefore', start.since)

const toldFrom = (start: Start): ((row: FollowedRow) => Followed) =>
  typeof start === 'number' ? toFollowed : ([seq, id, facts, body]) => toFollowed([seq, id, facts, body, null])

const toRow = ({ seen, before, event, content, job, ends }: Entry): AppendRow => [
  event.state.id,
  seen,
  event.id,
  encodeEvent(event),
  event.state.tenantId,
  seen === EMPTY ? encodeMessage(event.state) : null,
  ...toWritten(content),
  job?.lane ?? null,
  job?.dueAt ?? null,
  ends?.leaseToken ?? null,
  before?.id ?? null,
  before === undefined ? null : encodeEvent(before),
]

/** The message without its content, if there is no room for that. */
async function withoutContent(
  driver: Driver<StoreMethods>,
  id: MessageId,
  hasRoom: HasRoom,
): Promise<Loaded | undefined> {
  const row = await driver.call('latest', id)
  const latest = row && toRecorded(row)
  const size = latest?.event.state.contentSize
  return latest === undefined || size === undefined || hasRoom(size) ? undefined : { ...latest, contentSkipped: true }
}

/** Large content is passed as bytes: a thread copies them at once, and they do not burden its heap. */
function toWritten(content: Content | undefined): readonly [content: string | Uint8Array | null, gist: string | null] {
  if (content === undefined) return [null, null]
  const text = JSON.stringify(content)
  return text.length > LARGE ? [Buffer.from(text), JSON.stringify(toGist(content))] : [text, null]
}

const toContent = (written: string | Uint8Array): Content =>
  JSON.parse(typeof written === 'string' ? written : Buffer.from(written).toString())

function toResult(code: number): AppendResult {
  if (code === CONFLICT) return { kind: 'conflict' }
  if (code === DUPLICATE) return { kind: 'duplicate' }
  return { kind: 'appended', revision: code as Revision }
}

const toRecorded = ([seq, id, facts, body]: EventRow | LoadedRow): Recorded => ({
  revision: seq as Revision,
  position: seq as Position,
  event: decodeEvent(id, facts, body),
})

/** Decodes lazily: a projector skips events that a newer one has superseded. */
const toFollowed = ([seq, id, facts, body, searchable]: FollowedRow): Followed => ({
  revision: seq as Revision,
  position: seq as Position,
  messageId: messageIdOf(facts),
  get event() {
    return decodeEvent(typeof id === 'string' ? id : Buffer.from(id).toString('hex'), facts, body)
  },
  ...(searchable === null ? {} : { searchable: JSON.parse(searchable) as Searchable }),
})
