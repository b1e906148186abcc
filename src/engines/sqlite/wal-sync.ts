/**
 * Makes commits durable without blocking the thread that makes them. SQLite appends a commit to the write-ahead log
 * and continues; this syncs the log to disk, and only then are the callers answered. Commits during a sync wait for
 * the next one.
 */
import { closeSync, fdatasync, fdatasyncSync, openSync } from 'node:fs'
import { reasonOf } from '../../ports/unavailable.ts'

export class WalSync implements Disposable {
  readonly #path: string
  readonly #fd: number
  readonly #mostUnsynced: number
  #commits = 0
  #synced = 0
  #waiting: (() => void)[] = []
  #forced: (() => void)[] = []

  /** The log must exist. So many commits wait for a sync at most, also if nobody waits for them; see wal-check.ts. */
  constructor(database: string, mostUnsynced: number) {
    this.#mostUnsynced = mostUnsynced
    this.#path = `${database}-wal`
    this.#fd = openSync(this.#path, 'r')
  }

  /** After every commit. */
  committed(): void {
    this.#commits += 1
    if (this.#commits - this.#synced < this.#mostUnsynced) return
    try {
      this.force()
    } catch (fault) {
      // The process ends before anything is answered.
      process.nextTick(() => {
        throw fault
      })
    }
  }

  /** Calls back once everything committed so far is on disk. */
  after(done: () => void): void {
    this.#waiting.push(done)
    if (this.#forced.length === 0) this.#forceNext()
  }

  /** Waits for the disk. */
  force(): void {
    try {
      fdatasyncSync(this.#fd)
      this.#synced = this.#commits
    } catch (cause) {
      throw this.#toFault(cause)
    }
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
    const commits = this.#commits
    fdatasync(this.#fd, (error) => {
      // After a failed sync the state of the disk is unknown, so no promise can be kept: the process ends.
      if (error !== null && this.#forced.length > 0) throw this.#toFault(error)
      this.#synced = Math.max(this.#synced, commits)
      for (const done of this.#forced) done()
      this.#forced = []
      if (this.#waiting.length > 0) this.#forceNext()
    })
  }

  #toFault(cause: unknown): Error {
    return new Error(`cannot sync ${this.#path}: ${reasonOf(cause)}`, { cause })
  }
}
