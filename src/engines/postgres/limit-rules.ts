/**
 * The limit rules of the cluster profile. Every process caches them and polls for changes several times a second, so
 * looking up counters costs nothing. While PostgreSQL is unreachable the cached rules apply. Those of single users are
 * read for every call; of them a process knows only which tenants have any.
 */
import type { TenantId } from '../../domain/ids.ts'
import { LimitLayers } from '../../domain/limits/limit-layers.ts'
import { type Counter, LIMIT_OWNERS, type LimitOwner, type LimitScope, type Rule } from '../../domain/limits/limits.ts'
import { instant, millis } from '../../lib/time.ts'
import type { Limit, LimitPage, LimitRules, OwnedKey } from '../../ports/limit-rules.ts'
import { DatabaseUnavailable } from '../../ports/unavailable.ts'
import { wellFormed } from '../shared/cursors.ts'
import { COUNTS_AS_LIMIT } from '../shared/limit-quota.ts'
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
    /** The limits of a user, without defaults. */
    findOwn: (tenantId: TenantId, user: string) => Promise<readonly Limit[]>
    /** The counters of a user with these limits. */
    toCounters: (tenantId: TenantId, user: string, own: readonly Limit[]) => readonly Counter[]
  }>

/** Opens even while PostgreSQL is unreachable. Then this process does not know the limits until it is back. */
export async function openLimitRules({ db, onFault, whenPropagated = awaitPropagation }: LimitRulesOptions) {
  const cache = new LimitLayers(() => new CachedLimitRules())
  const onRow = (row: Rows[number]): void => apply(cache, toChange(row), true)
  const poller = new TablePoller({ db, changed: toChanged, onRow, onFault })
  await poller.start()
  return limitRules(db, { cache, poller }, whenPropagated)
}

type RuleCache = Readonly<{ cache: LimitLayers<CachedLimitRules>; poller: TablePoller }>

const apply = (cache: RuleCache['cache'], change: LimitChange, isInOrder: boolean): void =>
  cache.of(change.setBy).apply(change, isInOrder)

function limitRules(
  db: Database,
  { cache, poller }: RuleCache,
  whenPropagated: () => Promise<unknown>,
): PostgresLimitRules {
  /** Only the system may write the limits of operators. */
  async function write(
    { setBy, tenantId }: Pick<OwnedKey, 'setBy' | 'tenantId'>,
    text: string,
    values: unknown[],
  ): Promise<LimitChange | undefined> {
    const rows =
      setBy === 'operator'
        ? await db.asSystem(text, values, [VERSION_LOCK])
        : await db.asTenant(tenantId, text, values, [VERSION_LOCK])
    const [change] = rows.map(toChange)
    if (change === undefined) return undefined
    apply(cache, change, false)
    await whenPropagated()
    return change
  }

  const loaded = (): RuleCache['cache'] => {
    if (!poller.isLoaded) throw new DatabaseUnavailable('the limits are not loaded yet')
    return cache
  }
  const findOwn = async (tenantId: TenantId, user: string): Promise<readonly Limit[]> =>
    (await db.asTenant(tenantId, OF_USER, [user])).map((row) => toLimit(toChange(row)))

  return {
    isLoaded: () => poller.isLoaded,
    scopes: (tenantId) => loaded().scopes(tenantId),
    counters: (keys) => loaded().counters(keys),
    ofUser: async (tenantId, user) => loaded().ofUser(tenantId, user, await findOwn(tenantId, user)),
    findOwn,
    toCounters: (tenantId, user, own) => loaded().ofUser(tenantId, user, own),

    async find({ setBy, tenantId, scope, key }) {
      const [found] = (await db.asTenant(tenantId, FIND[setBy], [scope, key])).map(toChange)
      return found === undefined ? undefined : toLimit(found)
    },

    async set(limit, most = Number.MAX_SAFE_INTEGER) {
      const { setBy, tenantId, scope, key, rule, shown, updatedAt } = limit
      const values = [tenantId, scope, key, rule.limit, rule.window, rule.algorithm, shown, updatedAt, most]
      const change = await write(limit, SET[setBy], values)
      return change && toLimit(change)
    },

    remove: async (key) => (await write(key, REMOVE[key.setBy], [key.tenantId, key.scope, key.key])) !== undefined,
    list: (query) => list(db, query),
    [Symbol.asyncDispose]: () => poller[Symbol.asyncDispose](),
  }
}

