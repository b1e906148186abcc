/** A small tmpfs to be filled or write-protected. Needs the right to mount. */
import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { skipUnavailable } from './skip.ts'

const run = promisify(execFile)

export type Disk = AsyncDisposable & Readonly<{ path: string }>

/** Undefined if mounting is not allowed. `options` are mount options, such as `size=24m` or `ro`. */
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

export const skipUnmounted = (t: TestContext): void => skipUnavailable(t, 'this user may not mount a disk')
