/** All API keys in memory. Changes may arrive in any order and more than once; the newest version counts. */
import type { Instant } from '../../lib/time.ts'
import type { TenantId } from '../ids.ts'
import { type ApiKey, type ApiKeyId, endOf } from './api-key.ts'

type Known = Readonly<{ key: ApiKey; version: number }>

export class ApiKeyTable {
  readonly #keys = new Map<ApiKeyId, Known>()
  readonly #tenants = new Map<TenantId, Set<ApiKeyId>>()

  /** A store that reports its changes in order needs no versions. */
  apply(key: ApiKey, version = 0): void {
    const { id, tenantId } = key
    const known = this.#keys.get(id)
    if (known !== undefined && known.version > version) return
    this.#keys.set(id, { key, version })
    const ids = this.#tenants.get(tenantId) ?? new Set<ApiKeyId>()
    this.#tenants.set(tenantId, ids.add(id))
  }

  find(id: ApiKeyId): ApiKey | undefined {
    return this.#keys.get(id)?.key
  }

  /** Newest first. */
  of(tenantId: TenantId): readonly ApiKey[] {
    const keys = [...(this.#tenants.get(tenantId) ?? [])].flatMap((id) => this.find(id) ?? [])
    return keys.toSorted(newestFirst)
  }

  /** Changes no version: a newer one has this use too, or a later one. */
  touch(id: ApiKeyId, at: Instant): void {
    const known = this.#keys.get(id)
    if (known === undefined || (known.key.lastUsedAt ?? 0) >= at) return
    this.#keys.set(id, { ...known, key: { ...known.key, lastUsedAt: at } })
  }

  /** Forgets the keys that ended at or before this. */
  forget(until: Instant): void {
    for (const { key } of this.#keys.values()) {
      const end = endOf(key)
      if (end !== undefined && end <= until) this.#remove(key)
    }
  }

  #remove({ id, tenantId }: ApiKey): void {
    this.#keys.delete(id)
    const ids = this.#tenants.get(tenantId)
    ids?.delete(id)
    if (ids?.size === 0) this.#tenants.delete(tenantId)
  }
}

const newestFirst = (one: ApiKey, other: ApiKey): number =>
  other.createdAt - one.createdAt || (one.id < other.id ? 1 : -1)
