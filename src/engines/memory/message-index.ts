/** The index in memory: a list of messages, gone through from end to end for every question. */
import type { MessageId } from '../../domain/ids.ts'
import type { MessageState } from '../../domain/state.ts'
import { isHandoffOver, isProviderOver } from '../../domain/states.ts'
import type { Instant } from '../../domain/time.ts'
import { type Position, START } from '../../ports/event-log.ts'
import type { MessageIndex, Neglect, Page, Projection, Row } from '../../ports/message-index.ts'
import { matches } from './matches.ts'
import { toStats } from './stats.ts'

export function memoryMessageIndex(): MessageIndex {
  const known = new Map<MessageId, Projection>()
  let through = START

  function learn({ state, position, searchable }: Projection): void {
    const old = known.get(state.id)
    if (old !== undefined && old.position >= position) return
    const kept = state.erased ? undefined : (searchable ?? old?.searchable)
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

    async neglected(kind, before, limit) {
      return [...known.values()]
        .map(({ state }) => state)
        .filter((state) => isNeglected(state, kind) && restingSince(state, kind) < before)
        .toSorted((a, b) => restingSince(a, kind) - restingSince(b, kind))
        .slice(0, limit)
    },

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
const placeOf = ({ state }: Row): string => `${String(state.createdAt).padStart(16, '0')} ${state.id}`

function toPage(found: readonly Row[], limit: number): Page {
  const page = found.slice(0, limit)
  const rows = page.map(({ state, searchable }) => ({ state, ...(searchable === undefined ? {} : { searchable }) }))
  const last = found.length > limit ? page.at(-1) : undefined
  return { rows, ...(last === undefined ? {} : { nextCursor: placeOf(last) }) }
}

function isNeglected({ handoffState, providerState }: MessageState, kind: Neglect): boolean {
  switch (kind) {
    case 'silent':
      return handoffState === 'handed_off' && !isProviderOver(providerState)
    case 'stalled':
      return !isHandoffOver(handoffState)
  }
}

const restingSince = ({ dueAt, updatedAt }: MessageState, kind: Neglect): Instant =>
  kind === 'stalled' ? (dueAt ?? updatedAt) : updatedAt
