/** The index in memory: a list of messages, gone through from end to end for every question. */
import type { MessageId } from '../../domain/ids.ts'
import { silentSince, stalledSince } from '../../domain/message/overdue.ts'
import { isForgotten } from '../../domain/message/searchable.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { type Instant, instant } from '../../lib/time.ts'
import { type Position, START } from '../../ports/event-log.ts'
import type { MessageIndex, OverduePage, OverdueQuery, Page, Projection, Row } from '../../ports/message-index.ts'
import { matches } from './matches.ts'
import { toErrorCounts, toStats } from './stats.ts'

export function memoryMessageIndex(): MessageIndex {
  const known = new Map<MessageId, Projection>()
  let through = START

  function learn({ state, position, searchable }: Projection): void {
    const old = known.get(state.id)
    if (old !== undefined && old.position >= position) return
    const kept = isForgotten(state) ? undefined : (searchable ?? old?.searchable)
    known.set(state.id, { state, position, ...(kept === undefined ? {} : { searchable: kept }) })
  }

  return {
    async apply(projections, upTo) {
      for (const projection of projections) learn(projection)
      through = Math.max(through, upTo) as Position
    },

    async position() {
      return through
    },

    async search({ tenantId, filter, limit, cursor }) {
      const rows = [...known.values()]
        .filter((row) => row.state.tenantId === tenantId && matches(row, filter))
        .filter((row) => cursor === undefined || placeOf(row) < cursor)
        .toSorted((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1))
      return toPage(rows, limit)
    },

    async stats(query) {
      return toStats(
        [...known.values()].map(({ state }) => state),
        query,
      )
    },

    errors: async (query) =>
      toErrorCounts(
        [...known.values()].map(({ state }) => state),
        query,
      ),

    overdue: async (query) =>
      toOverdue(
        [...known.values()].map(({ state }) => state),
        query,
      ),

    async tombstone(id) {
      const row = known.get(id)
      if (row !== undefined) known.set(id, { state: row.state, position: row.position })
    },

    async clear() {
      known.clear()
      through = START
    },
  }
}

/** Sorts as text from the oldest to the newest message; ids tell apart what was created at once. */
const placeOf = ({ state }: Row): string => placeAt(state.createdAt, state)

const placeAt = (at: Instant, { id }: MessageState): string => `${String(at).padStart(16, '0')} ${id}`

function toPage(found: readonly Row[], limit: number): Page {
  const page = found.slice(0, limit)
  const rows = page.map(({ state, searchable }) => ({ state, ...(searchable === undefined ? {} : { searchable }) }))
  const last = found.length > limit ? page.at(-1) : undefined
  return { rows, ...(last === undefined ? {} : { nextCursor: placeOf(last) }) }
}

const NEVER = instant(Number.NEGATIVE_INFINITY)

function toOverdue(states: readonly MessageState[], query: OverdueQuery): OverduePage {
  const { kind, after = NEVER, through, limit, cursor = '' } = query
  const sinceOf = kind === 'silent' ? silentSince : stalledSince
  const waiting = states.flatMap((state) => {
    const since = sinceOf(state)
    return since !== undefined && since > after && since <= through ? [{ state, place: placeAt(since, state) }] : []
  })
  const found = waiting.filter(({ place }) => place > cursor).toSorted((a, b) => (a.place < b.place ? -1 : 1))
  const page = found.slice(0, limit)
  const last = found.length > limit ? page.at(-1) : undefined
  return { states: page.map(({ state }) => state), ...(last === undefined ? {} : { nextCursor: last.place }) }
}
