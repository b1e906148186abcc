/** The log of the embedded profile. */
import { decodeEvent, encodeEvent, encodeMessage, messageIdOf } from '../../domain/codec.ts'
import type { Content, Searchable } from '../../domain/message.ts'
import {
  type AppendResult,
  EMPTY,
  type EventLog,
  type Followed,
  type Position,
  type Recorded,
  type Revision,
} from '../../ports/event-log.ts'
import type { Driver } from './driver.ts'
import { CONFLICT, DUPLICATE, type EventRow, type FollowedRow, type LoadedRow } from './event-tables.ts'
import type { Prefetched } from './queue.ts'
import type { StoreMethods } from './store.ts'

/** `prefetched` holds messages that came along with a job, to be loaded once without asking. */
export function sqliteEventLog(driver: Driver<StoreMethods>, prefetched: Prefetched): EventLog {
  return {
    async append({ seen, event, content, job, ends }) {
      const { state } = event
      const code = await driver.call(
        'append',
        state.id,
        seen,
        event.id,
        encodeEvent(event),
        state.tenantId,
        seen === EMPTY ? encodeMessage(state) : null,
        content === undefined ? null : JSON.stringify(content),
        job?.lane ?? null,
        job?.dueAt ?? null,
        ends?.turn ?? null,
      )
      return toResult(code)
    },

    async latest(id) {
      const row = await driver.call('latest', id)
      return row && toRecorded(row)
    },

    async load(id) {
      const row = prefetched.get(id) ?? (await driver.call('load', id))
      prefetched.delete(id)
      if (row === undefined) return undefined
      const content = row[4]
      return { ...toRecorded(row), ...(content === null ? {} : { content: JSON.parse(content) as Content }) }
    },

    async read(id) {
      return (await driver.call('read', id)).map(toRecorded)
    },

    async shred(id) {
      await driver.call('shred', id)
      prefetched.delete(id)
    },

    async *follow(after, limit, signal) {
      let at: number = after
      while (!signal.aborted) {
        const since = driver.signals()
        const rows = await driver.call('page', at, limit)
        at = rows.at(-1)?.[0] ?? at
        if (rows.length > 0) yield rows.map(toFollowed)
        else await driver.changed('tip', since, signal)
      }
    },

    async *changes(after, limit, signal) {
      let at: number = after
      while (!signal.aborted) {
        const since = driver.signals()
        const [through, rows] = await driver.call('changes', at, limit)
        if (through > at) yield { through: through as Position, events: rows.map(toFollowed) }
        else await driver.changed('tip', since, signal)
        at = through
      }
    },

    tip: async () => (await driver.call('tip')) as Position,
  }
}

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

/** An event is read only when looked at: a projector has no use for one that a newer one has overtaken. */
const toFollowed = ([seq, id, facts, body, searchable]: FollowedRow): Followed => ({
  revision: seq as Revision,
  position: seq as Position,
  messageId: messageIdOf(facts),
  get event() {
    return decodeEvent(typeof id === 'string' ? id : Buffer.from(id).toString('hex'), facts, body)
  },
  ...(searchable === null ? {} : { searchable: JSON.parse(searchable) as Searchable }),
})
