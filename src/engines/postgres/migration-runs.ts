/**
 * Runs one migration on a database in use. In PostgreSQL every query queues behind a statement that waits for a table
 * lock, so a migration waits only briefly, gives up, and tries again later.
 */
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Client, DatabaseError, escapeIdentifier } from 'pg'
import Postgrator from 'postgrator'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { UnsupportedPostgres } from './faults.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'
import { VERSIONS } from './schema.ts'

/** How long one try may wait for a lock, and the pauses before further tries. */
export type Patience = Readonly<{ lockMs: number; pausesMs: readonly number[] }>

/** Longer than `deadlock_timeout` (one second), after which an autovacuum yields to a waiting statement. */
const LOCK_MS = 1_500
export const PATIENCE: Patience = {
  lockMs: LOCK_MS,
  pausesMs: [1_000, 2_000, 4_000, 8_000, 15_000, 30_000, 30_000, 30_000],
}

export type RunDeps = Readonly<{
  client: Client
  folder: string | undefined
  patience: Patience
  onWait: ((sentence: string) => void) | undefined
}>

/** A lock timeout or a deadlock. */
const CONTENDED = new Set(['55P03', '40P01'])

export async function runMigration(deps: RunDeps, migration: Migration): Promise<void> {
  const { patience, onWait } = deps
  for (const pauseMs of [...patience.pausesMs, undefined]) {
    try {
      return await runOnce(deps, migration)
    } catch (cause) {
      if (!(cause instanceof DatabaseError && CONTENDED.has(cause.code ?? ''))) throw cause
      const said = `${migration.file} did not get its lock: another transaction holds the table (see pg_stat_activity)`
      if (pauseMs === undefined) throw new Unavailable(`${said}; run \`pombo migrate\` again later`, { cause })
      onWait?.(`${said}; trying again in ${pauseMs / 1_000} s`)
      await wait(pauseMs)
    }
  }
}

/** The version is stored in the transaction of the migration, or right after it if it has none. */
async function runOnce({ client, folder, patience }: RunDeps, migration: Migration): Promise<void> {
  const { version, oldestCompatible, isTransactional } = migration
  await client.query(`set lock_timeout = ${patience.lockMs}`)
  const script = isTransactional ? undefined : (sql: string) => runOutside(client, sql, patience)
  try {
    if (isTransactional) await client.query('begin')
    await postgratorOf(client, folder, script).migrate(String(version))
    await client.query(`alter table ${VERSIONS} add column if not exists compatible_with bigint`)
    await client.query(`update ${VERSIONS} set compatible_with = $1 where version = $2`, [oldestCompatible, version])
    await client.query('commit')
  } catch (error) {
    // On a broken connection there is nothing to roll back.
    await client.query('rollback').catch(() => undefined)
    throw error
  }
}

/** Building an index concurrently may wait for other transactions for long, but blocks nobody. */
const CONCURRENT = /\bconcurrently\b/i

/** Runs outside a transaction, which then begins. */
async function runOutside(client: Client, sql: string, { lockMs }: Patience): Promise<void> {
  if (CONCURRENT.test(sql)) await client.query('set lock_timeout = 0')
  await dropInvalid(client, sql)
  await client.query(sql)
  await client.query(`set lock_timeout = ${lockMs}`)
  await client.query('begin')
}

const INDEX = /\bcreate\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?(\w+)\s+on\b/i
const INVALID = `
  select from pg_index join pg_class on pg_class.oid = indexrelid
  where relnamespace = 'pombo'::regnamespace and relname = $1 and not indisvalid
`

/** Removes the rest of an interrupted index build: it costs every write, and no query uses it. */
async function dropInvalid(client: Client, sql: string): Promise<void> {
  const [, name] = INDEX.exec(sql) ?? []
  if (name === undefined) return
  const { rowCount } = await client.query(INVALID, [name])
  if (rowCount !== 0) await client.query(`drop index concurrently if exists pombo.${escapeIdentifier(name)}`)
}

const postgratorOf = (client: Client, folder = MIGRATIONS, execSqlScript?: (sql: string) => Promise<void>) =>
  new Postgrator({
    driver: 'pg',
    migrationPattern: join(folder, '*.sql'),
    schemaTable: VERSIONS,
    newline: 'LF',
    validateChecksums: false,
    execQuery: (text) => client.query(text),
    ...omitUndefined({ execSqlScript }),
  })

/** Zero if no migration ever ran. */
export const currentVersion = (client: Client, folder: string | undefined): Promise<number> =>
  postgratorOf(client, folder).getDatabaseVersion()

/** Postgrator reports a wrong checksum only as an error. */
export async function refuseDrift(client: Client, folder: string | undefined, version: number): Promise<void> {
  const runner = postgratorOf(client, folder)
  let checked = ''
  runner.on('validation-started', ({ filename }) => {
    checked = filename
  })
  try {
    await runner.validateMigrations(version)
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause) throw cause
    throw new UnsupportedPostgres(`${checked} was changed after it ran here: restore it, and add a migration instead`, {
      cause,
    })
  }
}
