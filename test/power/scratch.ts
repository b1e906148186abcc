/** A temporary folder in memory where there is one: checking many cuts need not wait for a disk. */
import { accessSync, constants, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'

export type Scratch = Disposable & Readonly<{ path: string }>

export function openScratch(): Scratch {
  const path = mkdtempSync(join(isWritable(MEMORY) ? MEMORY : tmpdir(), 'pombo-power-'))
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}
