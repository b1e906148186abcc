/**
 * What messages add to the usage of their accounts (domain/message/usage.ts). Counted in the transaction that files their
 * events, and kept apart once a message is deleted: a rebuild counts the stored ones again and leaves the others.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { MessageState } from '../../../domain/message/state.ts'
import { type Day, dayOf, type Handoff } from '../../../domain/message/usage.ts'
import type { Instant } from '../../../lib/time.ts'
import { parseEvents } from './event-codec.ts'

export const USAGE_RECORD_TABLES = `
  create table usage_records (
    tenant text not null,
    -- Days since the epoch, in UTC.
    day integer not null,
    account text not null,
    channel text not null,
    -- Empty if there is none.
    country text not null,
    provider text not null,
    -- Whether a provider took the messages; otherwise they were accepted.
    sent integer not null,
    -- Of messages that are stored, and of those that were deleted.
    messages integer not null,
    segments integer not null,
    deleted_messages integer not null,
    deleted_segments integer not null,
    primary key (tenant, day, account, channel, country, provider, sent)
  ) strict, without rowid;
`

type Key = readonly [
  tenant: string,
  day: Day,
  account: string,
  channel: string,
  country: string,
  provider: string,
  sent: 0 | 1,
]
type Change = { messages: number; segments: number; deletedMessages: number; deletedSegments: number }

export class UsageCounts {
  readonly #sql: ReturnType<typeof prepare>
  readonly #changes = new Map<string, Readonly<{ key: Key; change: Change }>>()

  constructor(db: DatabaseSync) {
    this.#sql = prepare(db)
  }

  /** A message with its hand-offs so far. Complete once `flush` is called. */
  add(state: MessageState, handoffs: readonly Handoff[]): void {
    this.#count(state, acceptedKey(state), 1)
    this.addHandoffs(state, handoffs)
  }

  addHandoffs(state: MessageState, handoffs: readonly Handoff[]): void {
    for (const handoff of handoffs) this.#count(state, sentKey(state, handoff), 1)
  }

  /** Moves what it has added to what is kept of deleted messages. */
  delete(state: MessageState, handoffs: readonly Handoff[]): void {
    const keys = [acceptedKey(state), ...handoffs.map((handoff) => sentKey(state, handoff))]
    for (const key of keys) {
      const change = this.#count(state, key, -1)
      change.deletedMessages += 1
      change.deletedSegments += state.segments
    }
  }

  /** In the transaction of these changes. */
  flush(): void {
    for (const { key, change } of this.#changes.values()) {
      this.#sql.add.run(...key, change.messages, change.segments, change.deletedMessages, change.deletedSegments)
    }
    this.#changes.clear()
  }

  /** The transaction was rolled back. */
  recall(): void {
    this.#changes.clear()
  }

  /** All stored messages will be added again. */
  clear(): void {
    this.#changes.clear()
    this.#sql.clear.run()
  }

  #count({ segments }: MessageState, key: Key, by: 1 | -1): Change {
    const name = JSON.stringify(key)
    const known = this.#changes.get(name)
    const change = known?.change ?? { messages: 0, segments: 0, deletedMessages: 0, deletedSegments: 0 }
    if (known === undefined) this.#changes.set(name, { key, change })
    change.messages += by
    change.segments += by * segments
    return change
  }
}

const acceptedKey = (state: MessageState): Key => toKey(state, state.createdAt, '', 0)

const sentKey = (state: MessageState, { at, provider }: Handoff): Key => toKey(state, at, provider ?? '', 1)

/** SQLite stores well-formed text only. */
const toKey = (state: MessageState, at: Instant, provider: string, sent: 0 | 1): Key => [
  state.tenantId,
  dayOf(at),
  state.accountId.toWellFormed(),
  state.channel,
  state.country ?? '',
  provider,
  sent,
]

/** In a text of another field its quotes would be escaped. */
const HANDED_OFF = '"kind":"HandoffAccepted"'

/** The hand-offs among the events of a message that came after a position. Most texts need not be parsed. */
export function handoffsAfter(seq: number, events: string): readonly Handoff[] {
  if (!events.includes(HANDED_OFF)) return []
  const all = parseEvents(events)
  const attempted = new Map(
    all.flatMap(([, , , attempt, , , , fact]) =>
      fact.kind === 'HandoffAttempted' ? [[attempt, fact.provider] as const] : [],
    ),
  )
  return all.flatMap(([position, , , attempt, at, , , fact]) => {
    if (fact.kind !== 'HandoffAccepted' || position <= seq) return []
    const provider = attempted.get(attempt)
    return [{ attempt, at, ...(provider && { provider }) }]
  })
}

const prepare = (db: DatabaseSync) => ({
  add: db.prepare(`
    insert into usage_records (tenant, day, account, channel, country, provider, sent,
      messages, segments, deleted_messages, deleted_segments)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    on conflict do update set messages = messages + excluded.messages, segments = segments + excluded.segments,
      deleted_messages = deleted_messages + excluded.deleted_messages,
      deleted_segments = deleted_segments + excluded.deleted_segments
  `),
  clear: db.prepare('update usage_records set messages = 0, segments = 0'),
})
