/**
 * Recipients with copies in the shared cache for those who are named by their external id. The copies are sealed: the
 * cache gets no personal data.
 */
import type { DirectoryEntry, RecipientId } from '../../domain/directory/recipient.ts'
import type { TenantId } from '../../domain/ids.ts'
import type { Recipients } from '../../ports/recipients.ts'
import type { TextSealer } from '../../ports/sealer.ts'
import type { SharedCache } from '../../ports/shared-cache.ts'

export type CachedRecipientsDeps = Readonly<{ recipients: Recipients; cache: SharedCache; sealer: TextSealer }>

export function cachedRecipients({ recipients, cache, sealer }: CachedRecipientsDeps): Recipients {
  const drop = (tenantId: TenantId, externalIds: readonly (string | undefined)[]): Promise<void> =>
    cache.drop(externalIds.flatMap((id) => (id === undefined ? [] : [nameOf(tenantId, id)])))

  const externalIdOf = async (tenantId: TenantId, id: RecipientId): Promise<string | undefined> =>
    (await recipients.find(tenantId, { id }))?.externalId

  async function findByExternalId(tenantId: TenantId, externalId: string): Promise<DirectoryEntry | undefined> {
    const name = nameOf(tenantId, externalId)
    const load = async (): Promise<string> => {
      const entry = await recipients.find(tenantId, { externalId })
      return sealer.seal(name, JSON.stringify(entry ?? null))
    }
    const text = opened(sealer, name, await cache.read(name, load))
    if (text === undefined) return recipients.find(tenantId, { externalId })
    return (JSON.parse(text) as DirectoryEntry | null) ?? undefined
  }

  return {
    async add(entry, most) {
      const added = await recipients.add(entry, most)
      await drop(entry.tenantId, [entry.externalId])
      return added
    },

    async change(entry) {
      const before = await externalIdOf(entry.tenantId, entry.id)
      const changed = await recipients.change(entry)
      await drop(entry.tenantId, [before, entry.externalId])
      return changed
    },

    find: (tenantId, name) =>
      'id' in name ? recipients.find(tenantId, name) : findByExternalId(tenantId, name.externalId),

    async remove(tenantId, id) {
      const before = await externalIdOf(tenantId, id)
      const isRemoved = await recipients.remove(tenantId, id)
      await drop(tenantId, [before])
      return isRemoved
    },

    search: (query) => recipients.search(query),
  }
}

/** Undefined if another master key has sealed it. */
function opened(sealer: TextSealer, name: string, sealed: string): string | undefined {
  try {
    return sealer.open(name, sealed)
  } catch {
    return undefined
  }
}

const nameOf = (tenantId: TenantId, externalId: string): string => `recipient:${tenantId}:${externalId}`
