/** A small disk of its own, to be filled or protected. Needs the right to mount. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Disk = AsyncDisposable & Readonly<{ path: string }>

/** Undefined where mounting is not allowed. `options` are those of mount, such as `size=24m` or `ro`. */
export async function mountDisk(path: string, options: string): Promise<Disk | undefined> {
  await mkdir(path, { recursive: true })
  try {
    await run('mount', ['-t', 'tmpfs', '-o', options, 'pombo-e2e', path])
  } catch {
    return undefined
  }
  return {
    path,
    async [Symbol.asyncDispose]() {
      await run('umount', ['--lazy', path])
    },
  }
}

/** Said aloud; and where nothing may be left out, a failure. */
export function skipUnmounted(t: TestContext): void {
  const why = 'this user may not mount a disk'
  assert.notEqual(process.env['CI'], 'true', `${why}, and in CI no test is skipped`)
  t.diagnostic(`SKIPPED: ${why}`)
  t.skip(why)
}
