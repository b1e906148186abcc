/** Suppressed addresses in a table. Which of two entries wins follows domain/email/suppression.ts. */
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import type { EmailAddress } from '../../domain/email/address.ts'
import type { Suppression } from '../../domain/email/suppression.ts'
import type { CallKind } from './store.ts'

/** The columns of the table. */
export type SuppressionRow = Readonly<Record<string, SQLOutputValue>>

export type SuppressionMethods = ReturnType<typeof suppressionTable>

export function suppressionTable(db: DatabaseSync) {
  const sql = prepare(db)
  return {
    addSuppression({ tenantId, address, reason, note, messageId, createdAt, expiresAt }: Suppression): void {
      sql.add.run(tenantId, address, reason, note ?? null, messageId ?? null, createdAt, expiresAt ?? null)
    },

    findSuppressions: (tenant: string, addresses: readonly EmailAddress[], at: number): readonly SuppressionRow[] =>
      [...new Set(addresses)].flatMap((address) => sql.find.all(tenant, address, at)),

    suppressingTenants: (): readonly string[] => sql.tenants.all().map(({ tenant }) => String(tenant)),

    removeSuppression: (tenant: string, address: EmailAddress): boolean =>
      sql.remove.run(tenant, address).changes === 1,
  }
}

export const SUPPRESSION_CALLS: Readonly<Record<keyof SuppressionMethods, CallKind>> = {
  addSuppression: 'write',
  findSuppressions: 'read',
  suppressingTenants: 'read',
  removeSuppression: 'write',
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
