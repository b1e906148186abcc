/**
 * Whether this code can work on the tables of a database. They may be newer than the code, as far as the
 * migrations that made them say so; only `pombo migrate` changes them.
 */
import { DatabaseError, type Pool } from 'pg'
import { asSystem, type Rows } from './database.ts'
import { NO_RIGHT, toFault, UnfitPostgres } from './faults.ts'
import { latestVersion } from './migrations.ts'

/** Which migrations have run, and the oldest code that works after each. */
export const VERSIONS = 'pombo.schema_version'

const OLDEST_SERVER = 15

/** `code` is the schema this code was written for. */
export type SchemaVersions = Readonly<{ database: number; oldestCompatible: number; code: number }>

/** A newer Pombo has removed from the database what this one needs. */
export class NewerSchema extends UnfitPostgres {
  constructor({ database, oldestCompatible, code }: SchemaVersions) {
    super(
      `the database is at schema ${database}, which needs a Pombo of schema ${oldestCompatible} or newer, and this one is of schema ${code}: start a newer release, or restore a backup from before the upgrade`,
    )
  }
}

const STANDING = `
  select current_setting('server_version_num')::int / 10000 as server, to_regnamespace('pombo') is not null as made
`

/** Read as JSON, because a database that was last migrated by an older Pombo does not have the column. */
export const NEWEST = `
  select version, (to_jsonb(v) ->> 'compatible_with')::bigint as compatible_with
  from ${VERSIONS} v order by version desc limit 1
`

export const toVersions = ([newest]: Rows, code: number): SchemaVersions => {
  const database = Number(newest?.['version'] ?? 0)
  return { database, oldestCompatible: Number(newest?.['compatible_with'] ?? database), code }
}

/** Refuses a database that this code cannot work on, by a sentence that says what to do. */
export async function checkSchema(pool: Pool): Promise<SchemaVersions> {
  const standing = await pool.query(STANDING).catch((error: unknown) => {
    throw toFault(error)
  })
  const { server, made } = standing.rows[0] ?? {}
  checkServer(server)
  if (made !== true) throw new UnfitPostgres('the database has no tables of Pombo yet: run `pombo migrate`')
  const versions = toVersions(await readNewest(pool), latestVersion())
  checkVersions(versions)
  return versions
}

export function checkVersions(versions: SchemaVersions): void {
  const { database, oldestCompatible, code } = versions
  if (database < code) {
    throw new UnfitPostgres(`the database is at schema ${database} and this Pombo needs ${code}: run \`pombo migrate\``)
  }
  if (code < oldestCompatible) throw new NewerSchema(versions)
}

async function readNewest(pool: Pool): Promise<Rows> {
  try {
    return await asSystem(pool, NEWEST)
  } catch (cause) {
    if (!(cause instanceof DatabaseError && cause.code === NO_RIGHT)) throw cause
    const said = 'this login may not use the tables of Pombo: run `pombo migrate` and name it as the role of the app'
    throw new UnfitPostgres(said, { cause })
  }
}

export function checkServer(version: unknown): void {
  if (Number(version) >= OLDEST_SERVER) return
  throw new UnfitPostgres(`this is PostgreSQL ${version}, and Pombo needs ${OLDEST_SERVER} or newer: upgrade it`)
}
