/** Builds record-writes.c, which is for Linux only. */
import { execFileSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const SOURCE = join(import.meta.dirname, 'record-writes.c')

/** The path of a C compiler; undefined if there is none. */
export function findCompiler(path = process.env['PATH'] ?? ''): string | undefined {
  if (process.platform !== 'linux') return undefined
  return ['cc', 'gcc', 'clang']
    .flatMap((name) => path.split(delimiter).map((folder) => join(folder, name)))
    .find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Builds the library in a folder and returns its path. */
export function buildRecorder(compiler: string, folder: string): string {
  const library = join(folder, 'record-writes.so')
  execFileSync(compiler, ['-O1', '-Wall', '-Werror', '-shared', '-fPIC', '-pthread', '-o', library, SOURCE], {
    stdio: 'pipe',
  })
  return library
}
