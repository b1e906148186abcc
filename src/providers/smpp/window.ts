/**
 * What was submitted over one session and not answered yet. Answers come in any order. One that is overdue
 * gives up its place, and is still listened for: it tells that the SMSC has the part after all.
 */
import type { SubmitFields } from './pdu.ts'

/** `lost`: there will be no answer. */
export type Answer = Readonly<{ kind: 'answered'; status: number; name: string } | { kind: 'lost' }>

export type Submission = Readonly<{
  fields: SubmitFields
  /** Said once, and last. */
  answered: (answer: Answer) => void
  /** Said at most once: the answer has not come in time. */
  overdue: () => void
}>

type Entry = Readonly<{ submission: Submission; at: number }>

/** More answers than these are not late, but missing. */
const MOST_OVERDUE = 10_000

export class Window {
  /** Both in the order they were submitted in. */
  readonly #open = new Map<number, Entry>()
  readonly #overdue = new Map<number, Entry>()

  get size(): number {
    return this.#open.size
  }

  add(sequence: number, submission: Submission, at: number): void {
    this.#open.set(sequence, { submission, at })
  }

  answer(sequence: number, answer: Answer): void {
    const entry = this.#open.get(sequence) ?? this.#overdue.get(sequence)
    this.#open.delete(sequence)
    this.#overdue.delete(sequence)
    entry?.submission.answered(answer)
  }

  /** What was submitted before `then` is overdue. */
  expire(then: number): void {
    for (const [sequence, entry] of this.#open) {
      if (entry.at > then) break
      this.#open.delete(sequence)
      this.#overdue.set(sequence, entry)
      entry.submission.overdue()
    }
    for (const sequence of this.#overdue.keys()) {
      if (this.#overdue.size <= MOST_OVERDUE) break
      this.answer(sequence, { kind: 'lost' })
    }
  }

  /** The session is over. */
  loseAll(): void {
    const entries = [...this.#overdue.values(), ...this.#open.values()]
    this.#overdue.clear()
    this.#open.clear()
    for (const { submission } of entries) submission.answered({ kind: 'lost' })
  }
}
