/**
 * Gathers the attempts of webhook deliveries for a moment and stores them together, so that they cost little and no
 * delivery waits for them. A crash loses those of the last moment; so does a store that cannot be reached.
 */
import type { WebhookAttempt } from '../domain/webhooks/attempt.ts'
import { type RecordAttemptsDeps, recordAttempts } from '../flows/webhooks/record-attempts.ts'

export const GATHER_ATTEMPTS_MS = 250
/** Stored in one step. */
const STEP = 100
/** How many wait while the store is slow; then the oldest are dropped. */
const CAPACITY = 2_000

export class AttemptRecorder implements AsyncDisposable {
  readonly #deps: RecordAttemptsDeps
  readonly #onFault: (error: unknown) => void
  #gathered: WebhookAttempt[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(deps: RecordAttemptsDeps, onFault: (error: unknown) => void) {
    this.#deps = deps
    this.#onFault = onFault
  }

  readonly record = (attempt: WebhookAttempt): void => {
    this.#gathered.push(attempt)
    if (this.#gathered.length > CAPACITY) this.#gathered.shift()
    this.#timer ??= setTimeout(() => this.#write(), GATHER_ATTEMPTS_MS)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer)
    this.#write()
    await this.#writing
  }

  #write(): void {
    this.#writing = this.#writing.then(() => this.#writeGathered()).catch(this.#onFault)
  }

  async #writeGathered(): Promise<void> {
    const attempts = this.#gathered
    this.#gathered = []
    this.#timer = undefined
    for (let from = 0; from < attempts.length; from += STEP) {
      await recordAttempts(this.#deps, attempts.slice(from, from + STEP))
    }
  }
}
