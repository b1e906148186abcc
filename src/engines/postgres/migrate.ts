/**
 * Migrates the tables, as their owner and while the gateway runs: forward only, one migrator at a time, each migration
 * committed before the next. A migration that has run is never edited; stored checksums enforce that.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { Client, DatabaseError, escapeIdentifier } from 'pg'
import { CATEGORY_OF } from '../../domain/message/error-category.ts'
import { NO_RIGHT, toFault, UnsupportedPostgres } from './faults.ts'
import { currentVersion, PATIENCE, type Patience, refuseDrift, runMigration } from './migration-runs.ts'
import { readMigrations } from './migrations.ts'
import { checkServer, checkVersions, NEWEST, toVersions } from './schema.ts'

export type MigrateOptions = Readonly<{
  /** The role Pombo logs in with: it may act as a tenant or as the system, and has no other rights. */
  appRole: string
  folder?: string
  patience?: Patience
  /** Called with the reason whenever migrating has to wait. */
  onWait?: (sentence: string) => void
}>

/** `known` is the version of this code; the tables may be newer. */
export type Migrated = Readonly<{ from: number; to: number; known: number }>

const CONNECT_MS = 5_000
const LOCK_POLL_MS = 250
/** Any number, as long as no other program locks it in this database. */
const LOCK = 7_026_620

export async function migrate(ownerUrl: string, options: MigrateOptions): Promise<Migrated> {
  const client = new Client({ connectionString: ownerUrl, connectionTimeoutMillis: CONNECT_MS, keepAlive: true })
  // An error of the connection also rejects the statement waiting for it.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await takeLock(client, options)
    return await migrateAlone(client, options)
  } catch (error) {
    throw toRefusal(error)
  } finally {
    await client.end()
  }
}

function toRefusal(error: unknown): Error {
  if (!(error instanceof DatabaseError && error.code === NO_RIGHT)) return toFault(error)
  const said = `${error.message}: migrate as the owner of the database, who may create roles`
  return new UnsupportedPostgres(said, { cause: error })
}

/**
 * Holds the lock until the connection ends. It polls instead of waiting inside PostgreSQL: building an index
 * concurrently waits for every running statement, so the two would wait for each other.
 */
async function takeLock(client: Client, { onWait }: MigrateOptions): Promise<void> {
  const isOurs = async (): Promise<boolean> =>
    (await client.query(`select pg_try_advisory_lock(${LOCK}) as ours`)).rows[0]?.ours === true
  if (await isOurs()) return
  onWait?.('another `pombo migrate` is running on this database; waiting for it to finish')
  while (!(await isOurs())) await wait(LOCK_POLL_MS)
}

async function migrateAlone(client: Client, options: MigrateOptions): Promise<Migrated> {
  const { appRole, folder, patience = PATIENCE, onWait } = options
  const { rows } = await client.query(`select current_setting('server_version_num')::int / 10000 as server`)
  const server = Number(rows[0]?.server)
  checkServer(server)
  // An index on a large table may take long.
  await client.query('set statement_timeout = 0')

  const migrations = readMigrations(folder)
  const [from, known] = [await currentVersion(client, folder), migrations.at(-1)?.version ?? 0]
  // After a rollback the older release migrates too, and finds nothing to do.
  if (from > known) checkVersions(toVersions((await client.query(NEWEST)).rows, known))
  await refuseDrift(client, folder, from)
  for (const migration of migrations.filter(({ version }) => version > from)) {
    await runMigration({ client, folder, patience, onWait }, migration)
  }
  if ((await client.query(HAS_ERROR_CATEGORIES)).rows[0]?.has === true) {
    await client.query(KEEP_ERROR_CATEGORIES, [[...CATEGORY_OF.keys()], [...CATEGORY_OF.values()]])
  }
  await grantRoles(client, appRole, server)
  return { from, to: Math.max(from, known), known }
}

/** The SQL views of mail read them. Codes that only a newer release lists stay. */
const HAS_ERROR_CATEGORIES = `select to_regclass('pombo.error_categories') is not null as has`
const KEEP_ERROR_CATEGORIES = `
  insert into pombo.error_categories as known (code, category) select * from unnest($1::text[], $2::text[])
  on conflict (code) do update set category = excluded.category where known.category <> excluded.category
`

/** Whether a role may switch to Pombo's roles, and whether it has their rights without doing so. */
const MEMBERSHIP = `
  select bool_and(pg_has_role(login.oid, ours.oid, $2)) as may, bool_or(pg_has_role(login.oid, ours.oid, 'usage')) as is
  from pg_roles login, pg_roles ours where login.rolname = $1 and ours.rolname in ('pombo_tenant', 'pombo_system')
  group by login.oid
`

/** Makes the login a member that must switch to a role to have its rights: by itself it sees nothing. */
async function grantRoles(client: Client, appRole: string, server: number): Promise<void> {
  // Up to PostgreSQL 15 a member may always switch, and inheritance is an attribute of the member.
  const isModern = server >= 16
  const { rows } = await client.query(MEMBERSHIP, [appRole, isModern ? 'set' : 'member'])
  const [membership] = rows
  if (membership === undefined) {
    throw new UnsupportedPostgres(
      `the role "${appRole}" does not exist: create it (create role … login password …) and try again`,
    )
  }
  if (membership.may && !membership.is) return
  const role = escapeIdentifier(appRole)
  if (isModern) await client.query(`grant pombo_tenant, pombo_system to ${role} with inherit false, set true`)
  else await client.query(`alter role ${role} noinherit; grant pombo_tenant, pombo_system to ${role}`)
}
