/**
 * Creates a database under a temporary name and renames it, so that a crash never leaves an empty or incomplete file
 * in its place. An empty file there is therefore always damage.
 */
import { closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { migrate } from './schema.ts'

export function createDatabase(path: string): void {
  const draft = `${path}.new`
  rmSync(draft, { force: true })
  const db = new DatabaseSync(draft)
  try {
    // A draft can be recreated, so only the finished file is synced to disk.
    db.exec('pragma journal_mode = off; pragma synchronous = off')
    migrate(db, path)
  } finally {
    db.close()
  }
  putInPlace(draft, path)
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
