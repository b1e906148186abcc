/**
 * Puts a backup where the database of the embedded profile belongs. The copy gets its name as the last step, and the
 * gateway does not start while there is a copy without it: a restore that is interrupted is seen and can be repeated.
 */
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import { codeOf, createOnce, DataDirError, prepareFolder, readIfThere } from '../data-dir.ts'
import { type Backup, dropNote, readBackup } from '../engines/sqlite/backup.ts'
import { lockDataFolder } from '../engines/sqlite/database.ts'
import { restoringTo } from '../engines/sqlite/file-check.ts'
import { putInPlace } from '../engines/sqlite/new-database.ts'
import { DATABASE_FILE, JWT_SECRET_FILE, MASTER_KEY_FILE, SecretsError } from '../secrets.ts'
import { assertFits, fits } from './backup-keys.ts'

export type RestoreOptions = Readonly<{ force: boolean }>

export type Restored = Pick<Backup, 'schema' | 'messages' | 'events' | 'waiting' | 'madeAt'> &
  Readonly<{
    folder: string
    /** The key files that came out of the backup. */
    keys: readonly string[]
    /** Where what was there before is now. */
    aside: string | undefined
  }>

export function restoreEmbedded(config: Config, given: string, { force }: RestoreOptions): Restored {
  const [file, folder] = [resolve(given), resolve(config.dataDir)]
  if (!existsSync(file)) throw new DataDirError(`there is no ${file} to restore`)
  if (existsSync(`${file}-wal`)) {
    throw new DataDirError(`${file} has a write-ahead log beside it, so it is a raw copy and not a backup; ${RAW}`)
  }
  prepareFolder(folder)
  using _lock = lockDataFolder(folder)
  const path = join(folder, DATABASE_FILE)
  const old = ['', '-wal', '-shm', '-journal'].map((end) => `${DATABASE_FILE}${end}`).filter(isIn(folder))
  if (old.length > 0 && !force) {
    throw new DataDirError(`${folder} holds a database; set POMBO_DATA_DIR, or move what is there aside with --force`)
  }
  const draft = restoringTo(path)
  let isMoving = false
  try {
    const backup = copyIn(file, draft)
    const { write, replaced } = chooseKeys(config, backup, force)
    isMoving = true
    const aside = moveAside(folder, [...old, ...replaced])
    for (const name of write) createOnce(join(folder, name), backup.keys[name] ?? '')
    dropNote(draft)
    putInPlace(draft, path)
    const { schema, messages, events, waiting, madeAt } = backup
    return { folder, schema, messages, events, waiting, madeAt, keys: write, aside }
  } catch (error) {
    // From then on what was there may be gone from its place, so the copy stays and stops the gateway.
    if (!isMoving) for (const end of ['', '-wal', '-shm']) rmSync(`${draft}${end}`, { force: true })
    throw error
  }
}

const RAW = 'start a gateway on a folder that holds both, and back that up'
const isIn =
  (folder: string) =>
  (name: string): boolean =>
    existsSync(join(folder, name))

/** What is checked is the copy: it is what will be used. */
function copyIn(file: string, draft: string): Backup {
  try {
    rmSync(draft, { force: true })
    copyFileSync(file, draft)
    chmodSync(draft, 0o600)
  } catch (error) {
    throw new DataDirError(`${file} could not be copied to ${draft} (${codeOf(error)})`, { cause: error })
  }
  return readBackup(draft, file)
}

type KeyPlan = Readonly<{ write: readonly string[]; replaced: readonly string[] }>

/** A backup is of use only with the master key of its time: one that is there must fit, or be in the backup. */
function chooseKeys(config: Config, { mark, keys }: Backup, force: boolean): KeyPlan {
  const path = join(config.dataDir, MASTER_KEY_FILE)
  const jwt = JWT_SECRET_FILE in keys && !isIn(config.dataDir)(JWT_SECRET_FILE) ? [JWT_SECRET_FILE] : []
  if (config.masterKey !== undefined) {
    assertFits(config.masterKey, 'POMBO_MASTER_KEY', mark)
    return { write: jwt, replaced: [] }
  }
  const [there, packed] = [readIfThere(path), keys[MASTER_KEY_FILE]]
  if (packed !== undefined) assertFits(packed, `${MASTER_KEY_FILE} in the backup`, mark)
  if (there === undefined && packed === undefined) {
    throw new SecretsError(
      `the backup holds no keys; put the master.key that goes with it at ${path}, or set POMBO_MASTER_KEY`,
    )
  }
  if (there === undefined) return { write: [MASTER_KEY_FILE, ...jwt], replaced: [] }
  if (packed === undefined || !force) assertFits(there, path, mark)
  if (fits(there, path, mark)) return { write: jwt, replaced: [] }
  return { write: [MASTER_KEY_FILE, ...jwt], replaced: [MASTER_KEY_FILE] }
}

/** The database first: without it, a write-ahead log that is left behind stops the gateway. */
function moveAside(folder: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  const aside = join(folder, `replaced-${new Date().toISOString().replaceAll(':', '-')}`)
  mkdirSync(aside, { mode: 0o700 })
  for (const name of names) renameSync(join(folder, name), join(aside, name))
  return aside
}
