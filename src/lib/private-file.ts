/**
 * Files that only their owner can read and write, whatever the umask: databases, journals, backups and secrets. SQLite
 * gives the write-ahead log and the shared memory of a database its mode, so a database is created here before it is
 * opened.
 */
import { chmodSync, closeSync, openSync, readSync, statSync, writeSync } from 'node:fs'

export const PRIVATE_MODE = 0o600
const MODE_BITS = 0o777
const OF_OTHERS = 0o077

/**
 * Creates an empty file unless there is one. Where that fails, whoever opens the file next fails for the same reason, and
 * reports it. An existing file is not opened: closing it would release the locks that this process has on it.
 */
export function createPrivate(path: string): void {
  try {
    closeSync(openSync(path, 'wx', PRIVATE_MODE))
  } catch {
    // It exists, or the folder is missing, full or read-only.
  }
}

const COPIED_AT_ONCE = 1024 * 1024

/** Copies to a new file. Nobody else can read it at any time: `copyFile` would give it the mode of the source first. */
export function copyPrivately(from: string, to: string): void {
  const source = openSync(from, 'r')
  try {
    const target = openSync(to, 'wx', PRIVATE_MODE)
    try {
      const buffer = Buffer.alloc(COPIED_AT_ONCE)
      for (let read = readSync(source, buffer); read > 0; read = readSync(source, buffer)) {
        for (let at = 0; at < read; ) at += writeSync(target, buffer, at, read - at)
      }
    } finally {
      closeSync(target)
    }
  } finally {
    closeSync(source)
  }
}

/** The mode of a file that others could use; `isCorrected` is false where it cannot be changed. */
export type Exposed = Readonly<{ mode: number; isCorrected: boolean }>

/** Takes the file away from others, if they can use it. */
export function makePrivate(path: string): Exposed | undefined {
  const mode = modeOf(path)
  if ((mode & OF_OTHERS) === 0) return undefined
  try {
    chmodSync(path, PRIVATE_MODE)
  } catch {
    // It has another owner, or the file system has no modes.
  }
  return { mode, isCorrected: (modeOf(path) & OF_OTHERS) === 0 }
}

/** Zero if it is no file. */
function modeOf(path: string): number {
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.isFile() === true ? found.mode & MODE_BITS : 0
}
