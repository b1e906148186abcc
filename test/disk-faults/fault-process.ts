/** Runs a process whose disk fails. */
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { DiskControl, type DiskFault } from './disk-control.ts'
import { type Mark, readMarks } from './marks.ts'

export type FaultyRun = Readonly<{
  /** The library built from fail-writes.c. */
  library: string
  /** Its subfolder `data` is on the disk that fails. */
  folder: string
  fault: DiskFault
  /** Run with `options` and the folder, the log and the control block as JSON. */
  entry: string
  options: object
}>

/** `code` is null if a signal ended it; `marks` are its own. */
export type Ended = Readonly<{ code: number | null; signal: string | null; errors: string; marks: readonly Mark[] }>

const LONGEST_MS = 30_000

export const dataIn = (folder: string): string => join(folder, 'data')

export async function runFaulty({ library, folder, fault, entry, options }: FaultyRun): Promise<Ended> {
  const [data, log, control] = [dataIn(folder), join(folder, 'marks'), join(folder, 'control')]
  mkdirSync(data, { recursive: true })
  DiskControl.create(control, fault)
  const env = { LD_PRELOAD: library, POMBO_DISK_FOLDER: data, POMBO_DISK_CONTROL: control, POMBO_DISK_LOG: log }
  const child = spawn(process.execPath, [entry, JSON.stringify({ ...options, folder: data, log, control })], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: LONGEST_MS,
    killSignal: 'SIGABRT',
  })
  const errors: string[] = []
  child.stderr.setEncoding('utf8').on('data', (text: string) => errors.push(text))
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (...ended) => resolve(ended))
  })
  return { code, signal, errors: errors.join(''), marks: readMarks(log) }
}
