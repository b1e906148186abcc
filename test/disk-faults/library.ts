/** Builds fail-writes.c, which is for Linux only. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

const SOURCE = join(import.meta.dirname, 'fail-writes.c')

/** Builds the library in a folder and returns its path. */
export function buildLibrary(compiler: string, folder: string): string {
  const library = join(folder, 'fail-writes.so')
  execFileSync(compiler, ['-O1', '-Wall', '-Werror', '-shared', '-fPIC', '-pthread', '-o', library, SOURCE], {
    stdio: 'pipe',
  })
  return library
}
