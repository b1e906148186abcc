/**
 * A damaged database file, as SQLite reports it. Reads and writes that hit damage fail with `DatabaseDamaged`, which
 * names the file; nothing is answered from an unreadable page.
 */

/** Only the operator can repair it: the message says what to do. */
export class DatabaseDamaged extends Error {
  override readonly name = 'DatabaseDamaged'
  readonly exitCode = 78
}

/** A row is not what was written. */
export class DamagedRow extends Error {
  override readonly name = 'DamagedRow'
}

const SQLITE_CORRUPT = 11
const SQLITE_NOTADB = 26

/** The primary result code of an SQLite error; zero for any other error. */
export const resultCodeOf = (error: unknown): number =>
  error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0

/** SQLite's primary result codes for a read-only, a failing and a full disk, and for a file that cannot be opened. */
const DISK_ERRORS: ReadonlySet<unknown> = new Set([8, 10, 13, 14, 'EROFS', 'EIO', 'ENOSPC'])

/** Of SQLite or of the file system. */
export const isDiskError = (error: unknown): boolean =>
  DISK_ERRORS.has(resultCodeOf(error) || (error instanceof Error && 'code' in error && error.code))

const REMEDY = 'restore a backup with `pombo restore`, or move it away if the data folder is meant to be empty'

export const damaged = (path: string, finding: string, cause?: unknown): DatabaseDamaged =>
  new DatabaseDamaged(`${path} is damaged (${finding}): ${REMEDY}`, { cause })

/**
 * FTS5 has no result code of its own for a damaged table, nor SQLite for a damaged name in the schema: the statements fit
 * the schema of this version, so what they name is there.
 */
const UNCODED = /^(?:invalid fts5 file format|no such (?:table|column))/
const isDamage = (error: unknown): boolean =>
  [SQLITE_CORRUPT, SQLITE_NOTADB].includes(resultCodeOf(error)) ||
  (error instanceof Error && UNCODED.test(error.message))

/** Turns errors about damage into `DatabaseDamaged`; returns others unchanged. */
export function asDamage(path: string, error: unknown): unknown {
  if (error instanceof DamagedRow) return damaged(path, error.message, error)
  if (!isDamage(error)) return error
  return damaged(path, error instanceof Error ? error.message : String(error), error)
}
