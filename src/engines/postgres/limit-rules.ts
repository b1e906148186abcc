/**
 * The limits of the cluster profile. Every process knows them all and asks several times a second what
 * has changed, so that asking for counters costs nothing. While PostgreSQL is away the known ones go on.
 */
import type { TenantId } from '../../domain/ids.ts'
import type { LimitKey, LimitScope, Rule } from '../../domain/limits/limits.ts'
import { instant, millis } from '../../lib/time.ts'
import type { Limit, LimitPage, LimitRules } from '../../ports/limit-rules.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import type { Database, Rows } from './database.ts'
import { KnownRules, type Told } from './known-rules.ts'
import { settled, TablePoller } from './table-poller.ts'

export type LimitRulesOptions = Readonly<{
  db: Database
  /** Resolves when every healthy process has asked for what was just written. */
  settle?: () => Promise<unknown>
  onFault: (error: unknown) => void
}>

export type PostgresLimitRules = LimitRules &
  AsyncDisposable &
  Readonly<{
    /** Whether this process has ever got them. */
    known: () => boolean
  }>

/** Opens also while PostgreSQL is away. Then no limits are known here, until it comes. */
export async function openLimitRules({ db, onFault, settle = settled }: LimitRulesOptions) {
  const known = new KnownRules()
  const tell = (row: Rows[number]): void => known.tell(toTold(row), true)
  const following = new TablePoller({ db, changed: CHANGED, tell, onFault })
  await following.start()
  return limitRules(db, { known, following }, settle)
}

type Followed = Readonly<{ known: KnownRules; following: TablePoller }>

function limitRules(db: Database, { known, following }: Followed, settle: () => Promise<unknown>): PostgresLimitRules {
  async function write(tenantId: TenantId, text: string, values: unknown[]): Promise<Told | undefined> {
    const [told] = (await db.asTenant(tenantId, text, values, [TURN])).map(toTold)
    if (told === undefined) return undefined
    known.tell(told, false)
    await settle()
    return told
  }

  return {
    known: () => following.isKnown,
    scopes: (tenantId) => known.scopes(tenantId),
    counters: (keys) => known.counters(keys),

    async find({ tenantId, scope, key }) {
      const [found] = (await db.asTenant(tenantId, FIND, [scope, key])).map(toTold)
      return found === undefined ? undefined : toLimit(found)
    },

    async set({ tenantId, scope, key, rule, shown, updatedAt }) {
      const values = [tenantId, scope, key, rule.limit, rule.window, rule.algorithm, shown, updatedAt]
      const told = await write(tenantId, SET, values)
      if (told === undefined) throw new Unavailable('PostgreSQL did not take the limit')
      return toLimit(told)
    },

    remove: async ({ tenantId, scope, key }) => (await write(tenantId, REMOVE, [scope, key])) !== undefined,
    list: (query) => list(db, query),
    [Symbol.asyncDispose]: () => following[Symbol.asyncDispose](),
  }
}

/** Any number, as long as no other program locks it in this database. A version is drawn only by who has the turn. */
const TURN = { text: 'select pg_advisory_xact_lock(7026621)' }

const CHANGED = 'select * from pombo.limit_rules where version > $1 order by version limit $2'

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
  const limits = rows.slice(0, limit).map((row) => toLimit(toTold(row)))
  const last = limits.at(-1)
  const page: LimitPage =
    rows.length > limit && last !== undefined ? { limits, nextCursor: toCursor(last) } : { limits }
  return page
}

const toCursor = ({ scope, key }: LimitKey): string => Buffer.from(JSON.stringify([scope, key])).toString('base64url')

/** A cursor nobody gave out names no page. */
function parseCursor(cursor: string): readonly [scope: string, key: string] | undefined {
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString())
    const [scope, key] = Array.isArray(parts) ? parts : []
    return isText(scope) && isText(key) ? [scope, key] : undefined
  } catch {
    return undefined
  }
}

/** PostgreSQL keeps no text with a NUL in it. */
const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0')

const toLimit = ({ removed: _, ...limit }: Told): Limit => limit

const toTold = (row: Rows[number]): Told => ({
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
