/**
 * Repairs an index of recipients that earlier schema versions could leave incomplete. The migration stores up to which
 * number a file may be affected; this walks down from there in small steps and adds what is missing. A checked or new
 * file has no such entry and costs nothing.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

/** The row of `progress` with the highest number that is still to be checked. */
export const UNCHECKED = 'recipients_unchecked'

/** Rows checked in one transaction, which takes a few milliseconds: the longest a write waits for it. */
const STEP = 256

export class RecipientCheck {
  readonly #read: StatementSync
  readonly #addMissing: StatementSync
  readonly #advance: StatementSync
  readonly #finish: StatementSync
  #through = 0

  constructor(db: DatabaseSync) {
    this.#read = db.prepare(`select position from progress where name = '${UNCHECKED}'`)
    this.#addMissing = db.prepare(`
      insert or ignore into listing_to (to_key, n)
      select to_key, n from listing where n > ? and n <= ? and to_key is not null
    `)
    this.#advance = db.prepare(`update progress set position = ? where name = '${UNCHECKED}'`)
    this.#finish = db.prepare(`delete from progress where name = '${UNCHECKED}'`)
    this.recall()
  }

  /** Reloads the cached state from the tables. */
  recall(): void {
    this.#through = Number(this.#read.get()?.['position'] ?? 0)
  }

  isDue(): boolean {
    return this.#through > 0
  }

  step(): void {
    const next = Math.max(this.#through - STEP, 0)
    this.#addMissing.run(next, this.#through)
    if (next === 0) this.#finish.run()
    else this.#advance.run(next)
    this.#through = next
  }
}
