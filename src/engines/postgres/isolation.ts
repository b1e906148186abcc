/**
 * Checks that row-level security separates tenants: policies do not bind roles that may bypass them, and a table
 * without policies is open to every role that may read it.
 */
import type { Pool } from 'pg'
import { toFault } from './faults.ts'

/** Each login and role that touches rows, and whether it can bypass policies. */
const ROLES = `
  select rolname as name, rolsuper or rolbypassrls as unbound,
    rolname = current_user and exists (
      select from pg_roles p
      where p.rolname in ('pombo_tenant', 'pombo_system') and pg_has_role(current_user, p.oid, 'usage')
    ) as always_on
  from pg_roles where rolname in (current_user, 'pombo_tenant', 'pombo_system')
`

/** Every table with a tenant column, with its owner. */
const TABLES = `
  select c.relname as name, c.relrowsecurity and c.relforcerowsecurity as forced,
    pg_has_role(current_user, c.relowner, 'member') as owned,
    exists (select from pg_policy p where p.polrelid = c.oid) as ruled
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'pombo' and c.relkind in ('r', 'p')
    and exists (
      select from pg_attribute a where a.attrelid = c.oid and a.attname = 'tenant' and not a.attisdropped
    )
  order by 1
`

/** The problems found; none when tenants are isolated. Runs as the login of the app. */
export async function checkIsolation(pool: Pool): Promise<readonly string[]> {
  try {
    const [roles, tables] = [await pool.query(ROLES), await pool.query(TABLES)]
    return [
      ...roles.rows.flatMap(({ name, unbound, always_on: alwaysOn }) => [
        ...(unbound ? [`the role "${name}" can bypass policies: alter role "${name}" nosuperuser nobypassrls`] : []),
        // A superuser has all rights anyway.
        ...(alwaysOn && !unbound
          ? [`"${name}" has the rights of Pombo's roles all the time: run \`pombo migrate\``]
          : []),
      ]),
      ...(tables.rows.length === 0 ? ['the database has no Pombo tables: run `pombo migrate`'] : []),
      ...tables.rows.flatMap(({ name, forced, owned, ruled }) => [
        ...(owned ? [`the app logs in as an owner of pombo.${name}: give it a role of its own`] : []),
        ...(forced && ruled
          ? []
          : [`pombo.${name} has no forced row-level security: enable and force it, with policies`]),
      ]),
    ]
  } catch (error) {
    throw toFault(error)
  }
}
