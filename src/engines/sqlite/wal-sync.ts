/**
 * Makes commits durable without blocking the thread that makes them. SQLite appends a commit to the write-ahead log
 * and continues; this syncs the log to disk, and only then are the callers answered. Commits during a sync wait for
 * the next one.
 */
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'

export class WalSync implements Disposable {
  readonly #fd: number
  #waiting: (() => void)[] = []
  #forced: (() => void)[] = []

  /** The log must exist. */
  constructor(database: string) {
    this.#fd = openSync(`${database}-wal`, 'r')
  }

  /** Calls back once everything committed so far is on disk. */
  after(done: () => void): void {
    this.#waiting.push(done)
    if (this.#forced.length === 0) this.#forceNext()
  }

  /** Waits for the disk. */
  force(): void {
    fdatasyncSync(this.#fd)
  }

  [Symbol.dispose](): void {
    this.force()
    for (const done of [...this.#forced, ...this.#waiting]) done()
    this.#forced = []
    this.#waiting = []
    closeSync(this.#fd)
  }

  #forceNext(): void {
    this.#forced = this.#waiting
    this.#waiting = []
    fdatasync(this.#fd, (error) => {
      // After a failed sync the state of the disk is unknown, so no promise can be kept: the process ends.
      if (error !== null && this.#forced.length > 0)
        throw new Error('cannot sync the write-ahead log', { cause: error })
      for (const done of this.#forced) done()
      this.#forced = []
      if (this.#waiting.length > 0) this.#forceNext()
    })
  }
}
