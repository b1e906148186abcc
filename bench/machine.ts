/** The machine that the results were measured on. */
import { closeSync, fdatasyncSync, openSync, statfsSync, writeSync } from 'node:fs'
import { cpus, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { openFolder } from './processes.ts'

export type Machine = Readonly<{
  cpu: string
  cores: number
  memoryGb: number
  node: string
  kernel: string
  /** The median of writing and syncing 4 KB, on the disk of the data folders. */
  fdatasyncMs: number
  /** The data folders are on a RAM disk, so durability costs nothing. */
  diskIsMemory: boolean
}>

const PROBES = 101
const TMPFS = 0x01021994

export function readMachine(): Machine {
  using folder = openFolder()
  const [cpu] = cpus()
  return {
    cpu: cpu?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryGb: Math.round(totalmem() / 2 ** 30),
    node: process.version,
    kernel: release(),
    fdatasyncMs: probeDisk(join(folder.path, 'probe')),
    diskIsMemory: statfsSync(folder.path).type === TMPFS,
  }
}

function probeDisk(path: string): number {
  const file = openSync(path, 'w')
  const block = Buffer.alloc(4096)
  const times = Array.from({ length: PROBES }, () => {
    writeSync(file, block)
    const begun = performance.now()
    fdatasyncSync(file)
    return performance.now() - begun
  })
  closeSync(file)
  return times.toSorted((one, other) => one - other)[Math.floor(PROBES / 2)] ?? Number.NaN
}
