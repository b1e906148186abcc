/** The newest events in memory, for streams that are only a little behind. */
import type { Followed, Position } from '../../ports/event-log.ts'

const MOST = 1_024

export class RecentEvents {
  readonly #most: number
  #events: Followed[] = []
  /** All events after this position are here. */
  #after: Position | undefined

  constructor(most = MOST) {
    this.#most = most
  }

  get hasBegun(): boolean {
    return this.#after !== undefined
  }

  begin(after: Position): void {
    this.#after = after
  }

  /** In the order of the log. */
  add(events: readonly Followed[]): void {
    this.#events.push(...events)
    // In larger steps: moving what is left costs as much as there is of it.
    if (this.#events.length < 2 * this.#most) return
    const dropped = this.#events.splice(0, this.#events.length - this.#most)
    this.#after = dropped.at(-1)?.position ?? this.#after
  }

  /** Those after a position and up to another; undefined if some of them are not here any more. */
  between(after: Position, through: Position): readonly Followed[] | undefined {
    if (this.#after === undefined || after < this.#after) return undefined
    return this.#events.filter(({ position }) => position > after && position <= through)
  }
}
