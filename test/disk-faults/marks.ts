/** What the process under test knows, a line of JSON each, in the order in which it came to know it. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { Mark as Promised } from '../power/promises.ts'
import type { Step } from '../power/recording.ts'

export type Mark = Readonly<
  | Promised
  /** The store was unavailable, so nothing has changed; and whoever was refused asks again. */
  | ({ kind: 'refused' | 'retrying' } & Call)
  /** How many writes and syncs there were. */
  | { kind: 'opened' | 'closing' | 'closed'; writes: number; syncs: number }
  /** The disk was full and has room again. */
  | { kind: 'room' }
  /** Something that must not happen. */
  | { kind: 'wrong'; what: string }
  /** From fail-writes.c. */
  | { kind: 'disk-full' | 'sync-failed'; file: string; number: number; thread: 'main' | 'other' }
>

/** `id` is that of an event, or of the message or one-time code that the call is about. */
export type Call = Readonly<{ call: 'append' | 'shred' | 'prune' | 'claim'; id: string }>

export const addMark = (log: string, mark: Mark): void => appendFileSync(log, `${JSON.stringify(mark)}\n`)

export function readMarks(log: string): readonly Mark[] {
  const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : []
  return lines.map((line) => JSON.parse(line) as Mark)
}

/** The promises as test/power reads them. What was refused, and not asked for again, was never asked for. */
export function toSteps(marks: readonly Mark[]): readonly Step[] {
  const refused = new Set<string>()
  for (const mark of marks) {
    if (mark.kind === 'refused') refused.add(nameOf(mark))
    if (mark.kind === 'retrying') refused.delete(nameOf(mark))
  }
  const isKept = (mark: Mark, nth: number): boolean => {
    if (mark.kind === 'asked') return !refused.has(nameOf({ call: 'append', id: mark.event }))
    if (mark.kind !== 'claiming') return PROMISES.has(mark.kind)
    const isLast = !marks.slice(nth + 1).some((later) => later.kind === 'claiming' && later.id === mark.id)
    return !isLast || !refused.has(nameOf({ call: 'claim', id: mark.id }))
  }
  return marks.filter(isKept).map((mark) => ({ kind: 'marked', text: JSON.stringify(mark) }))
}

const PROMISES: ReadonlySet<Mark['kind']> = new Set(['answered', 'erasing', 'erased', 'pruning', 'claimed', 'found'])

const nameOf = ({ call, id }: Call): string => `${call} ${id}`
