/** Runs processes under record-writes.c, and makes sure that it has seen every change. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Disk, type Files } from './disk.ts'
import { toFate } from './fates.ts'
import { readFiles, writeFiles } from './folder-files.ts'
import { parseSteps, type Step } from './recording.ts'

/** The steps of processes that ran one after the other, on files that were there before. */
export type Recording = Readonly<{ initial: Files; steps: readonly Step[] }>

/** `env` makes a process record what it does in `data`; marks go into `log`. */
export type Recorded = Readonly<{ data: string; log: string; env: Readonly<Record<string, string>> }>

export type RecordOptions = Readonly<{
  /** The library that records. */
  recorder: string
  /** Must be empty. Its subfolder `data` is recorded. */
  folder: string
  initial?: Files
  /** Each runs one process. */
  run: readonly ((recorded: Recorded) => Promise<void>)[]
}>

export async function record({ recorder, folder, initial = new Map(), run }: RecordOptions): Promise<Recording> {
  const data = join(folder, 'data')
  writeFiles(data, initial)
  const steps: Step[] = []
  for (const [number, runOne] of run.entries()) {
    const log = join(folder, `${number}.steps`)
    await runOne({ data, log, env: { LD_PRELOAD: recorder, POMBO_POWER_FOLDER: data, POMBO_POWER_LOG: log } })
    steps.push(...parseSteps(readFileSync(log)))
  }
  const recording = { initial, steps }
  assertComplete(recording, readFiles(data))
  return recording
}

/** All steps together must result in the files as they are. */
function assertComplete({ initial, steps }: Recording, found: Files): void {
  const replayed = new Disk(initial, steps).cut(steps.length, toFate('most', steps.length, 1))
  assert.deepEqual([...replayed.keys()].toSorted(), [...found.keys()].toSorted(), 'every file was recorded')
  for (const [path, bytes] of found) assert(replayed.get(path)?.equals(bytes), `every write to ${path} was recorded`)
}
