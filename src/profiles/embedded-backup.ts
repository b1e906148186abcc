/** Backs up the database of the embedded profile, while a gateway runs on it or not. */
import { randomUUID } from 'node:crypto'
import { existsSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { codeOf, DataDirError } from '../config/data-dir.ts'
import { DATABASE_FILE, MASTER_KEY_FILE } from '../config/secrets.ts'
import { type Backup, type BackupKeys, copyDatabase, readBackup } from '../engines/sqlite/backup.ts'
import { DatabaseDamaged } from '../engines/sqlite/damage.ts'
import { checkFile } from '../engines/sqlite/file-check.ts'
import { putInPlace } from '../engines/sqlite/new-database.ts'
import { instant } from '../lib/time.ts'
import { assertFits, readKeyFiles } from './backup-keys.ts'

export type BackupOptions = Readonly<{ force: boolean; withKeys: boolean }>

/** `included` and `apart` are names of key files; a name that is in neither comes from the settings. */
export type BackedUp = Pick<Backup, 'schema' | 'messages' | 'events' | 'bytes'> &
  Readonly<{ file: string; included: readonly string[]; apart: readonly string[] }>

export function backupEmbedded(config: Config, given: string, { force, withKeys }: BackupOptions): BackedUp {
  const [file, path] = [resolve(given), join(config.dataDir, DATABASE_FILE)]
  if (checkFile(path, 0) === 'missing') throw new DataDirError(`there is no ${path} to back up; set POMBO_DATA_DIR`)
  assertMayWrite(file, config.dataDir, force)
  const files = readKeyFiles(config.dataDir)
  const keys = withKeys ? files : {}
  const { schema, messages, events, bytes } = writeBackup(path, file, keys)
  const apart = Object.keys(files).filter((name) => !(name in keys))
  return { file, schema, messages, events, bytes, included: Object.keys(keys), apart }
}

/** Written under another name, checked, and only then given its own. */
function writeBackup(path: string, file: string, keys: BackupKeys): Backup {
  const draft = `${file}.${randomUUID()}.partial`
  try {
    writeFileSync(draft, '', { flag: 'wx', mode: 0o600 })
    copyDatabase(path, draft, { madeAt: instant(Date.now()), keys })
    const backup = readBackup(draft)
    const masterKey = keys[MASTER_KEY_FILE]
    if (masterKey !== undefined) assertFits(masterKey, join(dirname(path), MASTER_KEY_FILE), backup.mark)
    putInPlace(draft, file)
    return backup
  } catch (error) {
    if (error instanceof DatabaseDamaged || (error instanceof Error && 'exitCode' in error)) throw error
    throw new DataDirError(`the backup ${file} could not be written (${reasonOf(error)})`, { cause: error })
  } finally {
    rmSync(draft, { force: true })
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error && 'errcode' in error ? error.message : codeOf(error)

function assertMayWrite(file: string, dataDir: string, force: boolean): void {
  const folder = dirname(file)
  if (!existsSync(folder)) throw new DataDirError(`the folder ${folder} is not there; make it, or name another file`)
  if (realpathSync(folder) === realpathSync(dataDir) && OURS.test(basename(file))) {
    throw new DataDirError(`${file} belongs to the gateway; name another file for the backup`)
  }
  if (existsSync(file) && !force) {
    throw new DataDirError(`${file} is there already; name another file, or replace it with --force`)
  }
}

/** What a gateway keeps in its data folder. */
const OURS = /^(?:pombo\.(?:db|lock)|simulator|master\.key|jwt\.secret)/
