/** The erasures of the embedded profile. */

import { parseErasureCursor, toErasureCursor } from '../../domain/message/erasure.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Erasures } from '../../ports/erasures.ts'
import { toErasureRow } from '../shared/rows.ts'
import type { Driver } from './driver.ts'
import type { StoreMethods } from './store.ts'

/** A cursor before the newest erasure. */
const NEWEST = [Number.MAX_SAFE_INTEGER, ''] as const

export function sqliteErasures(driver: Driver<StoreMethods>): Erasures {
  return {
    async start(erasure) {
      const { id, tenantId, toKey, requestedAt } = erasure
      const row = await driver.call('startErasure', id, tenantId, toKey, requestedAt, JSON.stringify(erasure))
      return row === undefined ? erasure : toErasureRow(row)
    },

    async find(tenantId, id) {
      const row = await driver.call('findErasure', id, tenantId)
      return row && toErasureRow(row)
    },

    async list({ tenantId, limit, cursor }) {
      const after = cursor === undefined ? NEWEST : parseErasureCursor(cursor)
      const found = (await driver.call('listErasures', tenantId, ...after, limit + 1)).map(toErasureRow)
      const erasures = found.slice(0, limit)
      const last = found.length > limit ? erasures.at(-1) : undefined
      return omitUndefined({ erasures, nextCursor: last && toErasureCursor(last) })
    },

    async claim(at, until) {
      const row = await driver.call('claimErasure', at, until)
      return row && { erasure: toErasureRow(row), leaseToken: Number(row['lease_token']) }
    },

    save: ({ erasure, leaseToken }, dueAt) =>
      driver.call('saveErasure', erasure.id, leaseToken, dueAt ?? null, JSON.stringify(erasure)),
  }
}
