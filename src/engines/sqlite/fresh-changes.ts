/**
 * The newest events of the messages that changed last, at hand: a projector that keeps up need not
 * read them from the table. One that has fallen behind does, and meets these again further on.
 */
import type { MessageId } from '../../domain/ids.ts'
import type { EventRow } from './event-tables.ts'

/** More than this many are not kept: whoever is that far behind can as well read. */
const KEPT = 20_000

export class FreshChanges {
  /** In the order of their newest events. */
  readonly #newest = new Map<MessageId, EventRow>()
  /** Every change after this place is here. */
  #since: number

  constructor(tip: number) {
    this.#since = tip
  }

  add(id: MessageId, event: EventRow): void {
    this.#newest.delete(id)
    this.#newest.set(id, event)
    if (this.#newest.size > KEPT) this.take(this.#since, 1)
  }

  /** Up to `limit` of those that changed after `after`, or undefined when not all of them are here. */
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

  /** Forgets all: every change up to `tip` must be read. */
  clear(tip: number): void {
    this.#newest.clear()
    this.#since = tip
  }

  #forget(id: MessageId, [seq]: EventRow): void {
    this.#newest.delete(id)
    this.#since = seq
  }
}
