/** Cuts the power of a recording at many points, and checks the files that are left. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Cut } from './cuts.ts'
import { Disk, type Files } from './disk.ts'
import { toFate } from './fates.ts'
import type { Recording } from './record.ts'
import { type Step, toLines } from './recording.ts'

/** Throws if the files do not keep what the steps promised. The folder is empty. */
export type Check = (folder: string, files: Files, steps: readonly Step[]) => Promise<void>

export type Failure = Readonly<{ cut: Cut; error: unknown; files: Files; lines: readonly string[] }>

export type CheckOptions = Readonly<{
  cuts: readonly Cut[]
  check: Check
  /** Where files are put for a check. */
  scratch: string
}>

export async function checkCuts(recording: Recording, options: CheckOptions): Promise<readonly Failure[]> {
  const { cuts, check, scratch } = options
  const disk = new Disk(recording.initial, recording.steps)
  const failures: Failure[] = []
  for (const cut of cuts) {
    const files = disk.cut(cut.at, toFate(cut.fate, cut.at, cut.seed))
    const steps = recording.steps.slice(0, cut.at)
    const folder = mkdtempSync(join(scratch, 'cut-'))
    try {
      await check(folder, files, steps)
    } catch (error) {
      failures.push({ cut, error, files, lines: toLines(steps) })
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }
  return failures
}

const SHOWN = 12

/** With the newest steps before the cut. */
export function toReport({ cut: { at, fate, seed }, error, lines }: Failure): string {
  const reason = error instanceof Error ? error.message : String(error)
  return [`power cut after ${at} steps, ${fate} (seed ${seed}): ${reason}`, ...lines.slice(-SHOWN)].join('\n  ')
}
