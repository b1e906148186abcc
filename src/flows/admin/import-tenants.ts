/** Imports the tenants of a store into another. Tenants that exist stay as they are, so it can be repeated. */

import type { Tenant } from '../../domain/access/tenant.ts'
import { toTenantFields } from '../../domain/access/tenant-fields.ts'
import type { NewTenant, Tenants } from '../../ports/tenants.ts'
import { type ImportCounts, type ImportOutcome, importPages } from './import-pages.ts'

export type ImportTenantsDeps = Readonly<{
  source: Readonly<{ tenants: Pick<Tenants, 'list'> }>
  target: Readonly<{ tenants: Pick<Tenants, 'of' | 'add'> }>
}>

/** Not those of the operator's file, which the other gateway reads itself. */
export const importTenants = ({ source, target }: ImportTenantsDeps): Promise<ImportCounts> =>
  importPages(
    async () => ({
      items: source.tenants.list().flatMap(({ own, ...tenant }) => (own === undefined ? [] : [{ ...tenant, own }])),
      nextCursor: undefined,
    }),
    (tenant) => importTenant(target.tenants, tenant),
  )

async function importTenant(
  tenants: ImportTenantsDeps['target']['tenants'],
  tenant: NewTenant,
): Promise<ImportOutcome> {
  if ((await tenants.add(tenant)) !== undefined) return 'added'
  const there = tenants.of(tenant.id)
  return there !== undefined && toText(there) === toText(tenant) ? 'there' : 'left'
}

/** Its fields in one order; without times and version. */
const toText = ({ own: _, ...tenant }: NewTenant | Tenant): string => JSON.stringify(toTenantFields(tenant))
