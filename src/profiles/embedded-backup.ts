/** Backs up the database of the embedded profile. The gateway may be running. */
import { randomUUID } from 'node:crypto'
import { existsSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { codeOf, DataDirError, isGatewayFile } from '../config/data-dir.ts'
import { DATABASE_FILE, MASTER_KEY_FILE } from '../config/secrets.ts'
import { type Backup, type BackupKeys, copyDatabase, readBackup } from '../engines/sqlite/backup.ts'
import { DatabaseDamaged } from '../engines/sqlite/damage.ts'
import { checkFile } from '../engines/sqlite/file-check.ts'
import { putInPlace } from '../engines/sqlite/new-database.ts'
import { instant } from '../lib/time.ts'
import { assertMatches, readKeyFiles } from './backup-keys.ts'

export type BackupOptions = Readonly<{ force: boolean; withKeys: boolean }>

/** `included` and `apart` are names of key files; a key in neither is set in the environment. */
export type BackedUp = Pick<Backup, 'schema' | 'messages' | 'events' | 'bytes'> &
  Readonly<{ file: string; included: readonly string[]; apart: readonly string[] }>

export function backupEmbedded(config: Config, given: string, { force, withKeys }: BackupOptions): BackedUp {
  const [file, path] = [resolve(given), join(config.dataDir, DATABASE_FILE)]
  if (checkFile(path, 0) === 'missing')
    throw new DataDirError(`${path} does not exist; set POMBO_DATA_DIR to the data folder`)
  assertWritable(file, config.dataDir, force)
  const files = readKeyFiles(config.dataDir)
  const keys = withKeys ? files : {}
  const { schema, messages, events, bytes } = writeBackup(path, file, keys)
  const apart = Object.keys(files).filter((name) => !(name in keys))
  return { file, schema, messages, events, bytes, included: Object.keys(keys), apart }
}

/** Writes to a temporary file, verifies it, and renames it. */
function writeBackup(path: string, file: string, keys: BackupKeys): Backup {
  const draft = `${file}.${randomUUID()}.partial`
  try {
    writeFileSync(draft, '', { flag: 'wx', mode: 0o600 })
    copyDatabase(path, draft, { madeAt: instant(Date.now()), keys })
    const backup = readBackup(draft)
    const masterKey = keys[MASTER_KEY_FILE]
    if (masterKey !== undefined) assertMatches(masterKey, join(dirname(path), MASTER_KEY_FILE), backup.mark)
    putInPlace(draft, file)
    return backup
  } catch (error) {
    if (error instanceof DatabaseDamaged || (error instanceof Error && 'exitCode' in error)) throw error
    throw new DataDirError(`cannot write the backup ${file} (${reasonOf(error)})`, { cause: error })
  } finally {
    rmSync(draft, { force: true })
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && 'errcode' in error ? error.message : codeOf(error)

function assertWritable(file: string, dataDir: string, force: boolean): void {
  const folder = dirname(file)
  if (!existsSync(folder))
    throw new DataDirError(`the folder ${folder} does not exist; create it, or choose another file`)
  if (realpathSync(folder) === realpathSync(dataDir) && isGatewayFile(file)) {
    throw new DataDirError(`${file} belongs to the gateway; choose another file for the backup`)
  }
  if (existsSync(file) && !force) {
    throw new DataDirError(`${file} already exists; choose another file, or overwrite it with --force`)
  }
}
