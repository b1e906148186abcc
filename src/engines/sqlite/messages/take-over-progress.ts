/** How far a take-over is: shared memory of the thread that does it and the one that reports it. */
import type { OnTakeOver } from './take-over.ts'

const DONE = 0
const TOTAL = 1

export class TakeOverProgress {
  readonly shared: SharedArrayBuffer
  readonly #events: BigInt64Array

  constructor(shared = new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT)) {
    this.shared = shared
    this.#events = new BigInt64Array(shared)
  }

  readonly advance: OnTakeOver = (done, total) => {
    Atomics.store(this.#events, TOTAL, BigInt(total))
    Atomics.store(this.#events, DONE, BigInt(done))
  }

  /** Reports every so often, and once more when it is disposed; never if there is nothing to take over. */
  report(everyMs: number, onTakeOver: OnTakeOver): Disposable {
    const report = (): void => {
      const [done, total] = [DONE, TOTAL].map((place) => Number(Atomics.load(this.#events, place)))
      if (done !== undefined && total !== undefined && total > 0) onTakeOver(done, total)
    }
    const timer = setInterval(report, everyMs)
    return {
      [Symbol.dispose]() {
        clearInterval(timer)
        report()
      },
    }
  }
}
