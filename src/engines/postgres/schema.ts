/**
 * Whether this code can work on the tables of a database. They may be newer than the code if their migrations declare
 * it compatible; only `pombo migrate` changes them.
 */
import { DatabaseError, type Pool } from 'pg'
import { asSystem, type Rows } from './database.ts'
import { NO_RIGHT, toFault, UnsupportedPostgres } from './faults.ts'
import { latestVersion } from './migrations.ts'

/** The migrations that have run, and the oldest code that works after each. */
export const VERSIONS = 'pombo.schema_version'

const OLDEST_SERVER = 15

/** `code` is the schema version of this code. */
export type SchemaVersions = Readonly<{ database: number; oldestCompatible: number; code: number }>

/** A newer release has removed from the database what this one needs. */
export class NewerSchema extends UnsupportedPostgres {
  constructor({ database, oldestCompatible, code }: SchemaVersions) {
    super(
      `the database is at schema ${database}, which needs a release of schema ${oldestCompatible} or newer, and this release is of schema ${code}: start a newer release, or restore a backup from before the upgrade`,
    )
  }
}

const SERVER = `
  select current_setting('server_version_num')::int / 10000 as server, to_regnamespace('pombo') is not null as made
`

/** Read as JSON, because the column does not exist before the first migration with declarations. */
export const NEWEST = `
  select version, (to_jsonb(v) ->> 'compatible_with')::bigint as compatible_with
  from ${VERSIONS} v order by version desc limit 1
`

export const toVersions = ([newest]: Rows, code: number): SchemaVersions => {
  const database = Number(newest?.['version'] ?? 0)
  return { database, oldestCompatible: Number(newest?.['compatible_with'] ?? database), code }
}

/** Refuses a database that this code cannot work on; the error says what to do. */
export async function checkSchema(pool: Pool): Promise<SchemaVersions> {
  const found = await pool.query(SERVER).catch((error: unknown) => {
    throw toFault(error)
  })
  const { server, made } = found.rows[0] ?? {}
  checkServer(server)
  if (made !== true) throw new UnsupportedPostgres('the database has no Pombo tables yet: run `pombo migrate`')
  const versions = toVersions(await readNewest(pool), latestVersion())
  checkVersions(versions)
  return versions
}

export function checkVersions(versions: SchemaVersions): void {
  const { database, oldestCompatible, code } = versions
  if (database < code) {
    throw new UnsupportedPostgres(
      `the database is at schema ${database}, but this release needs ${code}: run \`pombo migrate\``,
    )
  }
  if (code < oldestCompatible) throw new NewerSchema(versions)
}

async function readNewest(pool: Pool): Promise<Rows> {
  try {
    return await asSystem(pool, NEWEST)
  } catch (cause) {
    if (!(cause instanceof DatabaseError && cause.code === NO_RIGHT)) throw cause
    const said = 'this login has no rights on the Pombo tables: run `pombo migrate` and name it as the role of the app'
    throw new UnsupportedPostgres(said, { cause })
  }
}

export function checkServer(version: unknown): void {
  if (Number(version) >= OLDEST_SERVER) return
  throw new UnsupportedPostgres(`PostgreSQL ${version} is too old: Pombo needs ${OLDEST_SERVER} or newer`)
}
