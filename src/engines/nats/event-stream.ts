/**
 * The events on the broker: one subject a message, and every write names the sequence of the newest
 * event it has seen, so the broker itself refuses whoever came too late.
 */

import type { EventId, MessageId } from '../../domain/ids.ts'
import type { MessageEvent } from '../../domain/message/events.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { ifLast, type JetStream } from './jetstream.ts'
import { persist } from './pause.ts'
import type { Names } from './subjects.ts'
import { decodeKept, encodeKept, has, type KeptEvent, type Past, type Sealed, throughOf } from './wire.ts'

/** Where a message's stream stands: its newest place, and all its events up to there. */
type Head = Readonly<{ seq: number; through: Past }>

export type Written = Readonly<{ kind: 'written'; seq: number } | { kind: 'conflict' } | { kind: 'duplicate' }>

/** As many as a process has at work, and more: forgetting one costs a question. */
const REMEMBERED = 8_192
/** How long a write that was in another's way may take until it can be seen. */
const IN_FLIGHT_MS = 5_000
const NOWHERE: Head = { seq: 0, through: [] }

export class EventStream {
  readonly #js: Pick<JetStream, 'publish' | 'get'>
  readonly #names: Names
  readonly #heads = new Map<MessageId, Head>()

  constructor(js: Pick<JetStream, 'publish' | 'get'>, names: Names) {
    this.#js = js
    this.#names = names
  }

  async newest(id: MessageId): Promise<KeptEvent | undefined> {
    const kept = await this.#js.get(this.#names.log, { last_by_subj: this.#names.event(id) })
    if (kept === undefined) return undefined
    const event = decodeKept(kept)
    this.#remember(id, { seq: event.seq, through: throughOf(event) })
    return event
  }

  /** Undefined when the broker has forgotten it, for its age. */
  async at(seq: number): Promise<KeptEvent | undefined> {
    const kept = await this.#js.get(this.#names.log, { seq })
    return kept && decodeKept(kept)
  }

  async first(newest: KeptEvent): Promise<KeptEvent | undefined> {
    const [oldest] = newest.past
    return oldest === undefined ? newest : this.at(oldest[0])
  }

  /** The first event of a message. */
  async begin(event: MessageEvent, sealed?: Sealed): Promise<Written> {
    const written = await this.#write(event, NOWHERE, sealed)
    return written ?? this.#overtaken(event, NOWHERE)
  }

  async add(event: MessageEvent, seen: number): Promise<Written> {
    const { id } = event.state
    const head = await this.#headAt(id, seen)
    if (head.seq !== seen || has(head.through, event.id)) return refusal(event.id, head)
    const written = await this.#write(event, head)
    return written ?? this.#overtaken(event, head)
  }

  async #write(event: MessageEvent, { seq: seen, through }: Head, sealed?: Sealed): Promise<Written | undefined> {
    const { id } = event.state
    const bytes = encodeKept(event, through, sealed)
    const seq = await this.#js.publish(this.#names.event(id), bytes, ifLast(seen))
    if (seq === undefined) return undefined
    this.#remember(id, { seq, through: throughOf({ past: through, seq, id: event.id }) })
    return { kind: 'written', seq }
  }

  /** Who was faster may still be on the way to the replicas: only what can be seen can be told apart. */
  async #overtaken({ id: eventId, state: { id } }: MessageEvent, seen: Head): Promise<Written> {
    this.#heads.delete(id)
    const moved = await persist(async () => {
      const head = await this.#head(id)
      return head.seq === seen.seq ? undefined : head
    }, IN_FLIGHT_MS)
    if (moved === undefined) throw new Unavailable('another write to this message is under way and does not end')
    return refusal(eventId, moved)
  }

  async #headAt(id: MessageId, seen: number): Promise<Head> {
    const known = this.#heads.get(id)
    return known?.seq === seen ? known : this.#head(id)
  }

  async #head(id: MessageId): Promise<Head> {
    await this.newest(id)
    return this.#heads.get(id) ?? NOWHERE
  }

  #remember(id: MessageId, head: Head): void {
    const known = this.#heads.get(id)
    if (known !== undefined && known.seq > head.seq) return
    this.#heads.delete(id)
    this.#heads.set(id, head)
    if (this.#heads.size > REMEMBERED) for (const oldest of this.#heads.keys()) if (this.#heads.delete(oldest)) break
  }
}

const refusal = (id: EventId, { through }: Head): Written => ({ kind: has(through, id) ? 'duplicate' : 'conflict' })
