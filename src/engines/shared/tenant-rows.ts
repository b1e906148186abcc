/** Reads tenants from table rows, and writes them. SQLite and PostgreSQL use the same column names. */
import type { TenantId } from '../../domain/ids.ts'
import { instant } from '../../lib/time.ts'
import type { StoredTenant } from '../../ports/tenants.ts'
import type { Row } from './rows.ts'

type Description = Omit<StoredTenant, 'id' | 'own'>

/** What is known about a tenant, stored in one column. */
export const toDescription = ({ id: _, own: __, ...said }: Omit<StoredTenant, 'own'> & { own: unknown }): string =>
  JSON.stringify(said satisfies Description)

export const toStoredTenant = (row: Row): StoredTenant => ({
  ...(JSON.parse(String(row['description'])) as Description),
  id: String(row['tenant']) as TenantId,
  own: {
    version: Number(row['version']),
    createdAt: instant(Number(row['created_at'])),
    updatedAt: instant(Number(row['updated_at'])),
  },
})