/** Any number, as long as no other program locks it in this database. Only the holder of the lock draws a version. */
const VERSION_LOCK = { text: 'select pg_advisory_xact_lock(7026621)' }

const TABLES: Readonly<Record<LimitOwner, string>> = {
  operator: 'pombo.operator_limit_rules',
  tenant: 'pombo.limit_rules',
}

const columnsOf = (owner: LimitOwner): string =>
  `tenant, scope, key, version, removed, most, window_ms, algorithm, shown, updated_at, '${owner}' collate "C" as set_by`

/** The rules of both tables that meet the condition. */
const allWhere = (condition: string): string =>
  LIMIT_OWNERS.map((owner) => `(select ${columnsOf(owner)} from ${TABLES[owner]} where ${condition})`).join(
    ' union all ',
  )

const IS_OF_ONE_USER = `scope = 'user' and key <> '*'`

/**
 * Both tables share their versions, so a process reads the changes of both in order. Of the limits of single users it
 * reads the newest of each tenant.
 */
const toChanged = (version: number, limit: number): string => `
  ${allWhere(`version > ${version} and not (${IS_OF_ONE_USER}) order by version limit ${limit}`)}
  union all ${LIMIT_OWNERS.map((owner) => newestOfUsers(owner, version)).join(' union all ')}
  order by version limit ${limit}
`

const newestOfUsers = (owner: LimitOwner, version: number): string => `(
  select distinct on (tenant) ${columnsOf(owner)} from ${TABLES[owner]}
  where version > ${version} and ${IS_OF_ONE_USER} order by tenant, version desc
)`

const OF_USER = allWhere(`scope = 'user' and key = $1 and key <> '*' and not removed`)

/** The same statement for the table of each owner. */
const forEach = (toText: (table: string, columns: string) => string): Readonly<Record<LimitOwner, string>> => ({
  operator: toText(TABLES.operator, columnsOf('operator')),
  tenant: toText(TABLES.tenant, columnsOf('tenant')),
})

const FIND = forEach(
  (table, columns) => `select ${columns} from ${table} where scope = $1 and key = $2 and not removed`,
)

const SET = forEach(
  (table, columns) => `
    insert into ${table} (tenant, scope, key, version, removed, most, window_ms, algorithm, shown, updated_at)
    select $1, $2, $3, nextval('pombo.limit_versions'), false, $4::bigint, $5::bigint, $6, $7, $8::bigint
    where $2 = 'user' and $3 <> '*'
      or exists (select from ${table} where tenant = $1 and scope = $2 and key = $3 and not removed)
      or (select count(*) from ${table} where tenant = $1 and not removed and ${COUNTS_AS_LIMIT}) < $9
    on conflict (tenant, scope, key) do update set version = excluded.version, removed = false, most = excluded.most,
      window_ms = excluded.window_ms, algorithm = excluded.algorithm, shown = excluded.shown,
      updated_at = excluded.updated_at
    returning ${columns}
  `,
)

const REMOVE = forEach(
  (table, columns) => `
    update ${table} set version = nextval('pombo.limit_versions'), removed = true
    where tenant = $1 and scope = $2 and key = $3 and not removed
    returning ${columns}
  `,
)

const LIST = `
  select * from (${allWhere('not removed and ($1::text is null or scope = $1)')}) as all_rules
  where (scope, key, set_by) > ($2, $3, $4)
  order by scope, key, set_by limit $5
`

async function list(db: Database, { tenantId, scope, limit, cursor }: Parameters<LimitRules['list']>[0]) {
  const after = cursor === undefined ? (['', '', ''] as const) : wellFormed(parseCursor(cursor))
  const rows = await db.asTenant(tenantId, LIST, [scope ?? null, ...after, limit + 1])
  const limits = rows.slice(0, limit).map((row) => toLimit(toChange(row)))
  const last = limits.at(-1)
  const page: LimitPage =
    rows.length > limit && last !== undefined ? { limits, nextCursor: toCursor(last) } : { limits }
  return page
}

const toCursor = ({ scope, key, setBy }: OwnedKey): string =>
  Buffer.from(JSON.stringify([scope, key, setBy])).toString('base64url')

function parseCursor(cursor: string): readonly [scope: string, key: string, owner: string] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const [scope, key, owner] = Array.isArray(parts) ? parts : []
    return isText(scope) && isText(key) && isText(owner) ? [scope, key, owner] : undefined
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
  setBy: row['set_by'] as LimitOwner,
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
