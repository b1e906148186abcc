/** API keys in a table, and all in memory: each is stored before it takes effect. */
import type { DatabaseSync } from 'node:sqlite'
import type { ApiKey, ApiKeyId } from '../../../domain/access/api-key.ts'
import { ApiKeyTable } from '../../../domain/access/api-key-table.ts'
import type { TenantId } from '../../../domain/ids.ts'
import type { Instant } from '../../../lib/time.ts'
import type { ApiKeyEnd, ApiKeyRoom, ApiKeys, ApiKeyUse } from '../../../ports/api-keys.ts'
import { toApiKey, toApiKeyLists } from '../../shared/api-key-row.ts'
import { type Driver, remote } from '../driver.ts'
import type { StoreMethods } from '../store.ts'

export const API_KEY_TABLES = `
  -- \`hash\` is a keyed hash of the secret. \`scopes\` and \`networks\` are separated by spaces.
  create table api_keys (
    id text not null primary key,
    tenant text not null,
    account text not null,
    name text not null,
    scopes text not null,
    mode text not null,
    networks text,
    hash text not null,
    created_at integer not null,
    lifetime integer,
    expires_at integer,
    revoked_at integer,
    last_used_at integer
  ) strict, without rowid;
  create index api_keys_of on api_keys (tenant, mode);
`

export async function openApiKeys(driver: Driver<StoreMethods>): Promise<ApiKeys> {
  const known = new ApiKeyTable()
  const table = remote(driver, 'apiKeys')
  for (const key of await table.all()) known.apply(key)

  return {
    find: (id) => known.find(id),
    isLoaded: () => true,
    list: (tenantId) => known.of(tenantId),

    async add(key, room) {
      const isAdded = await table.add(key, room)
      if (isAdded) known.apply(key)
      return isAdded
    },

    async end(tenantId, id, end) {
      const ended = await table.end(tenantId, id, end)
      if (ended !== undefined) known.apply(ended)
      return ended
    },

    async touch(uses) {
      await table.touch(uses)
      for (const { id, at } of uses) known.touch(id, at)
    },

    async forget(until) {
      await table.forget(until)
      known.forget(until)
    },
  }
}

export function apiKeyTable(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    reads: {
      all: (): ApiKey[] => sql.all.all().map(toApiKey),
    },
    writes: {
      /** Returns false if there is no room. */
      add: (key: ApiKey, room: ApiKeyRoom): boolean => sql.add.run({ ...toColumns(key), ...room }).changes === 1,
      end(tenantId: TenantId, id: ApiKeyId, { kind, at }: ApiKeyEnd): ApiKey | undefined {
        const row = sql[kind].get({ tenant: tenantId, id, at })
        return row && toApiKey(row)
      },
      touch(uses: readonly ApiKeyUse[]): void {
        for (const { id, at } of uses) sql.touch.run({ id, at })
      },
      forget: (until: Instant): void => void sql.forget.run({ until }),
    },
  }
}

const toColumns = (key: ApiKey) => ({
  id: key.id,
  tenant: key.tenantId,
  account: key.accountId,
  name: key.name,
  ...toApiKeyLists(key),
  mode: key.mode,
  hash: key.hash,
  createdAt: key.createdAt,
  lifetime: key.lifetime ?? null,
  expiresAt: key.expiresAt ?? null,
  revokedAt: key.revokedAt ?? null,
  lastUsedAt: key.lastUsedAt ?? null,
})

const OF_MODE = 'from api_keys where tenant = :tenant and mode = :mode'
const IS_USABLE = 'revoked_at is null and (expires_at is null or expires_at > :createdAt)'

function prepare(db: DatabaseSync) {
  return {
    all: db.prepare('select * from api_keys'),
    add: db.prepare(`
      insert into api_keys (id, tenant, account, name, scopes, mode, networks, hash, created_at, lifetime, expires_at,
        revoked_at, last_used_at)
      select :id, :tenant, :account, :name, :scopes, :mode, :networks, :hash, :createdAt, :lifetime, :expiresAt,
        :revokedAt, :lastUsedAt
      where (select count(*) ${OF_MODE}) < :all and (select count(*) ${OF_MODE} and ${IS_USABLE}) < :usable
    `),
    revoked: db.prepare(`
      update api_keys set revoked_at = min(coalesce(revoked_at, :at), :at) where tenant = :tenant and id = :id returning *
    `),
    expires: db.prepare(`
      update api_keys set expires_at = min(coalesce(expires_at, :at), :at) where tenant = :tenant and id = :id returning *
    `),
    touch: db.prepare('update api_keys set last_used_at = :at where id = :id and coalesce(last_used_at, 0) < :at'),
    forget: db.prepare(
      'delete from api_keys where min(coalesce(expires_at, revoked_at), coalesce(revoked_at, expires_at)) <= :until',
    ),
  }
}
