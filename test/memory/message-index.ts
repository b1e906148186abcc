/** The message index in memory, for tests: scans all messages for every query. */

import type { MessageId } from '../../src/domain/ids.ts'
import { silentSince, stalledSince } from '../../src/domain/message/overdue.ts'
import { isForgotten, toSummary } from '../../src/domain/message/searchable.ts'
import type { MessageState } from '../../src/domain/message/state.ts'
import { wellFormed } from '../../src/engines/shared/cursors.ts'
import { rowsWithin } from '../../src/engines/shared/row-bytes.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import { type Instant, instant } from '../../src/lib/time.ts'
import { type Position, START } from '../../src/ports/event-log.ts'
import type { OverduePage, OverdueQuery, Page, ProjectedIndex, Projection, Row } from '../../src/ports/message-index.ts'
import { matches } from './matches.ts'
import { toErrorCounts, toStats } from './stats.ts'

export type MemoryMessageIndex = ProjectedIndex &
  Readonly<{ states: () => readonly MessageState[]; remove: (id: MessageId) => boolean }>

export function memoryMessageIndex(): MemoryMessageIndex {
  const stored = new Map<MessageId, Projection>()
  let through = START

  function put({ state, position, searchable }: Projection): void {
    const old = stored.get(state.id)
    if (old !== undefined && old.position >= position) return
    const remaining = isForgotten(state) ? undefined : (searchable ?? old?.searchable)
    stored.set(state.id, omitUndefined({ state, position, searchable: remaining }))
  }

  return {
    async apply(projections, upTo) {
      for (const projection of projections) put(projection)
      through = Math.max(through, upTo) as Position
    },

    async position() {
      return through
    },

    async search({ tenantId, filter, limit, bytes, cursor }) {
      if (cursor !== undefined) wellFormed(CURSOR.exec(cursor) ?? undefined)
      const rows = [...stored.values()]
        .filter((row) => row.state.tenantId === tenantId && matches(row, filter))
        .filter((row) => cursor === undefined || sortKey(row) < cursor)
        .toSorted((a, b) => (sortKey(a) < sortKey(b) ? 1 : -1))
      return toPage(rows, limit, bytes)
    },

    async total({ tenantId, filter }) {
      const found = [...stored.values()].filter((row) => row.state.tenantId === tenantId && matches(row, filter))
      return { value: found.length, relation: 'eq' }
    },

    async stats(query) {
      return toStats(
        [...stored.values()].map(({ state }) => state),
        query,
      )
    },

    errors: async (query) =>
      toErrorCounts(
        [...stored.values()].map(({ state }) => state),
        query,
      ),

    overdue: async (query) =>
      toOverdue(
        [...stored.values()].map(({ state }) => state),
        query,
      ),

    async tombstone(id) {
      const row = stored.get(id)
      if (row !== undefined) stored.set(id, { state: row.state, position: row.position })
    },

    async clear() {
      stored.clear()
      through = START
    },

    states: () => [...stored.values()].map(({ state }) => state),
    remove: (id) => stored.delete(id),
  }
}

const CURSOR = /^[-\d]{16} [0-9a-f-]{36}$/

/** Sorts as text from the oldest to the newest message, by id within one instant. */
const sortKey = ({ state }: Row): string => sortKeyAt(state.createdAt, state)

const sortKeyAt = (at: Instant, { id }: MessageState): string => `${String(at).padStart(16, '0')} ${id}`

function toPage(found: readonly Projection[], limit: number, bytes = Number.POSITIVE_INFINITY): Page {
  const all = found.map(({ state, searchable }) =>
    omitUndefined({ state, searchable: searchable && toSummary(searchable) }),
  )
  const rows = all.slice(0, Math.min(limit, rowsWithin(all, bytes)))
  const last = all.length > rows.length ? rows.at(-1) : undefined
  return omitUndefined({ rows, nextCursor: last && sortKey(last) })
}

const NEVER = instant(Number.NEGATIVE_INFINITY)

function toOverdue(states: readonly MessageState[], query: OverdueQuery): OverduePage {
  const { kind, after = NEVER, through, limit, cursor = '' } = query
  const sinceOf = kind === 'silent' ? silentSince : stalledSince
  const waiting = states.flatMap((state) => {
    const since = sinceOf(state)
    return since !== undefined && since > after && since <= through ? [{ state, key: sortKeyAt(since, state) }] : []
  })
  const found = waiting.filter(({ key }) => key > cursor).toSorted((a, b) => (a.key < b.key ? -1 : 1))
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  return omitUndefined({ states: page.map(({ state }) => state), nextCursor: last?.key })
}
