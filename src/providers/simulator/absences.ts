/**
 * The attempts that were told to be absent. That answer is a promise: an attempt whose request was
 * still under way somewhere must not be received afterwards. Requests do not outlive the process they
 * were sent to, so its promises need not either.
 */
import type { AttemptId } from '../../domain/ids.ts'

/** Nobody's request is under way for as long as it takes to tell of so many others. */
const MEMORY = 100_000

export class Absences {
  readonly #told = new Set<AttemptId>()
  #broken = 0

  /** How many attempts came although they were told to be absent. */
  get broken(): number {
    return this.#broken
  }

  tell(id: AttemptId): void {
    this.#told.add(id)
    const [oldest] = this.#told
    if (this.#told.size > MEMORY && oldest !== undefined) this.#told.delete(oldest)
  }

  /** It was not absent after all, or nobody knows. */
  takeBack(id: AttemptId): void {
    this.#told.delete(id)
  }

  /** Whether an attempt that came must not be received. */
  forbid(id: AttemptId): boolean {
    const isForbidden = this.#told.has(id)
    if (isForbidden) this.#broken += 1
    return isForbidden
  }
}
