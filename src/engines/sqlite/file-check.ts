/**
 * Checks the database file before it is opened for writing, and changes nothing: a gateway never starts from scratch
 * because its file is empty, and never continues with a damaged one.
 */
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { asDamage, DatabaseDamaged, damaged } from './damage.ts'

/**
 * Up to this size every start reads the whole file, which takes at most a quarter of a second if it is cached. Damage
 * in a larger file is found when the page is read, or by `pombo doctor`.
 */
const CHECKED_BYTES = 256 * 1024 * 1024

/** The smallest page size of SQLite. */
const LEAST_BYTES = 512

/** Where a restore copies to until it is complete; an interrupted restore leaves it behind. */
export const restoringTo = (path: string): string => `${path}.restoring`

export type FileState = 'missing' | 'sound'

/** Throws `DatabaseDamaged` if the file exists and is not sound. */
export function checkFile(path: string, checkedBytes = CHECKED_BYTES): FileState {
  const [bytes, walBytes] = [bytesOf(path), bytesOf(`${path}-wal`) ?? 0]
  if (bytesOf(restoringTo(path)) !== undefined) throw halfRestored(path, bytes !== undefined)
  if (bytes === undefined) {
    if (walBytes > 0) throw orphanedLog(path)
    return 'missing'
  }
  if (bytes === 0) throw damaged(path, 'it is empty')
  // SQLite treats a file of one byte as empty.
  if (bytes < LEAST_BYTES) throw damaged(path, 'it is cut off')
  const finding = inspect(path, bytes + walBytes <= checkedBytes)
  if (finding !== 'ok') throw damaged(path, finding)
  return 'sound'
}

const halfRestored = (path: string, isOldThere: boolean): DatabaseDamaged =>
  new DatabaseDamaged(
    `a restore was interrupted and has left ${restoringTo(path)}: run \`pombo restore\` again${isOldThere ? `, or remove that file to go on with ${path} as it was` : ''}`,
  )

const orphanedLog = (path: string): DatabaseDamaged =>
  new DatabaseDamaged(
    `${path} is missing and its write-ahead log ${path}-wal is there: put the database back, restore a backup with \`pombo restore --force\`, or move the log away if the data folder is meant to be empty`,
  )

const bytesOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size

/** Without a write-ahead log no process uses the file, and an immutable connection creates none. */
export function openUnchanged(path: string): DatabaseSync {
  const url = pathToFileURL(path)
  if (bytesOf(`${path}-wal`) === undefined) url.searchParams.set('immutable', '1')
  return new DatabaseSync(url, { readOnly: true })
}

/** Reads at least the header and the schema, on a connection that cannot write. */
function inspect(path: string, isWhole: boolean): string {
  try {
    using db = openUnchanged(path)
    db.prepare('select count(*) from sqlite_schema').get()
    const found = isWhole ? db.prepare('pragma quick_check(1)').get()?.['quick_check'] : 'ok'
    return String(found).replaceAll(/\s+/g, ' ')
  } catch (error) {
    throw asDamage(path, error)
  }
}
