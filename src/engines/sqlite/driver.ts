/**
 * How the ports reach the tables: method calls by name, wherever the tables are. local-driver.ts runs them in this
 * thread, thread-driver.ts in another.
 */
import type { Methods } from '../../lib/rpc-channel.ts'

/** Counters that grow: the newest event, and how often jobs became ready. */
export type Signals = Readonly<{ tip: number; readied: number }>

export interface Driver<M extends Methods> extends AsyncDisposable {
  /** Rejects with `Unavailable` when the store could not do it; then nothing is changed. */
  call<Name extends keyof M>(name: Name, ...args: Parameters<M[Name]>): Promise<ReturnType<M[Name]>>

  signals(): Signals

  /** Resolves when a signal differs from `since`, or when `stop` aborts. */
  changed(which: keyof Signals, since: Signals, stop: AbortSignal): Promise<void>
}

/** Holds the signals and wakes callers that wait for a change. */
export class Signalling {
  now: Signals = { tip: 0, readied: 0 }
  readonly #waiting = new Set<() => void>()

  set(next: Signals): void {
    if (next.tip === this.now.tip && next.readied === this.now.readied) return
    this.now = next
    for (const look of [...this.#waiting]) look()
  }

  changed(which: keyof Signals, since: Signals, stop: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (since[which] === this.now[which] && !stop.aborted) return
        this.#waiting.delete(look)
        stop.removeEventListener('abort', look)
        resolve()
      }
      this.#waiting.add(look)
      stop.addEventListener('abort', look)
      look()
    })
  }
}
