/** `COPY`: takes files from the context, except those that .dockerignore leaves out, or from an earlier stage. */
import { chownSync, cpSync, lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { basename, join, relative } from 'node:path'
import { isLeftOut } from '../deploy/dockerfile.ts'
import { runLong } from './host.ts'

export type Context = Readonly<{ folder: string; ignored: string }>

/** `target` is absolute; with a slash at the end it is a folder. */
export function copyFromContext({ folder, ignored }: Context, sources: readonly string[], target: string): void {
  for (const source of sources) {
    if (isLeftOut(source, ignored)) throw new Error(`COPY ${source}: .dockerignore leaves it out`)
    const from = join(folder, source)
    const isFolder = statSync(from).isDirectory()
    const to = target.endsWith('/') && !isFolder ? join(target, basename(source)) : target
    cpSync(from, to, {
      recursive: true,
      preserveTimestamps: true,
      verbatimSymlinks: true,
      filter: (path) => !isLeftOut(relative(folder, path), ignored),
    })
    giveToRoot(to)
  }
}

/** Like Docker, whoever owns the files of the context. */
function giveToRoot(path: string): void {
  chownSync(path, 0, 0)
  if (!lstatSync(path).isDirectory()) return
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) chownSync(join(entry.parentPath, entry.name), 0, 0)
  }
}

/** Copies what a folder contains, or a file. */
export async function copyFromStage(from: string, to: string): Promise<void> {
  const isFolder = statSync(from).isDirectory()
  mkdirSync(isFolder ? to : join(to, '..'), { recursive: true })
  await runLong('cp', ['--archive', isFolder ? `${from}/.` : from, to])
}
