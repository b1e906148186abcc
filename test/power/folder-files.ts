/** Reads and writes all files of a folder, except -shm files: they are memory that SQLite builds anew. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Files } from './disk.ts'

export function readFiles(folder: string): Files {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => !path.endsWith('-shm') && statSync(join(folder, path)).isFile(),
  )
  return new Map(paths.map((path) => [path, readFileSync(join(folder, path))]))
}

/** The folder is created if it is missing. */
export function writeFiles(folder: string, files: Files): void {
  mkdirSync(folder, { recursive: true })
  for (const [path, bytes] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), bytes)
  }
}
