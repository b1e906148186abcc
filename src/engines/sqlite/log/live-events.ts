/** Passes on every event as soon as it is durable, in the order of the log. Costs nothing while nobody listens. */

import type { MessageEvent } from '../../../domain/message/events.ts'
import type { Entry, Followed, Position, Revision } from '../../../ports/event-log.ts'

type Listener = (followed: Followed) => void

export class LiveEvents {
  readonly #listeners = new Set<Listener>()

  listen(listener: Listener): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  /** `written` events of this entry were appended; the last has this revision. */
  publish({ before, event }: Entry, revision: Revision, written: number): void {
    if (this.#listeners.size === 0) return
    if (before !== undefined && written > 1) this.#pass(before, (revision - 1) as Revision)
    this.#pass(event, revision)
  }

  #pass(event: MessageEvent, revision: Revision): void {
    const followed = { event, revision, position: revision as number as Position, messageId: event.state.id }
    for (const listener of this.#listeners) listener(followed)
  }
}
