/** Reads API keys from table rows. SQLite and PostgreSQL use the same column names. */
import type { ApiKey, ApiKeyId } from '../../domain/access/api-key.ts'
import { parseScopes } from '../../domain/access/scope.ts'
import type { Mode } from '../../domain/access/test-mode.ts'
import type { AccountId, TenantId } from '../../domain/ids.ts'
import { instant, millis } from '../../lib/time.ts'
import type { Row } from './rows.ts'

export function toApiKey(row: Row): ApiKey {
  const { networks, lifetime, expires_at: expiresAt, revoked_at: revokedAt, last_used_at: lastUsedAt } = row
  return {
    id: String(row['id']) as ApiKeyId,
    tenantId: String(row['tenant']) as TenantId,
    accountId: String(row['account']) as AccountId,
    name: String(row['name']),
    scopes: [...parseScopes(String(row['scopes']))],
    mode: row['mode'] as Mode,
    ...(typeof networks === 'string' ? { networks: networks.split(' ') } : {}),
    hash: String(row['hash']),
    createdAt: instant(Number(row['created_at'])),
    ...(typeof lifetime === 'number' ? { lifetime: millis(lifetime) } : {}),
    ...(typeof expiresAt === 'number' ? { expiresAt: instant(expiresAt) } : {}),
    ...(typeof revokedAt === 'number' ? { revokedAt: instant(revokedAt) } : {}),
    ...(typeof lastUsedAt === 'number' ? { lastUsedAt: instant(lastUsedAt) } : {}),
  }
}

/** The columns of a key that are no plain values. */
export const toApiKeyLists = ({ scopes, networks }: ApiKey) => ({
  scopes: scopes.join(' '),
  networks: networks?.join(' ') ?? null,
})
