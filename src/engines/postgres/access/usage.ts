/**
 * What tenants use, as PostgreSQL knows it: what they have set up, and the bytes of their messages. Triggers count both
 * where counting again would take long.
 */
import type { TenantId } from '../../../domain/ids.ts'
import type { Usage } from '../../../ports/usage.ts'
import { COUNTS_AS_LIMIT } from '../../shared/limit-quota.ts'
import type { Database } from '../database.ts'

export type PostgresUsage = Pick<Usage, 'setup'> &
  Readonly<{
    /** The bytes of the messages of these tenants, as far as they are projected. */
    storedBytes: (tenantIds: readonly TenantId[]) => Promise<ReadonlyMap<TenantId, number>>
    /** Counts the timelines that were stored before there were counts. The index counts its rows when it is rebuilt. */
    countTimelines: () => Promise<void>
  }>

export const postgresUsage = (db: Pick<Database, 'asTenant' | 'asSystem'>): PostgresUsage => ({
  async storedBytes(tenantIds) {
    const rows = await db.asSystem(STORED, [tenantIds])
    return new Map(rows.map(({ tenant, bytes }) => [tenant as TenantId, Math.max(0, Number(bytes))]))
  },

  async setup(tenantId) {
    const [row] = await db.asTenant(tenantId, SETUP, [tenantId])
    const read = (name: string): number => Number(row?.[name] ?? 0)
    return {
      limits: read('limits'),
      templates: read('templates'),
      routes: read('routes'),
      endpoints: read('endpoints'),
      recipients: read('recipients'),
    }
  },

  async countTimelines() {
    for (let after: readonly [message: string, position: number] = [FIRST_MESSAGE, 0]; ; ) {
      const [last] = await db.asSystem(COUNT_SOME_TIMELINES, [...after])
      if (last === undefined) return
      after = [String(last['message']), Number(last['position'])]
    }
  },
})

const STORED = `
  select tenant, sum(messages + timelines) as bytes from pombo.stored_bytes where tenant = any($1) group by tenant
`

/** Skips from name to name, however many locales and versions each has. */
export const COUNT_TEMPLATE_NAMES = `
  with recursive names (name) as (
    select min(name) from pombo.templates where tenant = $1
    union all
    select (select min(t.name) from pombo.templates t where t.tenant = $1 and t.name > names.name) from names
      where names.name is not null
  )
  select count(name) from names
`

/** Of the tenant that is this parameter. */
export const countRecipientsOf = (tenant: string): string =>
  `select coalesce(sum(count), 0) from pombo.recipient_counts where tenant = ${tenant}`
export const COUNT_RECIPIENTS = countRecipientsOf('$1')

const SETUP = `
  select (select count(*) from pombo.limit_rules where tenant = $1 and not removed and ${COUNTS_AS_LIMIT}) as limits,
    (${COUNT_TEMPLATE_NAMES}) as templates,
    (select count(*) from pombo.routes where tenant = $1 and not removed) as routes,
    (select count(*) from pombo.endpoints where tenant = $1) as endpoints,
    (${COUNT_RECIPIENTS}) as recipients
`

const FIRST_MESSAGE = '00000000-0000-0000-0000-000000000000'

/** Few enough for the statement timeout. The last row of the page comes back, also if it was counted already. */
const PAGE = 2_000
const COUNT_SOME_TIMELINES = `
  with page as (
    select message, position, counted from pombo.timelines where (message, position) > ($1, $2)
    order by message, position limit ${PAGE}
  ), counted as (
    update pombo.timelines t set counted = true from page
    where t.message = page.message and t.position = page.position and page.counted is null
  )
  select message, position from page order by message desc, position desc limit 1
`
