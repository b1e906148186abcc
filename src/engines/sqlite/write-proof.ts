/**
 * Tracks whether the file is still writable. Every commit that changes something and reaches the disk proves it for a
 * while; if there was none recently, or the last one failed, `prove` writes a row of its own.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../lib/clock.ts'

const PROVEN_FOR_MS = 3_000

export class WriteProof {
  readonly #clock: Clock
  readonly #beat
  readonly #total
  #before = 0
  #provenAt = Number.NEGATIVE_INFINITY
  #hasFailed = false

  constructor(db: DatabaseSync, clock: Clock) {
    this.#clock = clock
    this.#beat = db.prepare(`
      insert into progress (name, position) values ('heartbeat', ?) on conflict (name) do update set position = excluded.position
    `)
    this.#total = db.prepare('select total_changes() as changes')
  }

  /** Part of a transaction; its commit is the proof. */
  prove(): void {
    const isDue = this.#hasFailed || this.#clock() - this.#provenAt >= PROVEN_FOR_MS
    if (isDue) this.#beat.run(this.#clock())
  }

  begun(): void {
    this.#before = this.#changes()
  }

  /** Returns what to call once the commit is on disk. A commit without changes wrote nothing. */
  committed(): () => void {
    if (this.#changes() === this.#before) return () => undefined
    return () => {
      this.#provenAt = this.#clock()
      this.#hasFailed = false
    }
  }

  failed(): void {
    this.#hasFailed = true
  }

  #changes(): number {
    return Number(this.#total.get()?.['changes'])
  }
}
