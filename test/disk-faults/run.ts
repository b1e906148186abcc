/** One run of the engine on a disk that fails: how the process ends, and what it has left. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { checkFiles } from '../power/check.ts'
import type { Files } from '../power/disk.ts'
import { readFiles, writeFiles } from '../power/folder-files.ts'
import { NOTHING, type Promised, promisedAfter } from '../power/promises.ts'
import type { DiskFault } from './disk-control.ts'
import { type Ending, toEnding } from './ending.ts'
import { dataIn, type Ended, runFaulty } from './fault-process.ts'
import { toSteps } from './marks.ts'
import type { Workload } from './workload.ts'

/** Files, and what is promised of them. */
export type Left = Readonly<{ files: Files; promised: Promised }>
export const EMPTY: Left = { files: new Map(), promised: NOTHING }

export type RunOptions = Readonly<{
  library: string
  /** A folder for the runs. */
  scratch: string
  initial: Left
  fault: DiskFault
  workload: Omit<Workload, 'folder' | 'log' | 'control'>
}>

export type Result = Readonly<{ ending: Ending; ended: Ended; left: Left }>

const WORKLOAD = join(import.meta.dirname, 'workload.ts')

/** Throws if the process ends as it must not, or if a start with room does not keep what was promised. */
export async function runOnFaultyDisk({ library, scratch, initial, fault, workload }: RunOptions): Promise<Result> {
  const folder = mkdtempSync(join(scratch, 'run-'))
  try {
    const data = dataIn(folder)
    writeFiles(data, initial.files)
    const ended = await runFaulty({ library, folder, fault, entry: WORKLOAD, options: workload })
    const ending = toEnding(ended, { data, isKilled: workload.isKilled })
    const left = { files: readFiles(data), promised: promisedAfter(initial.promised, toSteps(ended.marks)) }
    await checkFiles(join(folder, 'checked'), left.files, left.promised)
    return { ending, ended, left }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
