/**
 * What tenants use. The bytes of messages are counted in the transactions that write them, so a number is read and never
 * summed up; how many messages are waiting is known from the queue in memory.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { TenantId } from '../../../domain/ids.ts'
import type { MessageUsage, SetupUsage, Usage } from '../../../ports/usage.ts'
import { COUNTS_AS_LIMIT } from '../../shared/limit-quota.ts'
import { type Driver, remote } from '../driver.ts'
import type { StoreMethods } from '../store.ts'

/** Messages up to the position under this name are not counted: they were stored before, and no rebuild came since. */
const UNCOUNTED = 'uncounted_messages'

export const USAGE_TABLES = `
  -- The rows and the sealed contents of each tenant's messages.
  create table message_bytes (
    tenant text primary key,
    bytes integer not null
  ) strict, without rowid;
  insert into progress (name, position)
    select '${UNCOUNTED}', (select max(n) from messages) where exists (select 1 from messages);

  -- A million of them cannot be counted again with each that is added.
  create table recipient_counts (
    tenant text primary key,
    count integer not null
  ) strict, without rowid;
  insert into recipient_counts (tenant, count)
    select tenant, count(*) from recipients where removed_at is null group by tenant;
`

/** Counts the bytes of messages: each change in the transaction that makes it. */
export class MessageBytes {
  readonly #sql: ReturnType<typeof prepareBytes>
  readonly #changes = new Map<string, number>()
  #uncounted = 0

  constructor(db: DatabaseSync) {
    this.#sql = prepareBytes(db)
    this.recall()
  }

  /** Message number `n` of the tenant has grown by so many bytes, or shrunk. Complete once `flush` is called. */
  add(n: number, tenant: string, bytes: number): void {
    if (n > this.#uncounted) this.#changes.set(tenant, (this.#changes.get(tenant) ?? 0) + bytes)
  }

  flush(): void {
    for (const [tenant, bytes] of this.#changes) if (bytes !== 0) this.#sql.add.run(tenant, bytes)
    this.#changes.clear()
  }

  /** The transaction was rolled back. */
  recall(): void {
    this.#changes.clear()
    this.#uncounted = Number(this.#sql.uncounted.get()?.['position'] ?? 0)
  }

  /** All messages will be added again. */
  clear(): void {
    this.#changes.clear()
    this.#sql.clear.run()
    this.#sql.countAll.run()
    this.#uncounted = 0
  }
}

const prepareBytes = (db: DatabaseSync) => ({
  add: db.prepare(`
    insert into message_bytes (tenant, bytes) values (?, ?)
    on conflict (tenant) do update set bytes = bytes + excluded.bytes
  `),
  clear: db.prepare('delete from message_bytes'),
  uncounted: db.prepare(`select position from progress where name = '${UNCOUNTED}'`),
  countAll: db.prepare(`delete from progress where name = '${UNCOUNTED}'`),
})

export function usageTable(db: DatabaseSync) {
  const sql = prepareReads(db)
  return {
    reads: {
      storedBytes: (tenantIds: readonly TenantId[]): readonly (readonly [TenantId, number])[] =>
        sql.bytes
          .all(JSON.stringify(tenantIds))
          .map(({ tenant, bytes }) => [tenant as TenantId, Math.max(0, Number(bytes))]),

      setup(tenant: TenantId): SetupUsage {
        const row = sql.setup.get({ tenant })
        const read = (name: keyof SetupUsage): number => Number(row?.[name] ?? 0)
        return {
          limits: read('limits'),
          templates: read('templates'),
          routes: read('routes'),
          endpoints: read('endpoints'),
          recipients: read('recipients'),
        }
      },
    },
  }
}

/** Skips from name to name, however many locales and versions each has. */
export const COUNT_TEMPLATE_NAMES = `
  with recursive names (name) as (
    select min(name) from templates where tenant = :tenant
    union all
    select (select min(name) from templates where tenant = :tenant and name > names.name) from names
      where names.name is not null
  )
  select count(name) from names
`

const prepareReads = (db: DatabaseSync) => ({
  bytes: db.prepare('select tenant, bytes from message_bytes where tenant in (select value from json_each(?))'),
  setup: db.prepare(`
    select (select count(*) from limit_rules where tenant = :tenant and ${COUNTS_AS_LIMIT}) as limits,
      (${COUNT_TEMPLATE_NAMES}) as templates,
      (select count(*) from routes where tenant = :tenant) as routes,
      (select count(*) from endpoints where tenant = :tenant) as endpoints,
      (select count from recipient_counts where tenant = :tenant) as recipients
  `),
})

/** `waiting` knows the queue. */
export function sqliteUsage(driver: Driver<StoreMethods>, waiting: (tenantId: TenantId) => number): Usage {
  const table = remote(driver, 'usage')
  return {
    waiting,
    setup: table.setup,

    async measure(tenantIds) {
      const stored = new Map(await table.storedBytes(tenantIds))
      return new Map(
        tenantIds.map((tenantId): [TenantId, MessageUsage] => [
          tenantId,
          { waiting: waiting(tenantId), storedBytes: stored.get(tenantId) ?? 0 },
        ]),
      )
    },
  }
}
