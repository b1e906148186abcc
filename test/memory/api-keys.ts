/** API keys in memory, for tests. */
import { type ApiKey, isUsable } from '../../src/domain/access/api-key.ts'
import { ApiKeyTable } from '../../src/domain/access/api-key-table.ts'
import { instant } from '../../src/lib/time.ts'
import type { ApiKeyEnd, ApiKeys } from '../../src/ports/api-keys.ts'

export function memoryApiKeys(): ApiKeys {
  const known = new ApiKeyTable()
  return {
    find: (id) => known.find(id),
    isLoaded: () => true,
    list: (tenantId) => known.of(tenantId),

    async add(key, room) {
      const all = known.of(key.tenantId).filter(({ mode }) => mode === key.mode)
      const usable = all.filter((one) => isUsable(one, key.createdAt))
      if (all.length >= room.all || usable.length >= room.usable) return false
      known.apply(key)
      return true
    },

    async end(tenantId, id, end) {
      const found = known.find(id)
      if (found?.tenantId !== tenantId) return undefined
      const ended = { ...found, ...toEnd(found, end) }
      known.apply(ended)
      return ended
    },

    async touch(uses) {
      for (const { id, at } of uses) known.touch(id, at)
    },

    async forget(until) {
      known.forget(until)
    },
  }
}

function toEnd({ revokedAt, expiresAt }: ApiKey, { kind, at }: ApiKeyEnd): Pick<ApiKey, 'revokedAt' | 'expiresAt'> {
  if (kind === 'revoked') return { revokedAt: instant(Math.min(revokedAt ?? at, at)) }
  return { expiresAt: instant(Math.min(expiresAt ?? at, at)) }
}
