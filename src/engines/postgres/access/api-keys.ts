/**
 * The API keys of the cluster profile. Every process caches them all and polls for changes several times a second, so a
 * call with a key needs no query. While PostgreSQL is unreachable the cached keys apply.
 */

import type { ApiKey } from '../../../domain/access/api-key.ts'
import { ApiKeyTable } from '../../../domain/access/api-key-table.ts'
import type { TenantId } from '../../../domain/ids.ts'
import type { ApiKeys } from '../../../ports/api-keys.ts'
import { Unavailable } from '../../../ports/unavailable.ts'
import { toApiKey, toApiKeyLists } from '../../shared/api-key-row.ts'
import { Database, openPool, type Rows } from '../database.ts'
import { checkSchema } from '../schema.ts'
import { awaitPropagation, TablePoller } from '../table-poller.ts'

export type ApiKeysOptions = Readonly<{
  url: string
  /** Called once per outage of PostgreSQL. */
  onFault: (error: unknown) => void
  /** Resolves when every healthy process has polled what was just written. */
  whenPropagated?: () => Promise<unknown>
}>

/** One for polling and one for changes, so that searches do not delay a revocation. */
const CONNECTIONS = 2

/** Opens even while PostgreSQL is unreachable, then without keys until it is back; refuses an incompatible schema. */
export async function openApiKeys(options: ApiKeysOptions): Promise<ApiKeys & AsyncDisposable> {
  const { url, onFault, whenPropagated = awaitPropagation } = options
  await using opened = new AsyncDisposableStack()
  const db = opened.use(new Database(openPool(url, CONNECTIONS), checkSchema))
  await db.ready().catch((error: unknown) => {
    if (!(error instanceof Unavailable)) throw error
  })
  const known = new ApiKeyTable()
  const apply = (row: Rows[number]): void => known.apply(toApiKey(row), Number(row['version']))
  const poller = opened.use(new TablePoller({ db, changed: toChanged, onRow: apply, onFault }))
  await poller.start()

  async function write(tenantId: TenantId, text: string, values: unknown[]): Promise<ApiKey | undefined> {
    const [row] = await db.asTenant(tenantId, text, values, [VERSION_LOCK])
    if (row === undefined) return undefined
    apply(row)
    await whenPropagated()
    return toApiKey(row)
  }

  const all = opened.move()
  return {
    isLoaded: () => poller.isLoaded,
    find: (id) => known.find(id),
    list: (tenantId) => known.of(tenantId),
    add: async (key, { all, usable }) =>
      (await write(key.tenantId, ADD, [...toValues(key), all, usable])) !== undefined,
    end: (tenantId, id, { kind, at }) => write(tenantId, END[kind], [id, at]),

    async touch(uses) {
      if (uses.length === 0) return
      await db.asSystem(TOUCH, [uses.map(({ id }) => id), uses.map(({ at }) => at)], [VERSION_LOCK])
      for (const { id, at } of uses) known.touch(id, at)
    },

    async forget(until) {
      await db.asSystem(FORGET, [until])
      known.forget(until)
    },

    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** Any number, as long as no other program locks it in this database. Only the holder of the lock draws a version. */
const VERSION_LOCK = { text: 'select pg_advisory_xact_lock(7026616)' }

const toChanged = (version: number, limit: number): string =>
  `select * from pombo.api_keys where version > ${version} order by version limit ${limit}`

const toValues = (key: ApiKey): unknown[] => {
  const { scopes, networks } = toApiKeyLists(key)
  return [
    key.id,
    key.tenantId,
    key.accountId,
    key.name,
    scopes,
    key.mode,
    networks,
    key.hash,
    key.createdAt,
    key.lifetime,
    key.expiresAt,
    key.revokedAt,
    key.lastUsedAt,
  ]
}

const OF_MODE = 'from pombo.api_keys where tenant = $2 and mode = $6'
const IS_USABLE = 'revoked_at is null and (expires_at is null or expires_at > $9)'

const ADD = `
  insert into pombo.api_keys (id, tenant, account, version, name, scopes, mode, networks, hash, created_at, lifetime,
    expires_at, revoked_at, last_used_at)
  select $1, $2, $3, nextval('pombo.api_key_versions'), $4, $5, $6, $7, $8, $9::bigint, $10::bigint, $11::bigint,
    $12::bigint, $13::bigint
  where (select count(*) ${OF_MODE}) < $14 and (select count(*) ${OF_MODE} and ${IS_USABLE}) < $15
  returning *
`

/** `least` ignores null. */
const endAs = (column: string): string => `
  update pombo.api_keys set version = nextval('pombo.api_key_versions'), ${column} = least(${column}, $2)
  where id = $1
  returning *
`
const END = { revoked: endAs('revoked_at'), expires: endAs('expires_at') }

const TOUCH = `
  update pombo.api_keys k set version = nextval('pombo.api_key_versions'), last_used_at = used.at
  from unnest($1::text[], $2::bigint[]) as used (id, at)
  where k.id = used.id and coalesce(k.last_used_at, 0) < used.at
`

const FORGET = 'delete from pombo.api_keys where least(expires_at, revoked_at) <= $1'
