/** A copy of the migrations that a test can add to or tamper with. */
import { cp, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { latestVersion, MIGRATIONS } from '../../src/engines/postgres/migrations.ts'
import { type Folder, openFolder } from './folder.ts'

export async function copyMigrations(): Promise<Folder> {
  const folder = await openFolder()
  await cp(MIGRATIONS, folder.path, { recursive: true })
  return folder
}

/** Adds the next version to a folder of migrations and returns its number. */
export async function addMigration(folder: string, name: string, sql: string): Promise<number> {
  const version = latestVersion(folder) + 1
  await writeFile(join(folder, `${String(version).padStart(3, '0')}.do.${name}.sql`), sql)
  return version
}
