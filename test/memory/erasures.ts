/** Erasures in memory, for tests. */

import { type Erasure, isComplete, parseErasureCursor, toErasureCursor } from '../../src/domain/message/erasure.ts'
import { wellFormed } from '../../src/engines/shared/cursors.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import type { Instant } from '../../src/lib/time.ts'
import type { ErasurePage, ErasureQuery, Erasures, HeldErasure } from '../../src/ports/erasures.ts'

/** `dueAt` is missing once the erasure is complete. */
type StoredErasure = HeldErasure & Readonly<{ dueAt: Instant | undefined }>

export function memoryErasures(): Erasures {
  const all = new Map<string, StoredErasure>()
  const findExisting = ({ id, tenantId, toKey }: Erasure): Erasure | undefined => {
    const mine = [...all.values()].map(({ erasure }) => erasure).filter((one) => one.tenantId === tenantId)
    return mine.find((one) => one.id === id) ?? mine.find((one) => one.toKey === toKey && !isComplete(one))
  }

  return {
    async start(erasure) {
      const before = findExisting(erasure)
      if (before === undefined) all.set(erasure.id, { erasure, leaseToken: 0, dueAt: erasure.requestedAt })
      return before ?? erasure
    },

    async find(tenantId, id) {
      const erasure = all.get(id)?.erasure
      return erasure?.tenantId === tenantId ? erasure : undefined
    },

    list: async (query) =>
      toPage(
        [...all.values()].map(({ erasure }) => erasure),
        query,
      ),

    async claim(at, until) {
      const [next] = [...all.values()]
        .flatMap((stored) =>
          stored.dueAt !== undefined && stored.dueAt <= at ? [{ ...stored, dueAt: stored.dueAt }] : [],
        )
        .toSorted((one, other) => one.dueAt - other.dueAt)
      if (next === undefined) return undefined
      const held = { erasure: next.erasure, leaseToken: next.leaseToken + 1 }
      all.set(next.erasure.id, { ...held, dueAt: until })
      return held
    },

    async save({ erasure, leaseToken }, dueAt) {
      const stored = all.get(erasure.id)
      if (stored?.leaseToken !== leaseToken || stored.dueAt === undefined) return false
      all.set(erasure.id, { erasure, leaseToken, dueAt })
      return true
    },
  }
}

function toPage(all: readonly Erasure[], { tenantId, limit, cursor }: ErasureQuery): ErasurePage {
  const [at, id] = cursor === undefined ? [Number.POSITIVE_INFINITY, ''] : wellFormed(parseErasureCursor(cursor))
  const found = all
    .filter((one) => one.tenantId === tenantId)
    .filter((one) => one.requestedAt < at || (one.requestedAt === at && one.id < id))
    .toSorted((one, other) => other.requestedAt - one.requestedAt || (one.id < other.id ? 1 : -1))
  const erasures = found.slice(0, limit)
  const last = found.length > limit ? erasures.at(-1) : undefined
  return omitUndefined({ erasures, nextCursor: last && toErasureCursor(last) })
}
