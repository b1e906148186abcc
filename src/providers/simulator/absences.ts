/**
 * The attempts that a lookup has reported as absent. The simulator must not receive them afterwards, even if their
 * request is still in flight. Requests do not outlive the process they were sent to, so this list need not either.
 */
import type { AttemptId } from '../../domain/ids.ts'

/** No request is in flight for as long as so many lookups take. */
const CAPACITY = 100_000

export class Absences {
  readonly #absent = new Set<AttemptId>()
  #violations = 0

  /** How many attempts arrived after they were reported as absent. */
  get violations(): number {
    return this.#violations
  }

  add(id: AttemptId): void {
    this.#absent.add(id)
    const [oldest] = this.#absent
    if (this.#absent.size > CAPACITY && oldest !== undefined) this.#absent.delete(oldest)
  }

  /** It was found after all, or the lookup failed. */
  remove(id: AttemptId): void {
    this.#absent.delete(id)
  }

  /** Whether an attempt must not be received. */
  refuses(id: AttemptId): boolean {
    const isAbsent = this.#absent.has(id)
    if (isAbsent) this.#violations += 1
    return isAbsent
  }
}
