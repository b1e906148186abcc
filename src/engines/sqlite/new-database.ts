/**
 * Makes a database where there is none: under another name first, so that a crash never leaves an empty or half-made
 * file where the database belongs. An empty file there is therefore always damage.
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
    // Nothing is lost with a draft, so only the finished file is forced to disk.
    db.exec('pragma journal_mode = off; pragma synchronous = off')
    migrate(db, path)
  } finally {
    db.close()
  }
  putInPlace(draft, path)
}

/** Forces a finished file to disk and gives it its name. It replaces what has that name. */
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
