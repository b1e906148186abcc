/** Suppressed addresses in memory, for tests: scans all for every list. */

import type { EmailAddress } from '../../src/domain/email/address.ts'
import {
  hasBeginning,
  isInForce,
  parseSuppressionCursor,
  type Suppression,
  type SuppressionPosition,
  succeeds,
  toBeginnings,
  toSuppressionCursor,
} from '../../src/domain/email/suppression.ts'
import type { TenantId } from '../../src/domain/ids.ts'
import { wellFormed } from '../../src/engines/shared/cursors.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import type { Suppressions } from '../../src/ports/suppressions.ts'

export function memorySuppressions(): Suppressions {
  const stored = new Map<string, Suppression>()

  return {
    async add(suppression) {
      const key = keyOf(suppression.tenantId, suppression.address)
      const old = stored.get(key)
      if (old === undefined || succeeds(old, suppression)) stored.set(key, suppression)
    },

    async find(tenantId, addresses, at) {
      return [...new Set(addresses)].flatMap((address) => {
        const entry = stored.get(keyOf(tenantId, address))
        return entry !== undefined && isInForce(entry, at) ? [entry] : []
      })
    },

    async remove(tenantId, address) {
      return stored.delete(keyOf(tenantId, address))
    },

    async list({ tenantId, reason, text = '', at, limit, cursor }) {
      const beginnings = toBeginnings(text)
      const after = cursor === undefined ? undefined : wellFormed(parseSuppressionCursor(cursor))
      const found = [...stored.values()]
        .filter(
          (entry) => entry.tenantId === tenantId && isInForce(entry, at) && hasBeginning(entry.address, beginnings),
        )
        .filter((entry) => reason === undefined || entry.reason === reason)
        .filter((entry) => after === undefined || isBehind(after, entry))
        .toSorted((one, other) => (isBehind(one, other) ? -1 : 1))
      const suppressions = found.slice(0, limit)
      const last = found.length > limit ? suppressions.at(-1) : undefined
      return omitUndefined({ suppressions, nextCursor: last && toSuppressionCursor(last) })
    },
  }
}

const keyOf = (tenantId: TenantId, address: EmailAddress): string => `${tenantId} ${address}`

/** Whether the other comes later in the list. */
const isBehind = (one: SuppressionPosition, other: SuppressionPosition): boolean =>
  one.createdAt === other.createdAt ? other.address < one.address : other.createdAt < one.createdAt
