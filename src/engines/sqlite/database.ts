/**
 * Opens the database: readers do not block the writer, and deleted data is overwritten. Once the store is open, the
 * writer does not sync its commits: wal-sync.ts does, before callers are answered.
 */
import { existsSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createPrivate } from '../../lib/private-file.ts'
import { asDamage, isDiskError, resultCodeOf } from './damage.ts'
import { checkFile } from './file-check.ts'
import { createDatabase } from './new-database.ts'
import { migrate } from './schema.ts'
import { checkWal } from './wal-check.ts'

/** The reader thread makes checkpoints; the writer makes its own only beyond this many pages. */
const WRITER_CHECKPOINT_PAGES = 8_192

/** Commits of the writer that are not on disk yet, at most. */
export const MOST_UNSYNCED = 16

/** How long one connection waits for another's lock. */
export const BUSY_TIMEOUT_MS = 5_000

export function openWriter(path: string): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true })
  if (checkFile(path) === 'missing') createDatabase(path)
  else if (existsSync(`${path}-wal`)) checkWal(path, MOST_UNSYNCED)
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  try {
    prepareWriter(db)
    migrate(db, path)
    return db
  } catch (cause) {
    db.close()
    throw asDamage(path, cause)
  }
}

function prepareWriter(db: DatabaseSync): void {
  db.exec(`
    pragma journal_mode = wal;
    pragma synchronous = full;
    pragma secure_delete = on;
    pragma temp_store = memory;
    pragma cache_size = -32768;
    pragma wal_autocheckpoint = ${WRITER_CHECKPOINT_PAGES};
    pragma wal_checkpoint(truncate);
  `)
}

export function openReader(path: string): DatabaseSync {
  const db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  db.exec('pragma query_only = on; pragma cache_size = -8192; pragma temp_store = memory;')
  return db
}

/** The data folder is not writable. */
export class DataFolderBroken extends Error {
  readonly exitCode = 73
}

/** Names the file that cannot be opened or closed because it is damaged, or the disk is full or fails. */
export const asFileFault = (path: string, cause: unknown): unknown =>
  isDiskError(cause)
    ? new DataFolderBroken(`${path} cannot be written: ${messageOf(cause)}`, { cause })
    : asDamage(path, cause)

/** Another process holds the data folder. */
export class DataFolderInUse extends Error {
  readonly exitCode = 73
}

/**
 * Locks the data folder for this process until disposed. The operating system releases the lock with the process, so
 * a crash leaves nothing behind.
 */
export function lockDataFolder(folder: string): Disposable {
  mkdirSync(folder, { recursive: true })
  const path = `${folder}/pombo.lock`
  createPrivate(path)
  const db = new DatabaseSync(path)
  try {
    db.exec('pragma locking_mode = exclusive; begin exclusive')
  } catch (cause) {
    db.close()
    if (resultCodeOf(cause) !== SQLITE_BUSY)
      throw new DataFolderBroken(`the data folder ${folder} cannot be locked: ${messageOf(cause)}`, { cause })
    throw new DataFolderInUse(`another Pombo is using the data folder ${folder}: stop it, or set POMBO_DATA_DIR`, {
      cause,
    })
  }
  return { [Symbol.dispose]: () => db.close() }
}

const SQLITE_BUSY = 5

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
