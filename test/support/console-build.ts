/** Builds the console if its sources have changed. Test files run concurrently: one of them builds, the others wait. */
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

const ROOT = join(import.meta.dirname, '../..')
const CACHE = join(ROOT, 'node_modules/.cache/pombo-console')
const BUILD_WITHIN_MS = 180_000

export function buildConsole(): void {
  mkdirSync(CACHE, { recursive: true })
  // A lock that is released when its process ends, even by a signal.
  using lock = new DatabaseSync(join(CACHE, 'lock.db'), { timeout: BUILD_WITHIN_MS })
  lock.exec('BEGIN EXCLUSIVE')
  const args = [join(ROOT, 'console/build.ts'), '--if-changed']
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', timeout: BUILD_WITHIN_MS })
  if (status !== 0) throw new Error(`the console could not be built: ${stderr}`)
}
