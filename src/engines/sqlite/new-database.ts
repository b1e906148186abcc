/**
 * Creates a database under a temporary name and renames it, so that a crash never leaves an empty or incomplete file
 * in its place. An empty file there is therefore always damage. Also compacts one that a migration has left with gaps.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createPrivate } from '../../lib/private-file.ts'
import { asDamage } from './damage.ts'
import { migrate } from './schema.ts'

/** Pages that are not used can be given back a few at a time. Takes effect before the first table, or with a vacuum. */
const GIVING_BACK = 'pragma auto_vacuum = incremental'
/** The rows of messages, of about a kilobyte, leave less of a larger page unused. */
const LARGE_PAGES = 'pragma page_size = 8192'

export function createDatabase(path: string): void {
  const draft = `${path}.new`
  rmSync(draft, { force: true })
  createPrivate(draft)
  const db = new DatabaseSync(draft)
  try {
    // A draft can be recreated, so only the finished file is synced to disk.
    db.exec(`${LARGE_PAGES}; ${GIVING_BACK}; pragma journal_mode = off; pragma synchronous = off`)
    migrate(db, path)
  } finally {
    db.close()
  }
  putInPlace(draft, path)
}

/** Where there is no room for a second copy, the file stays as large as it is. */
export function compact(db: DatabaseSync, path: string): void {
  try {
    // The copy is as large as the file, so it is made beside it, and not in memory.
    const folder = dirname(path).replaceAll("'", "''")
    db.exec(`pragma temp_store = file; pragma temp_store_directory = '${folder}'; ${GIVING_BACK}; vacuum`)
  } catch (error) {
    if (asDamage(path, error) !== error) throw error
  } finally {
    db.exec(`pragma temp_store_directory = ''; pragma temp_store = memory`)
  }
}

/** Syncs a finished file to disk and renames it, replacing an existing one. */
export function putInPlace(draft: string, path: string): void {
  force(draft)
  renameSync(draft, path)
  force(dirname(path))
}

function force(path: string): void {
  const fd = openSync(path, 'r')
  try {
    fsyncSync(fd)
  } finally {
    closeSync(fd)
  }
}
