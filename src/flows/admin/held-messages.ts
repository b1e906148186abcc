/**
 * Messages that wait to be written to the index: until they have ended or for a moment, so that most of them are written
 * once.
 */
import type { MessageId } from '../../domain/ids.ts'
import type { Searchable } from '../../domain/message/message.ts'
import { isHandoffOver, isProviderOver } from '../../domain/message/states.ts'
import type { Followed, Position } from '../../ports/event-log.ts'

/** `events` are oldest first, and at least one. */
export type Held = Readonly<{ events: Followed[]; since: number }> & { searchable?: Searchable; contentBytes?: number }

export class HeldMessages {
  readonly #holdMs: number
  /** In the order of their first events. */
  readonly #held = new Map<MessageId, Held>()
  readonly #ended = new Set<MessageId>()

  constructor(holdMs: number) {
    this.#holdMs = holdMs
  }

  get size(): number {
    return this.#held.size
  }

  /** How many of them need not wait. */
  get ended(): number {
    return this.#ended.size
  }

  /** Everything up to here is written, if everything up to `through` was added. */
  writtenThrough(through: Position): Position {
    const [oldest] = this.#held.values()
    const first = oldest?.events[0]?.position
    return first === undefined ? through : ((first - 1) as Position)
  }

  add(events: readonly Followed[], now: number): void {
    const changed = new Set<MessageId>()
    for (const followed of events) {
      const { messageId, searchable, contentBytes } = followed
      const held = this.#held.get(messageId) ?? { events: [], since: now }
      held.events.push(followed)
      if (searchable !== undefined) held.searchable = searchable
      if (contentBytes !== undefined) held.contentBytes = contentBytes
      this.#held.set(messageId, held)
      changed.add(messageId)
    }
    for (const id of changed) if (hasEnded(this.#held.get(id))) this.#ended.add(id)
  }

  /** Removes those that need not wait any longer: the ones that have ended, and the ones that have waited. */
  take(now: number): readonly Held[] {
    const due = [...this.#ended]
    for (const [id, { since }] of this.#held) {
      if (since + this.#holdMs > now) break
      if (!this.#ended.has(id)) due.push(id)
    }
    return due.flatMap((id) => this.#remove(id))
  }

  #remove(id: MessageId): readonly Held[] {
    const held = this.#held.get(id)
    this.#held.delete(id)
    this.#ended.delete(id)
    return held === undefined ? [] : [held]
  }
}

/** More may still happen to it, but hardly ever does. */
function hasEnded(held: Held | undefined): boolean {
  const state = held?.events.at(-1)?.event.state
  return (
    state !== undefined &&
    (state.handoffState === 'failed' || (isHandoffOver(state.handoffState) && isProviderOver(state.providerState)))
  )
}
