/** The log of the embedded profile. */
import type { MessageEvent } from '../../domain/events.ts'
import type { Content, Searchable } from '../../domain/message.ts'
import type { AppendResult, EventLog, Position, Recorded, Revision } from '../../ports/event-log.ts'
import type { Driver } from './driver.ts'
import { CONFLICT, DUPLICATE } from './event-tables.ts'
import type { StoreMethods } from './store.ts'

export function sqliteEventLog(driver: Driver<StoreMethods>): EventLog {
  return {
    async append({ seen, event, content, job }) {
      const { id, tenantId } = event.state
      const sealed = content === undefined ? null : JSON.stringify(content)
      const due = job?.dueAt ?? null
      const body = JSON.stringify(event)
      return toResult(await driver.call('append', id, seen, event.id, body, sealed, tenantId, job?.lane ?? null, due))
    },

    async latest(id) {
      const row = await driver.call('latest', id)
      return row && toRecorded(row[0], row[1])
    },

    async load(id) {
      const row = await driver.call('load', id)
      if (row === undefined) return undefined
      const [seq, body, content] = row
      return { ...toRecorded(seq, body), ...(content === null ? {} : { content: JSON.parse(content) as Content }) }
    },

    async read(id) {
      return (await driver.call('read', id)).map(([seq, body]) => toRecorded(seq, body))
    },

    shred: (id) => driver.call('shred', id),

    async *follow(after, limit, signal) {
      let at: number = after
      while (!signal.aborted) {
        const since = driver.signals()
        const rows = await driver.call('page', at, limit)
        at = rows.at(-1)?.[0] ?? at
        if (rows.length > 0) yield rows.map(([seq, body, searchable]) => toFollowed(seq, body, searchable))
        else await driver.changed('tip', since, signal)
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

const toRecorded = (seq: number, body: string): Recorded => ({
  revision: seq as Revision,
  position: seq as Position,
  event: JSON.parse(body) as MessageEvent,
})

const toFollowed = (seq: number, body: string, searchable: string | null) => ({
  ...toRecorded(seq, body),
  ...(searchable === null ? {} : { searchable: JSON.parse(searchable) as Searchable }),
})
