/** The directory in memory, for tests: scans all entries for every query. */

import type { DirectoryEntry, RecipientId } from '../../src/domain/directory/recipient.ts'
import { toBeginnings, toWords } from '../../src/domain/directory/search-words.ts'
import type { TenantId } from '../../src/domain/ids.ts'
import { wellFormed } from '../../src/engines/shared/cursors.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import type { RecipientName, Recipients } from '../../src/ports/recipients.ts'

export function memoryRecipients(): Recipients {
  const stored = new Map<RecipientId, DirectoryEntry>()

  const find = (tenantId: TenantId, name: RecipientName): DirectoryEntry | undefined =>
    stored.values().find((entry) => entry.tenantId === tenantId && isNamed(entry, name))

  const isTaken = ({ tenantId, externalId, id }: DirectoryEntry): boolean => {
    const holder = externalId === undefined ? undefined : find(tenantId, { externalId })
    return holder !== undefined && holder.id !== id
  }

  const countOf = (tenantId: TenantId): number =>
    stored.values().reduce((count, entry) => count + (entry.tenantId === tenantId ? 1 : 0), 0)

  return {
    async add(entry, most = Number.POSITIVE_INFINITY) {
      if (isTaken(entry)) return 'taken'
      if (countOf(entry.tenantId) >= most) return 'full'
      stored.set(entry.id, entry)
      return 'added'
    },

    async change(entry) {
      if (find(entry.tenantId, entry) === undefined) return 'absent'
      if (isTaken(entry)) return 'taken'
      stored.set(entry.id, entry)
      return 'changed'
    },

    async find(tenantId, name) {
      return find(tenantId, name)
    },

    async remove(tenantId, id) {
      return find(tenantId, { id }) !== undefined && stored.delete(id)
    },

    async search({ tenantId, text = '', limit, cursor }) {
      if (cursor !== undefined) wellFormed(isCursor(cursor) ? cursor : undefined)
      const beginnings = toBeginnings(text)
      const found = [...stored.values()]
        .filter((entry) => entry.tenantId === tenantId && matches(entry, beginnings))
        .filter((entry) => cursor === undefined || sortKey(entry) < cursor)
        .toSorted((one, other) => (sortKey(one) < sortKey(other) ? 1 : -1))
      const recipients = found.slice(0, limit)
      const last = found.length > limit ? recipients.at(-1) : undefined
      return omitUndefined({ recipients, nextCursor: last && sortKey(last) })
    },
  }
}

const isNamed = (entry: DirectoryEntry, name: RecipientName): boolean =>
  'id' in name ? entry.id === name.id : entry.externalId === name.externalId

function matches(entry: DirectoryEntry, beginnings: readonly string[]): boolean {
  const words = toWords(entry)
  return beginnings.every((beginning) => words.some((word) => word.startsWith(beginning)))
}

/** Sorts as text from the oldest to the newest. */
const sortKey = ({ createdAt, id }: DirectoryEntry): string => `${String(createdAt).padStart(16, '0')} ${id}`
const isCursor = (cursor: string): boolean => /^\d{16} /.test(cursor)
