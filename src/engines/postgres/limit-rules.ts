/**
 * The limit rules of the cluster profile. Every process caches them all and polls for changes several times a second,
 * so looking up counters costs nothing. While PostgreSQL is unreachable the cached rules apply.
 */
import type { TenantId } from '../../domain/ids.ts'
import type { LimitKey, LimitScope, Rule } from '../../domain/limits/limits.ts'
import { instant, millis } from '../../lib/time.ts'
import type { Limit, LimitPage, LimitRules } from '../../ports/limit-rules.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { CachedLimitRules, type LimitChange } from './cached-limit-rules.ts'
import type { Database, Rows } from './database.ts'
import { awaitPropagation, TablePoller } from './table-poller.ts'

export type LimitRulesOptions = Readonly<{
  db: Database
  /** Resolves when every healthy process has polled what was just written. */
  whenPropagated?: () => Promise<unknown>
  onFault: (error: unknown) => void
}>

export type PostgresLimitRules = LimitRules &
  AsyncDisposable &
  Readonly<{
    /** Whether this process has ever loaded them. */
    isLoaded: () => boolean
  }>

/** Opens even while PostgreSQL is unreachable. Then this process has no limits until it is back. */
export async function openLimitRules({ db, onFault, whenPropagated = awaitPropagation }: LimitRulesOptions) {
  const cache = new CachedLimitRules()
  const onRow = (row: Rows[number]): void => cache.apply(toChange(row), true)
  const poller = new TablePoller({ db, changed: toChanged, onRow, onFault })
  await poller.start()
  return limitRules(db, { cache, poller }, whenPropagated)
}

type RuleCache = Readonly<{ cache: CachedLimitRules; poller: TablePoller }>

function limitRules(
  db: Database,
  { cache, poller }: RuleCache,
  whenPropagated: () => Promise<unknown>,
): PostgresLimitRules {
  async function write(tenantId: TenantId, text: string, values: unknown[]): Promise<LimitChange | undefined> {
    const [change] = (await db.asTenant(tenantId, text, values, [VERSION_LOCK])).map(toChange)
    if (change === undefined) return undefined
    cache.apply(change, false)
    await whenPropagated()
    return change
  }

  return {
    isLoaded: () => poller.isLoaded,
    scopes: (tenantId) => cache.scopes(tenantId),
    counters: (keys) => cache.counters(keys),

    async find({ tenantId, scope, key }) {
      const [found] = (await db.asTenant(tenantId, FIND, [scope, key])).map(toChange)
      return found === undefined ? undefined : toLimit(found)
    },

    async set({ tenantId, scope, key, rule, shown, updatedAt }) {
      const values = [tenantId, scope, key, rule.limit, rule.window, rule.algorithm, shown, updatedAt]
      const change = await write(tenantId, SET, values)
      if (change === undefined) throw new Unavailable('PostgreSQL did not store the limit')
      return toLimit(change)
    },

    remove: async ({ tenantId, scope, key }) => (await write(tenantId, REMOVE, [scope, key])) !== undefined,
    list: (query) => list(db, query),
    [Symbol.asyncDispose]: () => poller[Symbol.asyncDispose](),
  }
}

/** Any number, as long as no other program locks it in this database. Only the holder of the lock draws a version. */
const VERSION_LOCK = { text: 'select pg_advisory_xact_lock(7026621)' }

const toChanged = (version: number, limit: number): string =>
  `select * from pombo.limit_rules where version > ${version} order by version limit ${limit}`

const FIND = 'select * from pombo.limit_rules where scope = $1 and key = $2 and not removed'

const SET = `
  insert into pombo.limit_rules (tenant, scope, key, version, removed, most, window_ms, algorithm, shown, updated_at)
  values ($1, $2, $3, nextval('pombo.limit_versions'), false, $4, $5, $6, $7, $8)
  on conflict (tenant, scope, key) do update set version = excluded.version, removed = false, most = excluded.most,
    window_ms = excluded.window_ms, algorithm = excluded.algorithm, shown = excluded.shown, updated_at = excluded.updated_at
  returning *
`

const REMOVE = `
  update pombo.limit_rules set version = nextval('pombo.limit_versions'), removed = true
  where scope = $1 and key = $2 and not removed
  returning *
`

const LIST = `
  select * from pombo.limit_rules
  where not removed and ($1::text is null or scope = $1) and (scope, key) > ($2, $3)
  order by scope, key limit $4
`

async function list(db: Database, { tenantId, scope, limit, cursor }: Parameters<LimitRules['list']>[0]) {
  const after = cursor === undefined ? (['', ''] as const) : parseCursor(cursor)
  if (after === undefined) return { limits: [] }
  const rows = await db.asTenant(tenantId, LIST, [scope ?? null, ...after, limit + 1])
  const limits = rows.slice(0, limit).map((row) => toLimit(toChange(row)))
  const last = limits.at(-1)
  const page: LimitPage =
    rows.length > limit && last !== undefined ? { limits, nextCursor: toCursor(last) } : { limits }
  return page
}

const toCursor = ({ scope, key }: LimitKey): string => Buffer.from(JSON.stringify([scope, key])).toString('base64url')

/** A malformed cursor matches no page. */
function parseCursor(cursor: string): readonly [scope: string, key: string] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const [scope, key] = Array.isArray(parts) ? parts : []
    return isText(scope) && isText(key) ? [scope, key] : undefined
  } catch {
    return undefined
  }
}

/** PostgreSQL stores no text with a NUL character. */
const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0')

const toLimit = ({ removed: _, ...limit }: LimitChange): Limit => limit

const toChange = (row: Rows[number]): LimitChange => ({
  tenantId: row['tenant'] as TenantId,
  scope: row['scope'] as LimitScope,
  key: String(row['key']),
  rule: {
    limit: Number(row['most']),
    window: millis(Number(row['window_ms'])),
    algorithm: row['algorithm'] as Rule['algorithm'],
  },
  version: Number(row['version']),
  shown: String(row['shown']),
  updatedAt: instant(Number(row['updated_at'])),
  removed: row['removed'] === true,
})
