/**
 * The migrations of a folder, and what each declares in its opening comment:
 *
 *   -- compatible-with: 12   code of schema 12 and newer works once this has run; older code does not
 *   -- transaction: none     it is one statement that PostgreSQL refuses to run inside a transaction
 *
 * Without a declaration a migration only expands: code that worked before it works after it.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const MIGRATIONS = join(import.meta.dirname, 'migrations')

/** Migrations up to here make no declarations: each works only with the code of its own version. */
export const BASELINE = 11

export type Migration = Readonly<{
  version: number
  file: string
  sql: string
  /** The oldest code, by its schema version, that works after this migration. */
  oldestCompatible: number
  isTransactional: boolean
}>

/** In the order they run. */
export function readMigrations(folder = MIGRATIONS): readonly Migration[] {
  let oldestCompatible = 0
  return listFiles(folder).map(({ file, version }) => {
    const sql = readFileSync(join(folder, file), 'utf8')
    const declared = declarationsOf(sql)
    oldestCompatible = version <= BASELINE ? version : Math.max(oldestCompatible, toCompatible(file, version, declared))
    return { version, file, sql, oldestCompatible, isTransactional: toTransactional(file, declared) }
  })
}

/** The version that all migrations of a folder lead to. */
export const latestVersion = (folder = MIGRATIONS): number => listFiles(folder).at(-1)?.version ?? 0

const listFiles = (folder: string) =>
  readdirSync(folder)
    .map((file) => ({ file, version: Number.parseInt(file, 10) || 0 }))
    .filter(({ version }) => version > 0)
    .toSorted((one, other) => one.version - other.version)

type Declarations = ReadonlyMap<string, string>

/** Only the comment at the top counts. */
function declarationsOf(sql: string): Declarations {
  const [comment = ''] = /^(?:--.*\n)*/.exec(sql) ?? []
  return new Map(
    comment
      .matchAll(/^-- (compatible-with|transaction): *(.*?) *$/gm)
      .map(([, name = '', value = '']) => [name, value]),
  )
}

/** The code of the previous version must keep working: it runs during the migration. */
function toCompatible(file: string, version: number, declared: Declarations): number {
  const value = declared.get('compatible-with')
  if (value === undefined) return 0
  const oldest = Number(value)
  if (Number.isSafeInteger(oldest) && oldest >= BASELINE && oldest < version) return oldest
  throw new Error(`${file} declares "compatible-with: ${value}": name a version from ${BASELINE} to ${version - 1}`)
}

function toTransactional(file: string, declared: Declarations): boolean {
  const value = declared.get('transaction')
  if (value === undefined || value === 'none') return value === undefined
  throw new Error(`${file} declares "transaction: ${value}": the only value is "none"`)
}
