/** Whether the tables of a database are those this code knows. Only `pombo migrate` changes them. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseError, type Pool } from 'pg'
import { asSystem } from './database.ts'
import { NO_RIGHT, toFault, UnfitPostgres } from './faults.ts'

export const MIGRATIONS = join(import.meta.dirname, 'migrations')

/** Where it is noted which migrations have run. */
export const VERSIONS = 'pombo.schema_version'

const OLDEST = 15

/** The version that all migrations of a folder lead to. */
export const latestVersion = (folder = MIGRATIONS): number =>
  Math.max(0, ...readdirSync(folder).map((name) => Number.parseInt(name, 10) || 0))

/** The database was migrated by a newer Pombo than this one. */
export class NewerSchema extends UnfitPostgres {
  constructor(found: number, known: number) {
    super(
      `the database was migrated by a newer Pombo (schema ${found}; this one knows ${known}): start that version, or restore a backup`,
    )
  }
}

const STANDING = `
  select current_setting('server_version_num')::int / 10000 as server, to_regnamespace('pombo') is not null as made
`

/** Refuses a database that this code cannot work on, by a sentence that says what to do. */
export async function checkSchema(pool: Pool): Promise<void> {
  const standing = await pool.query(STANDING).catch((error: unknown) => {
    throw toFault(error)
  })
  const { server, made } = standing.rows[0] ?? {}
  checkServer(server)
  if (made !== true) throw new UnfitPostgres('the database has no tables of Pombo yet: run `pombo migrate`')
  const [found, known] = [await versionOf(pool), latestVersion()]
  if (found > known) throw new NewerSchema(found, known)
  if (found < known) {
    throw new UnfitPostgres(`the database is at schema ${found} and this Pombo needs ${known}: run \`pombo migrate\``)
  }
}

async function versionOf(pool: Pool): Promise<number> {
  try {
    const [newest] = await asSystem(pool, `select max(version) as version from ${VERSIONS}`)
    return Number(newest?.['version'])
  } catch (cause) {
    if (!(cause instanceof DatabaseError && cause.code === NO_RIGHT)) throw cause
    const said = 'this login may not use the tables of Pombo: run `pombo migrate` and name it as the role of the app'
    throw new UnfitPostgres(said, { cause })
  }
}

export function checkServer(version: unknown): void {
  if (Number(version) >= OLDEST) return
  throw new UnfitPostgres(`this is PostgreSQL ${version}, and Pombo needs ${OLDEST} or newer: upgrade it`)
}
