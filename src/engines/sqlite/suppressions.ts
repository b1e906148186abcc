/** Suppressed addresses in a table. Which of two entries wins follows domain/email/suppression.ts. */
import type { DatabaseSync } from 'node:sqlite'
import type { Suppressions } from '../../ports/suppressions.ts'
import { toSuppression } from '../shared/rows.ts'
import { type Driver, remote } from './driver.ts'
import type { SearchMethods } from './message-index.ts'
import type { StoreMethods } from './store.ts'
import type { Table } from './tables.ts'

/** Only this process writes, so it knows which tenants have no entries; every mail checks twice. */
export function sqliteSuppressions(writer: Driver<StoreMethods>, reader: Driver<SearchMethods>): Suppressions {
  const { tenants, ...table } = remote(writer, 'suppressions')
  let listed: Promise<Set<string>> | undefined
  const known = (): Promise<Set<string>> => {
    listed ??= tenants().then(
      (names) => new Set(names),
      (error: unknown) => {
        listed = undefined
        throw error
      },
    )
    return listed
  }
  return {
    ...table,
    ...remote(reader, 'suppressions'),
    async add(suppression) {
      const knownTenants = await known()
      knownTenants.add(suppression.tenantId)
      await table.add(suppression)
    },
    find: async (tenantId, addresses, at) => ((await known()).has(tenantId) ? table.find(tenantId, addresses, at) : []),
  }
}

type Listing = Readonly<{ tenants: () => readonly string[] }>

export function suppressionTable(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    writes: {
      add: ({ tenantId, address, reason, note = null, messageId = null, createdAt, expiresAt = null }) =>
        void sql.add.run(tenantId, address, reason, note, messageId, createdAt, expiresAt),
    },
    shreds: {
      remove: (tenantId, address) => sql.remove.run(tenantId, address).changes === 1,
    },
    reads: {
      find: (tenantId, addresses, at) =>
        [...new Set(addresses)].flatMap((address) => sql.find.all(tenantId, address, at)).map(toSuppression),
      tenants: () => sql.tenants.all().map(({ tenant }) => String(tenant)),
    },
  } satisfies Table<Suppressions & Listing>
}

function prepare(db: DatabaseSync) {
  return {
    add: db.prepare(`
      insert into suppressions as old (tenant, address, reason, note, message, created_at, expires_at)
      values (?, ?, ?, ?, ?, ?, ?)
      on conflict (tenant, address) do update set reason = excluded.reason, note = excluded.note,
        message = excluded.message, created_at = excluded.created_at, expires_at = excluded.expires_at
      where excluded.reason in ('manual', 'unsubscribe')
        or (old.expires_at is not null and (excluded.expires_at is null or excluded.expires_at > old.expires_at))
    `),
    find: db.prepare(`
      select * from suppressions where tenant = ? and address = ? and (expires_at is null or expires_at > ?)
    `),
    tenants: db.prepare('select distinct tenant from suppressions'),
    remove: db.prepare('delete from suppressions where tenant = ? and address = ?'),
  }
}
