/** A temporary folder of one test. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Folder = AsyncDisposable & Readonly<{ path: string }>

export async function openFolder(): Promise<Folder> {
  const path = await mkdtemp(join(tmpdir(), 'pombo-e2e-'))
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) }
}
