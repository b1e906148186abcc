/** API keys. Every process holds them all in memory, so that a call with a key needs no query. */
import type { ApiKey, ApiKeyId } from '../domain/access/api-key.ts'
import type { TenantId } from '../domain/ids.ts'
import type { Instant } from '../lib/time.ts'

export interface ApiKeys {
  /** From memory; also keys that have expired or were revoked. */
  find(id: ApiKeyId): ApiKey | undefined

  /** False until this process has loaded them. */
  isLoaded(): boolean

  /** Resolves once every healthy process knows it. False when the tenant has no room for another key of this mode. */
  add(key: ApiKey, room: ApiKeyRoom): Promise<boolean>

  /** Resolves once no healthy process accepts the key at or after `at`. Undefined when the tenant has no such key. */
  end(tenantId: TenantId, id: ApiKeyId, end: ApiKeyEnd): Promise<ApiKey | undefined>

  /** Newest first, from memory. */
  list(tenantId: TenantId): readonly ApiKey[]

  /** Remembers when keys were last used; never moves back. */
  touch(uses: readonly ApiKeyUse[]): Promise<void>

  /** Deletes the keys that ended at or before this: from the store, and from the memory of this process. */
  forget(until: Instant): Promise<void>
}

/** How many keys of one mode a tenant may have: usable ones, and all with those that have ended. */
export type ApiKeyRoom = Readonly<{ usable: number; all: number }>

/** A revoked key ends at once; one that expires may overlap with its successor. The earliest end counts. */
export type ApiKeyEnd = Readonly<{ kind: 'revoked' | 'expires'; at: Instant }>

export type ApiKeyUse = Readonly<{ id: ApiKeyId; at: Instant }>
