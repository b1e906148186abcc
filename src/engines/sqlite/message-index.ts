/** The message index of the embedded profile: written with the log, searched on a connection of its own. */

import type { Searchable } from '../../domain/message/message.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Position } from '../../ports/event-log.ts'
import type { MessageIndex, Row } from '../../ports/message-index.ts'
import { decodeState } from '../shared/codec.ts'
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
      const { page, ...next } = toPage(await reader.call('search', oneMore(query)), query)
      return { rows: page.map(toRow), ...next }
    },

    stats: (query) => reader.call('stats', query),

    errors: (query) => reader.call('errors', query),

    async overdue(query) {
      const { page, ...next } = toPage(await reader.call('overdue', oneMore(query)), query)
      return { states: page.map(([, , facts, state]) => decodeState(facts, state)), ...next }
    },
  }
}

type Limited = Readonly<{ limit: number }>

/** One more row than wanted tells whether there is a next page. */
const oneMore = <Asked extends Limited>(query: Asked): Asked => ({ ...query, limit: query.limit + 1 })

function toPage<Found extends readonly [at: number, n: number, ...unknown[]]>(
  rows: readonly Found[],
  { limit }: Limited,
) {
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return omitUndefined({ page, nextCursor: last && toCursor(last[0], last[1]) })
}

function toRow([, , facts, state, searchable]: FoundRow): Row {
  return {
    state: decodeState(facts, state),
    ...(searchable === null ? {} : { searchable: JSON.parse(searchable) as Searchable }),
  }
}
