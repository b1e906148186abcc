/** Opens damaged files and asks everything: is damage refused with the name of the file, or is an answer wrong? */
import { mkdtempSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import type { Files } from '../../power/disk.ts'
import { openInOneThread } from '../../power/engine.ts'
import { writeFiles } from '../../power/folder-files.ts'
import { type Answers, answersOf, toError } from './answers.ts'
import type { Sample } from './base.ts'

export const OUTCOMES = ['right', 'refused', 'error', 'unnamed', 'wrong', 'crash', 'hang'] as const
export type Outcome = (typeof OUTCOMES)[number]

/**
 * `refused` at the start, or an `error` when it is read, that names the file; `unnamed` is any other error. `what` are the
 * reasons, or the kinds of the questions with wrong answers.
 */
export type Verdict = Readonly<{ outcome: Outcome; what: readonly string[] }>

/** More than what a start reads whole; see file-check.ts. */
const LARGE_BYTES = 260 * 1024 * 1024

export type Case = Readonly<{
  scratch: string
  files: Files
  samples: readonly Sample[]
  expected: Answers
  /** As if the file were too large to be read whole at the start. */
  isLarge: boolean
}>

export async function judge({ scratch, files, samples, expected, isLarge }: Case): Promise<Verdict> {
  const folder = mkdtempSync(join(scratch, 'damaged-'))
  writeFiles(folder, files)
  // Zeroes after the last frame of a write-ahead log mean nothing.
  if (isLarge) truncateSync(join(folder, 'pombo.db-wal'), LARGE_BYTES)
  try {
    await using engine = await openInOneThread(join(folder, 'pombo.db'))
    return compare(await answersOf(engine, samples), expected)
  } catch (error) {
    const { reason, isNamed } = toError(error)
    return { outcome: isNamed ? 'refused' : 'unnamed', what: [reason] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function compare(answers: Answers, expected: Answers): Verdict {
  const wrong = new Set<string>()
  const reasons = { named: new Set<string>(), unnamed: new Set<string>() }
  for (const [name, answer] of answers) {
    const right = expected.get(name)
    if (answer.kind === 'error') reasons[answer.isNamed ? 'named' : 'unnamed'].add(answer.reason)
    else if (right?.kind !== 'answer' || right.json !== answer.json) wrong.add(name.split(' ')[0] ?? '')
  }
  if (wrong.size > 0) return { outcome: 'wrong', what: [...wrong] }
  if (reasons.unnamed.size > 0) return { outcome: 'unnamed', what: [...reasons.unnamed] }
  return reasons.named.size > 0 ? { outcome: 'error', what: [...reasons.named] } : { outcome: 'right', what: [] }
}
