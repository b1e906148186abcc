/** Runs a task periodically, never twice at once. */
export type TickerDeps = Readonly<{ task: () => Promise<unknown>; onFault: (error: unknown) => void }>

export class Ticker implements AsyncDisposable {
  readonly #deps: TickerDeps
  readonly #everyMs: number
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> = Promise.resolve()
  #stopped = false

  constructor(deps: TickerDeps, everyMs: number) {
    this.#deps = deps
    this.#everyMs = everyMs
    this.#wait()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#running
  }

  #wait(): void {
    if (this.#stopped) return
    this.#timer = setTimeout(() => {
      this.#running = this.#tick()
    }, this.#everyMs)
    this.#timer.unref()
  }

  async #tick(): Promise<void> {
    try {
      await this.#deps.task()
    } catch (error) {
      this.#deps.onFault(error)
    }
    this.#wait()
  }
}
