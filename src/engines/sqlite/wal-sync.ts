/**
 * Makes commits durable without holding up the thread that makes them. SQLite writes a commit into
 * the write-ahead log and goes on; this forces the log to disk, and only then are the writers
 * answered. While one forcing is under way the commits that follow gather for the next.
 */
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'

export class WalSync implements Disposable {
  readonly #fd: number
  #waiting: (() => void)[] = []
  #forced: (() => void)[] = []

  /** The log must be there already. */
  constructor(database: string) {
    this.#fd = openSync(`${database}-wal`, 'r')
  }

  /** Calls back once everything that is committed now is on disk. */
  after(done: () => void): void {
    this.#waiting.push(done)
    if (this.#forced.length === 0) this.#force()
  }

  [Symbol.dispose](): void {
    fdatasyncSync(this.#fd)
    for (const done of [...this.#forced, ...this.#waiting]) done()
    this.#forced = []
    this.#waiting = []
    closeSync(this.#fd)
  }

  #force(): void {
    this.#forced = this.#waiting
    this.#waiting = []
    fdatasync(this.#fd, (error) => {
      // What the disk has kept nobody knows now, so nothing more may be promised: the process ends.
      if (error !== null && this.#forced.length > 0) throw new Error('the disk cannot keep the log', { cause: error })
      for (const done of this.#forced) done()
      this.#forced = []
      if (this.#waiting.length > 0) this.#force()
    })
  }
}
