/** How a process whose disk has failed may end. */
import assert from 'node:assert/strict'
import type { Ended } from './fault-process.ts'
import type { Mark } from './marks.ts'
import { COULD_NOT_START, COULD_NOT_STOP } from './workload.ts'

export type Ending = 'worked' | 'killed' | 'could not start' | 'could not stop' | 'could not sync'

type Expected = Readonly<{ data: string; isKilled: boolean }>

const JOURNAL_LOG = 'pombo-journal.db-wal'
const TABLES_LOG = 'pombo.db-wal'

/** Throws if it must not end like that. */
export function toEnding({ code, signal, errors, marks }: Ended, { data, isKilled }: Expected): Ending {
  const wrong = marks.flatMap((mark) => (mark.kind === 'wrong' ? [mark.what] : []))
  assert.deepEqual(wrong, [], 'nothing but an unavailable store')
  assertNoAnswers(marks)
  const has = (kind: Mark['kind']): boolean => marks.some((mark) => mark.kind === kind)
  const story = `it ended with ${code ?? signal}: ${errors}`
  if (signal === 'SIGKILL' && isKilled && has('disk-full')) return 'killed'
  if (code === 0 && has('closed')) return 'worked'
  assert(has('disk-full') || has('sync-failed'), `nothing had failed, and ${story}`)
  // A thread that cannot close either ends the process at once.
  if (code === COULD_NOT_START || (code === 1 && !has('opened') && has('disk-full'))) {
    assert(errors.includes(`${data}/pombo`), `the error names the file: ${errors}`)
    return 'could not start'
  }
  if (code === COULD_NOT_STOP || (code === 1 && has('closing'))) {
    assert(errors.includes(`${data}/pombo`), `the error names the file: ${errors}`)
    return 'could not stop'
  }
  // Without a promise that could be broken the process ends at once.
  assert(code === 1 && has('sync-failed') && /cannot sync/.test(errors), story)
  return 'could not sync'
}

/** Nothing is answered once the log that it needs could not be synced. */
function assertNoAnswers(marks: readonly Mark[]): void {
  const at = marks.findIndex(({ kind }) => kind === 'sync-failed')
  const failed = marks[at]
  if (failed?.kind !== 'sync-failed') return
  const later = marks.slice(at + 1)
  const asked = new Set(later.flatMap((mark) => (mark.kind === 'asked' ? [mark.event] : [])))
  const claimed = new Set(later.flatMap((mark) => (mark.kind === 'claiming' ? [mark.id] : [])))
  // Answers that were on their way come later where the thread that gives them had to wait.
  const isAnswer = (mark: Mark): boolean =>
    failed.file === JOURNAL_LOG
      ? mark.kind === 'answered' && (failed.thread === 'other' || asked.has(mark.event))
      : failed.file === TABLES_LOG && mark.kind === 'claimed' && claimed.has(mark.id)
  assert.deepEqual(later.filter(isAnswer), [], 'nothing is answered after a failed sync')
}
