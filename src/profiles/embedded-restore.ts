/**
 * Restores a backup of the embedded profile. The copy gets its final name as the last step, and the gateway refuses to
 * start while the draft exists: an interrupted restore is noticed and can be repeated.
 */
import { closeSync, existsSync, mkdirSync, openSync, realpathSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { bytesOf, codeOf, createOnce, DataDirError, prepareFolder, readIfThere } from '../config/data-dir.ts'
import { DATABASE_FILE, JWT_SECRET_FILE, MASTER_KEY_FILE, SecretsError } from '../config/secrets.ts'
import { type Backup, dropNote, readBackup } from '../engines/sqlite/backup.ts'
import { lockDataFolder } from '../engines/sqlite/database.ts'
import { restoringTo } from '../engines/sqlite/file-check.ts'
import { journalFilesOf } from '../engines/sqlite/journal/journal-file.ts'
import { putInPlace } from '../engines/sqlite/new-database.ts'
import { copyPrivately, PRIVATE_MODE } from '../lib/private-file.ts'
import { assertMatches, matches } from './backup-keys.ts'

export type RestoreOptions = Readonly<{ force: boolean }>

export type Restored = Pick<Backup, 'schema' | 'messages' | 'events' | 'waiting' | 'madeAt'> &
  Readonly<{
    folder: string
    /** The key files that were restored. */
    keys: readonly string[]
    /** The key files that were not restored, because the folder has different ones. */
    skipped: readonly string[]
    /** The folder with the previous files. */
    aside: string | undefined
  }>

export function restoreEmbedded(config: Config, given: string, { force }: RestoreOptions): Restored {
  const [file, folder] = [resolve(given), resolve(config.dataDir)]
  const path = join(folder, DATABASE_FILE)
  const draft = restoringTo(path)
  const next = `${draft}.new`
  assertIsBackup(file, [draft, next])
  prepareFolder(folder)
  using _lock = lockDataFolder(folder)
  if (hasDatabase(path) && !force) {
    throw new DataDirError(
      `${folder} already has a database; set POMBO_DATA_DIR to another folder, or move the database aside with --force`,
    )
  }
  // Left by an interrupted restore: the old database may have been moved already, so the draft must stay and keep the
  // gateway from starting empty, even if this restore fails.
  let keepDraft = existsSync(draft)
  try {
    const backup = copyIn(file, draft, next)
    const { write, replaced, skipped } = chooseKeys(config, backup, force)
    putInPlace(next, draft)
    keepDraft = true
    const aside = moveAside(folder, [...DATABASE_FILES.filter(isIn(folder)), ...replaced])
    for (const name of write) createOnce(join(folder, name), backup.keys[name] ?? '')
    dropNote(draft)
    putInPlace(draft, path)
    const { schema, messages, events, waiting, madeAt } = backup
    return { folder, schema, messages, events, waiting, madeAt, keys: write, skipped, aside }
  } catch (error) {
    if (!keepDraft) rmSync(draft, { force: true })
    throw error
  } finally {
    for (const end of ['', '-wal', '-shm']) rmSync(`${next}${end}`, { force: true })
  }
}

function assertIsBackup(file: string, ours: readonly string[]): void {
  if (!existsSync(file)) throw new DataDirError(`${file} does not exist`)
  const source = realpathSync(file)
  if (ours.some((path) => existsSync(path) && realpathSync(path) === source)) {
    throw new DataDirError(`${file} was left by an interrupted restore and is not a backup; restore the backup again`)
  }
  if (bytesOf(`${file}-wal`) > 0) {
    throw new DataDirError(`${file} has a write-ahead log, so it is a raw copy and not a backup; ${RAW_COPY}`)
  }
}

/** SQLite leaves an empty write-ahead log after a read-only connection. */
const hasDatabase = (path: string): boolean =>
  existsSync(path) || ['-wal', '-journal'].some((end) => bytesOf(`${path}${end}`) > 0)

const DATABASE_FILES = [
  ...['', '-wal', '-shm', '-journal'].map((end) => `${DATABASE_FILE}${end}`),
  ...journalFilesOf(DATABASE_FILE),
]
const RAW_COPY = 'start a gateway on a folder with both files, and back that up'
const isIn =
  (folder: string) =>
  (name: string): boolean =>
    existsSync(join(folder, name))

/** Copies to `next`, so that an existing draft is not lost, and verifies the copy. */
function copyIn(file: string, draft: string, next: string): Backup {
  try {
    // Opened for appending, so that an existing draft keeps its contents.
    closeSync(openSync(draft, 'a', PRIVATE_MODE))
    rmSync(next, { force: true })
    copyPrivately(file, next)
  } catch (error) {
    throw new DataDirError(`cannot copy ${file} to ${next} (${codeOf(error)})`, { cause: error })
  }
  return readBackup(next, file)
}

type KeyPlan = Readonly<{ write: readonly string[]; replaced: readonly string[]; skipped: readonly string[] }>
const UNCHANGED: KeyPlan = { write: [], replaced: [], skipped: [] }

function chooseKeys(config: Config, backup: Backup, force: boolean): KeyPlan {
  const [master, jwt] = [chooseMasterKey(config, backup, force), chooseJwtSecret(config, backup, force)]
  return {
    write: [...master.write, ...jwt.write],
    replaced: [...master.replaced, ...jwt.replaced],
    skipped: [...master.skipped, ...jwt.skipped],
  }
}

/** A backup can only be read with its master key: the current key must match, or the backup must contain it. */
function chooseMasterKey(config: Config, { mark, keys }: Backup, force: boolean): KeyPlan {
  const path = join(config.dataDir, MASTER_KEY_FILE)
  if (config.masterKey !== undefined) {
    assertMatches(config.masterKey, 'POMBO_MASTER_KEY', mark)
    return UNCHANGED
  }
  const [current, included] = [readIfThere(path), keys[MASTER_KEY_FILE]]
  if (included !== undefined) assertMatches(included, `${MASTER_KEY_FILE} in the backup`, mark)
  if (current === undefined && included === undefined) {
    throw new SecretsError(`the backup contains no keys; copy its master.key to ${path}, or set POMBO_MASTER_KEY`)
  }
  if (current === undefined) return { ...UNCHANGED, write: [MASTER_KEY_FILE] }
  if (included === undefined || !force) assertMatches(current, path, mark)
  if (matches(current, path, mark)) return UNCHANGED
  return { ...UNCHANGED, write: [MASTER_KEY_FILE], replaced: [MASTER_KEY_FILE] }
}

/** Tokens issued before the backup are valid only with its secret, and tokens issued here only with the one here. */
function chooseJwtSecret({ dataDir }: Config, { keys }: Backup, force: boolean): KeyPlan {
  const [current, included] = [readIfThere(join(dataDir, JWT_SECRET_FILE)), keys[JWT_SECRET_FILE]]
  if (included === undefined || current?.trim() === included.trim()) return UNCHANGED
  const names = [JWT_SECRET_FILE]
  if (current === undefined) return { ...UNCHANGED, write: names }
  return force ? { ...UNCHANGED, write: names, replaced: names } : { ...UNCHANGED, skipped: names }
}

/** Moves the database first: a write-ahead log without a database keeps the gateway from starting. */
function moveAside(folder: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  const aside = join(folder, `replaced-${new Date().toISOString().replaceAll(':', '-')}`)
  mkdirSync(aside, { mode: 0o700 })
  for (const name of names) renameSync(join(folder, name), join(aside, name))
  return aside
}
