/**
 * A folder in memory for everything that tests write: creating and syncing files is most of what servers in tests cost.
 * Undefined where memory is scarce.
 */
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { freemem } from 'node:os'
import { join } from 'node:path'

const SHARED_MEMORY = '/dev/shm'
/** Several times what the tests of one run have written at once. */
const ROOM_BYTES = 8 * 1024 ** 3

export function makeMemoryFolder(): (Disposable & Readonly<{ path: string }>) | undefined {
  if (!existsSync(SHARED_MEMORY) || Math.min(freemem(), freeBytes(SHARED_MEMORY)) < ROOM_BYTES) return undefined
  const path = mkdtempSync(join(SHARED_MEMORY, 'pombo-tests-'))
  // Servers run as other users.
  chmodSync(path, 0o1777)
  const remove = (): void => rmSync(path, { recursive: true, force: true })
  process.once('exit', remove)
  return { path, [Symbol.dispose]: remove }
}

function freeBytes(path: string): number {
  const { bavail, bsize } = statfsSync(path)
  return bavail * bsize
}
