/**
 * Brings the tables up to date, as their owner: forward only, all in one transaction, one migrator at
 * a time. A migration that has run is never edited; the checksums kept with the versions see to that.
 */
import { join } from 'node:path'
import { Client, DatabaseError, escapeIdentifier } from 'pg'
import Postgrator from 'postgrator'
import { NO_RIGHT, toFault, UnfitPostgres } from './faults.ts'
import { checkServer, latestVersion, MIGRATIONS, NewerSchema, VERSIONS } from './schema.ts'

/** `appRole` is the role Pombo logs in with: it gets the right to act as a tenant or as the system, nothing else. */
export type MigrateOptions = Readonly<{ appRole: string; folder?: string }>
export type Migrated = Readonly<{ from: number; to: number }>

const CONNECT_MS = 5_000
/** Any number, as long as no other program locks it in this database. */
const LOCK = 7_026_620

export async function migrate(ownerUrl: string, options: MigrateOptions): Promise<Migrated> {
  const client = new Client({ connectionString: ownerUrl, connectionTimeoutMillis: CONNECT_MS, keepAlive: true })
  // What breaks the connection also fails the statement that waits for it.
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.query(`begin; select pg_advisory_xact_lock(${LOCK})`)
    const migrated = await migrateWithin(client, options)
    await client.query('commit')
    return migrated
  } catch (error) {
    throw toRefusal(error)
  } finally {
    await client.end()
  }
}

function toRefusal(error: unknown): Error {
  if (!(error instanceof DatabaseError && error.code === NO_RIGHT)) return toFault(error)
  const said = `${error.message}: migrate as the owner of the database, who may create roles`
  return new UnfitPostgres(said, { cause: error })
}

async function migrateWithin(client: Client, { appRole, folder = MIGRATIONS }: MigrateOptions): Promise<Migrated> {
  const { rows } = await client.query(`select current_setting('server_version_num')::int / 10000 as server`)
  const server = Number(rows[0]?.server)
  checkServer(server)

  const migrations = new Postgrator({
    driver: 'pg',
    migrationPattern: join(folder, '*.sql'),
    schemaTable: VERSIONS,
    newline: 'LF',
    execQuery: (text) => client.query(text),
  })
  const [from, to] = [await migrations.getDatabaseVersion(), latestVersion(folder)]
  if (from > to) throw new NewerSchema(from, to)
  await refuseDrift(migrations, from)
  await migrations.migrate()
  await letIn(client, appRole, server)
  return { from, to }
}

/** Postgrator says that a checksum is wrong in no other way than by an error of its own. */
async function refuseDrift(migrations: Postgrator, version: number): Promise<void> {
  let checked = ''
  migrations.on('validation-started', ({ filename }) => {
    checked = filename
  })
  try {
    await migrations.validateMigrations(version)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) throw cause
    throw new UnfitPostgres(`${checked} was changed after it had run here: restore it, and add a migration instead`, {
      cause,
    })
  }
}

/** Whether a role may take on Pombo's roles, and whether it has their rights without doing so. */
const STANDING = `
  select bool_and(pg_has_role(login.oid, ours.oid, $2)) as may, bool_or(pg_has_role(login.oid, ours.oid, 'usage')) as is
  from pg_roles login, pg_roles ours where login.rolname = $1 and ours.rolname in ('pombo_tenant', 'pombo_system')
  group by login.oid
`

/** Makes the login a member that has to take on a role to have its rights: by itself it sees nothing. */
async function letIn(client: Client, appRole: string, server: number): Promise<void> {
  // Up to PostgreSQL 15 a member may always, and whether it has the rights by itself is a matter of the member.
  const isModern = server >= 16
  const { rows } = await client.query(STANDING, [appRole, isModern ? 'set' : 'member'])
  const [standing] = rows
  if (standing === undefined) {
    throw new UnfitPostgres(`there is no role "${appRole}": create it (create role … login password …) and try again`)
  }
  if (standing.may && !standing.is) return
  const role = escapeIdentifier(appRole)
  if (isModern) await client.query(`grant pombo_tenant, pombo_system to ${role} with inherit false, set true`)
  else await client.query(`alter role ${role} noinherit; grant pombo_tenant, pombo_system to ${role}`)
}
