/** The data folder, and small files in it that are created atomically and only once. */
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
import { basename, dirname } from 'node:path'

/** The data folder cannot be used. */
export class DataDirError extends Error {
  override readonly name = 'DataDirError'
  readonly exitCode = 73
}

/** The system error code, such as ENOENT. */
export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown'

const GATEWAY_FILES = /^(?:pombo(?:\.db|\.lock|-journal\.db)|simulator|master\.key|jwt\.secret)/

/** Whether a file in the data folder, or in a folder below it, is one of the gateway. */
export const isGatewayFile = (path: string): boolean => GATEWAY_FILES.test(basename(path))

/** The size of a file; 0 if it does not exist. */
export const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

/** Creates the folder if it is missing, readable by its owner only, and checks that it is writable. */
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
    throw new DataDirError(`cannot read ${path} (${codeOf(error)}); give the user that runs Pombo access to it`, {
      cause: error,
    })
  }
}

/**
 * Creates a file atomically and durably. Of several processes that try, one wins. Returns false if the file already
 * exists.
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

/** A link, unlike a rename, never replaces an existing file. */
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
    `the data folder ${folder} is not writable (${codeOf(cause)}); give the user that runs Pombo write access, or set POMBO_DATA_DIR to another folder`,
    { cause },
  )
