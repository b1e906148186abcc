/**
 * The unanswered submits of one session. Answers arrive in any order. An overdue submit frees its slot, but we still
 * accept its answer, which proves that the SMSC has the part.
 */
import type { SubmitFields } from './pdu.ts'

/** `lost`: there will be no answer. */
export type Answer = Readonly<{ kind: 'answered'; status: number; messageId: string } | { kind: 'lost' }>

export type Submission = Readonly<{
  fields: SubmitFields
  /** Called once. */
  onAnswer: (answer: Answer) => void
  /** Called at most once: the answer did not arrive in time. */
  onOverdue: () => void
}>

type Entry = Readonly<{ submission: Submission; at: number }>

/** Beyond this number, the oldest overdue submits count as lost. */
const MAX_OVERDUE = 10_000

export class Window {
  /** Both in the order of submission. */
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
    entry?.submission.onAnswer(answer)
  }

  /** Marks what was submitted before `then` as overdue. */
  expire(then: number): void {
    for (const [sequence, entry] of this.#open) {
      if (entry.at > then) break
      this.#open.delete(sequence)
      this.#overdue.set(sequence, entry)
      entry.submission.onOverdue()
    }
    for (const sequence of this.#overdue.keys()) {
      if (this.#overdue.size <= MAX_OVERDUE) break
      this.answer(sequence, { kind: 'lost' })
    }
  }

  loseAll(): void {
    const entries = [...this.#overdue.values(), ...this.#open.values()]
    this.#overdue.clear()
    this.#open.clear()
    for (const { submission } of entries) submission.onAnswer({ kind: 'lost' })
  }
}
