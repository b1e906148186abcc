/**
 * Puts a backup where the database of the embedded profile belongs. The copy gets its name as the last step, and the
 * gateway does not start while there is a copy without it: a restore that is interrupted is seen and can be repeated.
 */
import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../config/config.ts'
import { bytesOf, codeOf, createOnce, DataDirError, prepareFolder, readIfThere } from '../config/data-dir.ts'
import { DATABASE_FILE, JWT_SECRET_FILE, MASTER_KEY_FILE, SecretsError } from '../config/secrets.ts'
import { type Backup, dropNote, readBackup } from '../engines/sqlite/backup.ts'
import { lockDataFolder } from '../engines/sqlite/database.ts'
import { restoringTo } from '../engines/sqlite/file-check.ts'
import { putInPlace } from '../engines/sqlite/new-database.ts'
import { assertFits, fits } from './backup-keys.ts'

export type RestoreOptions = Readonly<{ force: boolean }>

export type Restored = Pick<Backup, 'schema' | 'messages' | 'events' | 'waiting' | 'madeAt'> &
  Readonly<{
    folder: string
    /** The key files that came out of the backup. */
    keys: readonly string[]
    /** The key files of the backup that were not restored, because the folder has others in their place. */
    skipped: readonly string[]
    /** Where what was there before is now. */
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
  if (holdsDatabase(path) && !force) {
    throw new DataDirError(`${folder} holds a database; set POMBO_DATA_DIR, or move what is there aside with --force`)
  }
  // From a restore that was interrupted: the old database may be gone from its place, so the draft must stay and keep
  // the gateway from starting empty, even if this restore fails.
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
  if (!existsSync(file)) throw new DataDirError(`there is no ${file} to restore`)
  const source = realpathSync(file)
  if (ours.some((path) => existsSync(path) && realpathSync(path) === source)) {
    throw new DataDirError(`${file} was left by an interrupted restore and is not a backup; restore the backup again`)
  }
  if (bytesOf(`${file}-wal`) > 0) {
    throw new DataDirError(`${file} has a write-ahead log beside it, so it is a raw copy and not a backup; ${RAW}`)
  }
}

/** A log without bytes holds nothing: SQLite leaves one after a read-only connection. */
const holdsDatabase = (path: string): boolean =>
  existsSync(path) || ['-wal', '-journal'].some((end) => bytesOf(`${path}${end}`) > 0)

const DATABASE_FILES = ['', '-wal', '-shm', '-journal'].map((end) => `${DATABASE_FILE}${end}`)
const RAW = 'start a gateway on a folder that holds both, and back that up'
const isIn =
  (folder: string) =>
  (name: string): boolean =>
    existsSync(join(folder, name))

/** Copies to `next`, because a draft that is there must not be lost. We check the copy: it is what will be used. */
function copyIn(file: string, draft: string, next: string): Backup {
  try {
    // Opened for appending, so that a draft that is there keeps its contents.
    closeSync(openSync(draft, 'a', 0o600))
    rmSync(next, { force: true })
    copyFileSync(file, next)
    chmodSync(next, 0o600)
  } catch (error) {
    throw new DataDirError(`${file} could not be copied to ${next} (${codeOf(error)})`, { cause: error })
  }
  return readBackup(next, file)
}

type KeyPlan = Readonly<{ write: readonly string[]; replaced: readonly string[]; skipped: readonly string[] }>
const AS_IT_IS: KeyPlan = { write: [], replaced: [], skipped: [] }

function chooseKeys(config: Config, backup: Backup, force: boolean): KeyPlan {
  const [master, jwt] = [chooseMasterKey(config, backup, force), chooseJwtSecret(config, backup, force)]
  return {
    write: [...master.write, ...jwt.write],
    replaced: [...master.replaced, ...jwt.replaced],
    skipped: [...master.skipped, ...jwt.skipped],
  }
}

/** A backup is of use only with the master key of its time: one that is there must fit, or be in the backup. */
function chooseMasterKey(config: Config, { mark, keys }: Backup, force: boolean): KeyPlan {
  const path = join(config.dataDir, MASTER_KEY_FILE)
  if (config.masterKey !== undefined) {
    assertFits(config.masterKey, 'POMBO_MASTER_KEY', mark)
    return AS_IT_IS
  }
  const [there, packed] = [readIfThere(path), keys[MASTER_KEY_FILE]]
  if (packed !== undefined) assertFits(packed, `${MASTER_KEY_FILE} in the backup`, mark)
  if (there === undefined && packed === undefined) {
    throw new SecretsError(
      `the backup holds no keys; put the master.key that goes with it at ${path}, or set POMBO_MASTER_KEY`,
    )
  }
  if (there === undefined) return { ...AS_IT_IS, write: [MASTER_KEY_FILE] }
  if (packed === undefined || !force) assertFits(there, path, mark)
  if (fits(there, path, mark)) return AS_IT_IS
  return { ...AS_IT_IS, write: [MASTER_KEY_FILE], replaced: [MASTER_KEY_FILE] }
}

/** Tokens issued before the backup are valid only with its secret, and tokens issued here only with the one here. */
function chooseJwtSecret({ dataDir }: Config, { keys }: Backup, force: boolean): KeyPlan {
  const [there, packed] = [readIfThere(join(dataDir, JWT_SECRET_FILE)), keys[JWT_SECRET_FILE]]
  if (packed === undefined || there?.trim() === packed.trim()) return AS_IT_IS
  const names = [JWT_SECRET_FILE]
  if (there === undefined) return { ...AS_IT_IS, write: names }
  return force ? { ...AS_IT_IS, write: names, replaced: names } : { ...AS_IT_IS, skipped: names }
}

/** The database first: without it, a write-ahead log that is left behind stops the gateway. */
function moveAside(folder: string, names: readonly string[]): string | undefined {
  if (names.length === 0) return undefined
  const aside = join(folder, `replaced-${new Date().toISOString().replaceAll(':', '-')}`)
  mkdirSync(aside, { mode: 0o700 })
  for (const name of names) renameSync(join(folder, name), join(aside, name))
  return aside
}
