/** The events that were read from the journal and are not in the tables yet, by message and by position. */
import type { MessageId } from '../../domain/ids.ts'
import { ChurnMap } from '../../lib/churn-map.ts'
import type { FramedEvent } from './journal/frame.ts'

/** The unfiled events of one message, oldest first. */
export type Unfiled = {
  readonly id: MessageId
  /** The frame of the first one. */
  readonly frame: number
  /** When it was read. */
  readonly since: number
  readonly events: FramedEvent[]
  /** The message has ended, so few events will follow. */
  isFinal: boolean
  /** Of a message whose first event is among them; JSON. */
  searchable?: string
  isFiled: boolean
  /** Whether the message has its own webhook; unknown until someone looks. */
  hasCallback?: boolean
}

type Line = Readonly<{ event: FramedEvent; unfiled: Unfiled }>

export class UnfiledEvents {
  readonly #byId = new ChurnMap<MessageId, Unfiled>()
  /** Ended messages, in the order of their ends. */
  #final: Unfiled[] = []
  /** In the order of their positions; those of filed messages are skipped. */
  #lines: Line[] = []

  get(id: MessageId): Unfiled | undefined {
    return this.#byId.get(id)
  }

  add(event: FramedEvent, frame: number, now: number): Unfiled {
    const existing = this.#byId.get(event.messageId)
    const unfiled = existing ?? { id: event.messageId, frame, since: now, events: [], isFinal: false, isFiled: false }
    if (existing === undefined) this.#byId.set(event.messageId, unfiled)
    unfiled.events.push(event)
    this.#lines.push({ event, unfiled })
    if (event.isFinal && !unfiled.isFinal) {
      unfiled.isFinal = true
      this.#final.push(unfiled)
    }
    return unfiled
  }

  /** The message that has waited longest. */
  oldest(): Unfiled | undefined {
    return first(this.#byId.values(), () => true)
  }

  /** The message that has waited longest, except for those. */
  oldestBut(chosen: ReadonlySet<Unfiled>): Unfiled | undefined {
    return first(this.#byId.values(), (unfiled) => !chosen.has(unfiled))
  }

  get finals(): number {
    return this.#final.length
  }

  /** Up to `most` messages: ended ones, and those read at `before` or earlier. */
  choose(most: number, before: number): ReadonlySet<Unfiled> {
    const chosen = new Set(this.#final.slice(0, most))
    for (const unfiled of this.#byId.values()) {
      if (chosen.size >= most || unfiled.since > before) break
      chosen.add(unfiled)
    }
    return chosen
  }

  all(): ReadonlySet<Unfiled> {
    return new Set(this.#byId.values())
  }

  remove(filed: ReadonlySet<Unfiled>): void {
    for (const unfiled of filed) {
      unfiled.isFiled = true
      this.#byId.delete(unfiled.id)
    }
    this.#final = this.#final.filter(({ isFiled }) => !isFiled)
    const kept = this.#lines.findIndex((line) => !line.unfiled.isFiled)
    this.#lines.splice(0, kept < 0 ? this.#lines.length : kept)
  }

  /** Up to `limit` events after a position. */
  after(position: number, limit: number): readonly Line[] {
    const found: Line[] = []
    for (let at = this.#firstAfter(position); at < this.#lines.length && found.length < limit; at += 1) {
      const line = this.#lines[at]
      if (line !== undefined && !line.unfiled.isFiled) found.push(line)
    }
    return found
  }

  #firstAfter(position: number): number {
    let [low, high] = [0, this.#lines.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#lines[middle]?.event.seq ?? 0) <= position) low = middle + 1
      else high = middle
    }
    return low
  }
}

function first<One>(all: Iterable<One>, matches: (one: One) => boolean): One | undefined {
  for (const one of all) if (matches(one)) return one
  return undefined
}
