/** The index of the embedded profile: written with the log, asked on a connection of its own. */
import { decodeState } from '../../domain/codec.ts'
import type { Searchable } from '../../domain/message.ts'
import type { Position } from '../../ports/event-log.ts'
import type { MessageIndex, Row } from '../../ports/message-index.ts'
import type { Driver } from './driver.ts'
import { type FoundRow, type openSearch, toCursor } from './search.ts'
import type { StoreMethods } from './store.ts'

export type SearchMethods = ReturnType<typeof openSearch>

export function sqliteMessageIndex(writer: Driver<StoreMethods>, reader: Driver<SearchMethods>): MessageIndex {
  return {
    apply: (projections, through) => writer.call('apply', projections, through),
    position: async () => (await writer.call('position')) as Position,
    tombstone: (id) => writer.call('tombstone', id),
    clear: () => writer.call('clear'),

    async search(query) {
      const rows = await reader.call('search', { ...query, limit: query.limit + 1 })
      const page = rows.slice(0, query.limit)
      const last = page.at(-1)
      const more = rows.length > page.length && last !== undefined
      return { rows: page.map(toRow), ...(more ? { nextCursor: toCursor(last[0], last[1]) } : {}) }
    },

    stats: (query) => reader.call('stats', query),

    async neglected(kind, before, limit) {
      return (await reader.call('neglected', kind, before, limit)).map(([facts, state]) => decodeState(facts, state))
    },
  }
}

function toRow([, , facts, state, searchable]: FoundRow): Row {
  return {
    state: decodeState(facts, state),
    ...(searchable === null ? {} : { searchable: JSON.parse(searchable) as Searchable }),
  }
}
