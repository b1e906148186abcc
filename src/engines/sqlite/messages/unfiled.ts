/** The events that were read from the journal and are not in the tables yet, by message and by position. */
import type { MessageId, TenantId } from '../../../domain/ids.ts'
import type { Content, Searchable } from '../../../domain/message/message.ts'
import type { MessageState } from '../../../domain/message/state.ts'
import { ChurnMap } from '../../../lib/churn-map.ts'
import type { MessageTuple } from '../../shared/codec.ts'
import type { FramedEvent } from '../journal/framed-event.ts'
import { type Changes, StateFields } from './state-changes.ts'

/** The unfiled events of one message. */
export class Unfiled {
  readonly id: MessageId
  /** The frame of the first one, and when it was read. */
  readonly frame: number
  readonly since: number
  /** Encoded, oldest first; the positions and times of the first and the last. */
  readonly events: string[] = []
  readonly first: number
  readonly firstAt: number
  last = 0
  at = 0
  /** The message has ended, so few events will follow. */
  isFinal = false
  /** Being filed, and filed. */
  isChosen = false
  isFiled = false
  /** Of a new message, as text: what is decoded now would outlive its generation in V8's heap. */
  facts: string | undefined = undefined
  content: string | undefined = undefined
  #gist: string | undefined = undefined
  readonly #changes: string[] = []
  readonly #times: number[] = []
  /** Whether the message has its own webhook; undefined until someone looks. */
  hasCallback: boolean | undefined = undefined
  owesReceipt = false

  constructor(first: FramedEvent, frame: number, now: number) {
    this.id = first.messageId
    this.frame = frame
    this.since = now
    this.first = first.seq
    this.firstAt = first.at
  }

  add(framed: FramedEvent): void {
    const { seq, at, event, changes, isFinal, hasCallback, owesReceipt, facts, content, gist = content } = framed
    this.events.push(event)
    this.#changes.push(changes)
    this.#times.push(at)
    this.last = seq
    this.at = at
    this.isFinal ||= isFinal
    this.owesReceipt ||= owesReceipt
    if (hasCallback !== undefined) this.hasCallback = hasCallback
    if (facts === undefined) return
    this.facts = facts
    this.content = content
    this.#gist = gist
  }

  /** The state of a new message, and what the index stores of its content. */
  decode(toSearchable: ToSearchable): Decoded | undefined {
    if (this.facts === undefined) return undefined
    const fields = new StateFields()
    for (const [index, changes] of this.#changes.entries()) {
      fields.apply(this.#times[index] ?? 0, JSON.parse(changes) as Changes)
    }
    const state = fields.toState(JSON.parse(this.facts) as MessageTuple)
    if (this.#gist === undefined) return { state, searchable: undefined }
    return { state, searchable: toSearchable(JSON.parse(this.#gist) as Content, state.tenantId) }
  }
}

export type ToSearchable = (content: Content, tenantId: TenantId) => Searchable
type Decoded = Readonly<{ state: MessageState; searchable: Searchable | undefined }>

export class UnfiledEvents {
  readonly #byId = new ChurnMap<MessageId, Unfiled>()
  /** In the order of their first events. Filed ones are skipped, and dropped with those before them. */
  #all: Unfiled[] = []
  /** Ended messages, in the order of their ends. */
  #final: Unfiled[] = []
  /** The positions of all events, and their messages. */
  readonly #positions: number[] = []
  readonly #owners: Unfiled[] = []

  get(id: MessageId): Unfiled | undefined {
    return this.#byId.get(id)
  }

  add(event: FramedEvent, frame: number, now: number): Unfiled {
    const unfiled = this.#byId.get(event.messageId) ?? this.#begin(event, frame, now)
    const wasFinal = unfiled.isFinal
    unfiled.add(event)
    this.#positions.push(event.seq)
    this.#owners.push(unfiled)
    if (unfiled.isFinal && !wasFinal) this.#final.push(unfiled)
    return unfiled
  }

  #begin(event: FramedEvent, frame: number, now: number): Unfiled {
    const unfiled = new Unfiled(event, frame, now)
    this.#byId.set(unfiled.id, unfiled)
    this.#all.push(unfiled)
    return unfiled
  }

  get finals(): number {
    return this.#final.length
  }

  /** The message that has waited longest and is not chosen. */
  oldest(): Unfiled | undefined {
    return this.#all.find(({ isChosen, isFiled }) => !isChosen && !isFiled)
  }

  /** Chooses up to `most` messages: ended ones, and those read at `before` or earlier. */
  choose(most: number, before: number): readonly Unfiled[] {
    const chosen = this.#final.slice(0, most)
    for (const unfiled of chosen) unfiled.isChosen = true
    for (const unfiled of this.#all) {
      if (chosen.length >= most || unfiled.since > before) break
      if (unfiled.isChosen || unfiled.isFiled) continue
      unfiled.isChosen = true
      chosen.push(unfiled)
    }
    return chosen
  }

  /** Chooses up to `most` messages, those that have waited longest first. */
  chooseOldest(most = Number.POSITIVE_INFINITY): readonly Unfiled[] {
    const chosen: Unfiled[] = []
    for (const unfiled of this.#all) {
      if (chosen.length >= most) break
      if (unfiled.isFiled) continue
      unfiled.isChosen = true
      chosen.push(unfiled)
    }
    return chosen
  }

  /** The chosen ones were not filed. */
  release(): void {
    for (const unfiled of this.#all) unfiled.isChosen = false
  }

  remove(filed: readonly Unfiled[]): void {
    for (const unfiled of filed) {
      unfiled.isFiled = true
      this.#byId.delete(unfiled.id)
    }
    this.#final = this.#final.filter(({ isFiled }) => !isFiled)
    this.#all = this.#all.slice(countFiled(this.#all))
    const events = countFiled(this.#owners)
    this.#positions.splice(0, events)
    this.#owners.splice(0, events)
  }

  /** Those that are not filed. */
  all(): readonly Unfiled[] {
    return this.#all.filter(({ isFiled }) => !isFiled)
  }

  /** Up to `limit` events after a position: their positions and messages. */
  after(position: number, limit: number): readonly (readonly [seq: number, unfiled: Unfiled])[] {
    const found: [number, Unfiled][] = []
    for (let at = this.#firstAfter(position); at < this.#owners.length && found.length < limit; at += 1) {
      const [seq, unfiled] = [this.#positions[at], this.#owners[at]]
      if (seq !== undefined && unfiled?.isFiled === false) found.push([seq, unfiled])
    }
    return found
  }

  #firstAfter(position: number): number {
    let [low, high] = [0, this.#positions.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#positions[middle] ?? 0) <= position) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** How many of the first ones are filed. */
function countFiled(all: readonly Unfiled[]): number {
  const kept = all.findIndex(({ isFiled }) => !isFiled)
  return kept < 0 ? all.length : kept
}
