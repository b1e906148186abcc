/** Aborts a request when its time is over or its caller does, and tells which of them it was. */
import { PomboError } from './errors.ts'

export class Deadline {
  readonly #controller = new AbortController()
  readonly #caller: AbortSignal | undefined
  readonly #abort: () => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #isOver = false

  constructor(withinMs: number, caller: AbortSignal | undefined) {
    this.#caller = caller
    this.#abort = () => this.#controller.abort(caller?.reason)
    if (caller?.aborted === true) this.#abort()
    else caller?.addEventListener('abort', this.#abort, { once: true })
    this.extend(withinMs)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The time begins anew. */
  extend(withinMs: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      this.#isOver = true
      this.#controller.abort()
    }, withinMs)
  }

  /** The request, if it still runs, ends too. */
  end(): void {
    clearTimeout(this.#timer)
    this.#caller?.removeEventListener('abort', this.#abort)
    this.#controller.abort()
  }

  /** What the caller gets for an error of the request. */
  explain(error: unknown, idempotencyKey?: string | undefined): unknown {
    if (error instanceof PomboError) return error
    if (this.#caller?.aborted === true) return this.#caller.reason
    if (this.#isOver) {
      return new PomboError({ code: 'TIMEOUT', detail: 'No answer in time', cause: error, idempotencyKey })
    }
    const detail = 'The connection failed before the answer was complete'
    return new PomboError({ code: 'CONNECTION_FAILED', detail, cause: error, idempotencyKey })
  }
}
