/** API keys. Every process holds them all in memory, so that a call with a key needs no query. */
import type { ApiKey, ApiKeyId } from '../domain/access/api-key.ts'
import type { TenantId } from '../domain/ids.ts'
import type { Instant } from '../lib/time.ts'

export interface ApiKeys {
  /** From memory; also keys that have expired or were revoked. */
  find(id: ApiKeyId): ApiKey | undefined

  /** False until this process has loaded them. */
  isLoaded(): boolean

  /** Resolves once every healthy process knows it. */
  add(key: ApiKey): Promise<void>

  /** Resolves once no healthy process accepts the key at or after `at`. Undefined when the tenant has no such key. */
  end(tenantId: TenantId, id: ApiKeyId, end: ApiKeyEnd): Promise<ApiKey | undefined>

  /** Newest first, from memory. */
  list(tenantId: TenantId): readonly ApiKey[]

  /** Remembers when keys were last used; never moves back. */
  touch(uses: readonly Readonly<{ id: ApiKeyId; at: Instant }>[]): Promise<void>
}

/** A revoked key ends at once; one that expires may overlap with its successor. */
export type ApiKeyEnd = Readonly<{ kind: 'revoked' | 'expires'; at: Instant }>
