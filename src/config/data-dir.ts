/** The data folder and the small files in it that must never be half-written or made twice. */
import { randomUUID } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'

/** The data folder does not let us work. */
export class DataDirError extends Error {
  override readonly name = 'DataDirError'
  readonly exitCode = 73
}

/** The code the system gave an error, such as ENOENT. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown'

/** The size of a file; 0 where there is none. */
export const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Makes the folder where it is missing, for its owner only, and sees that it can be written. */
export function prepareFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK)
  } catch (error) {
    throw unwritable(folder, error)
  }
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw new DataDirError(
      `${path} cannot be read (${codeOf(error)}); give its folder back to the user Pombo runs as`,
      {
        cause: error,
      },
    )
  }
}

/**
 * Writes a file that is either there whole, on disk, or not there at all; of several processes that
 * try, one wins. False when the file was there already.
 */
export function createOnce(path: string, text: string): boolean {
  const draft = `${path}.${randomUUID()}`
  try {
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600, flush: true })
    return linkOnce(draft, path)
  } catch (error) {
    throw unwritable(dirname(path), error)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** A link, unlike a rename, never replaces a file that came first. */
function linkOnce(draft: string, path: string): boolean {
  try {
    linkSync(draft, path)
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
  const folder = openSync(dirname(path), 'r')
  fsyncSync(folder)
  closeSync(folder)
  return true
}

const unwritable = (folder: string, cause: unknown): DataDirError =>
  new DataDirError(
    `the data folder ${folder} cannot be written (${codeOf(cause)}); let the user Pombo runs as write there, or name another folder in POMBO_DATA_DIR`,
    { cause },
  )
