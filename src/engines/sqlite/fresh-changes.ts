/**
 * The newest events of recently changed messages, in memory: a projector that keeps up need not read them from the
 * table. One that has fallen behind reads the table until it catches up.
 */
import type { MessageId } from '../../domain/ids.ts'
import type { EventRow } from './event-tables.ts'

/** More are not kept: a reader this far behind can read the table. */
const KEPT = 20_000

export class FreshChanges {
  /** In the order of their newest events. */
  readonly #newest = new Map<MessageId, EventRow>()
  /** Every change after this position is here. */
  #since: number

  constructor(tip: number) {
    this.#since = tip
  }

  add(id: MessageId, event: EventRow): void {
    this.#newest.delete(id)
    this.#newest.set(id, event)
    if (this.#newest.size > KEPT) this.take(this.#since, 1)
  }

  /** Up to `limit` of the messages that changed after `after`; undefined if not all of them are here. */
  take(after: number, limit: number): readonly (readonly [MessageId, EventRow])[] | undefined {
    if (after < this.#since) return undefined
    const taken: (readonly [MessageId, EventRow])[] = []
    for (const [id, event] of this.#newest) {
      if (taken.length === limit) break
      if (event[0] > after) taken.push([id, event])
      this.#forget(id, event)
    }
    return taken
  }

  /** Drops everything: changes up to `tip` must be read from the table. */
  clear(tip: number): void {
    this.#newest.clear()
    this.#since = tip
  }

  #forget(id: MessageId, [seq]: EventRow): void {
    this.#newest.delete(id)
    this.#since = seq
  }
}
