/** Messages in the tables: their rows and contents, and all by which they are found and counted. */
import type { DatabaseSync } from 'node:sqlite'
import type { MessageId } from '../../../domain/ids.ts'
import type { Searchable } from '../../../domain/message/message.ts'
import { silentSince, stalledSince } from '../../../domain/message/overdue.ts'
import { isForgotten } from '../../../domain/message/searchable.ts'
import type { MessageState } from '../../../domain/message/state.ts'
import type { Sealer } from '../../../ports/sealer.ts'
import { type MessageTuple, messageIdOf } from '../../shared/codec.ts'
import { MessageBytes } from '../access/usage.ts'
import { DamagedRow } from '../damage.ts'
import { Counts, latenciesOf } from './counts.ts'
import { appendEvents, decodeState, decodeStates, joinEvents, parseEvents, seqOf } from './event-codec.ts'
import type { IdFilters } from './id-filters.ts'
import { type MessageRow, MessageTable, type SealedContent } from './message-table.ts'
import { Names, type ReadNamed } from './names.ts'
import { SearchTerms } from './search-terms.ts'
import { Shapes } from './shapes.ts'
import { handoffsAfter, UsageCounts } from './usage-counts.ts'

/** `events` are encoded, oldest first, and lead to `state`. Content that is not sealed yet is JSON. */
export type NewMessage = Readonly<{
  id: MessageId
  facts: string
  events: readonly string[]
  searchable: Searchable | undefined
  content: string | SealedContent | undefined
  state?: MessageState
}>

export class FiledMessages {
  readonly #sealer: Pick<Sealer, 'seal' | 'open'>
  readonly #table: MessageTable
  readonly #shapes: Shapes
  readonly #counts: Counts
  readonly #usage: UsageCounts
  readonly #names: Names
  readonly #terms: SearchTerms
  readonly #ids: IdFilters
  readonly #bytes: MessageBytes
  #last: number

  constructor(db: DatabaseSync, sealer: Pick<Sealer, 'seal' | 'open'>, ids: IdFilters) {
    this.#sealer = sealer
    this.#ids = ids
    this.#table = new MessageTable(db)
    this.#shapes = new Shapes(db)
    this.#counts = new Counts(db)
    this.#usage = new UsageCounts(db)
    this.#names = new Names(db, (after) => this.#readNamed(after))
    this.#terms = new SearchTerms(db)
    this.#bytes = new MessageBytes(db)
    this.#last = this.#table.last()
  }

  /** Reloads from the tables what is in memory. */
  recall(): void {
    this.#last = this.#table.last()
    const parts = [this.#shapes, this.#counts, this.#usage, this.#names, this.#ids, this.#bytes]
    for (const part of parts) part.recall()
  }

  find(id: MessageId): MessageRow | undefined {
    for (const n of this.#names.find(id)) {
      const row = this.#table.read(n)
      if (row !== undefined && messageIdOf(row.facts) === id) return row
    }
    return undefined
  }

  /** The numbers of messages that may have this name: an id, a key of a recipient, or an id that a provider gave. */
  named(name: string): readonly number[] {
    return this.#names.find(name)
  }

  /** The numbers of messages whose id may begin so. */
  begunWith(prefix: string): readonly number[] {
    return this.#names.findPrefix(prefix)
  }

  read(n: number): MessageRow | undefined {
    return this.#table.read(n)
  }

  /** How long the events of a message are; 0 if there is none. */
  eventBytes(n: number): number {
    return this.#table.eventBytes(n)
  }

  readRange(first: number, last: number): readonly MessageRow[] {
    return this.#table.readRange(first, last)
  }

  /** The content, unless it was destroyed. */
  content(n: number, id: MessageId): Uint8Array | undefined {
    const content = this.#table.content(n)
    if (content === undefined) return undefined
    try {
      return this.#sealer.open(id, content.sealed, content.secret)
    } catch (cause) {
      throw new DamagedRow(`the content of message ${id} is unreadable`, { cause })
    }
  }

  /** Complete once `flush` is called, in the same transaction. */
  add({ id, facts, events, searchable, content, state: known }: NewMessage): number {
    const text = joinEvents(events)
    const state = known ?? decodeState(facts, text)
    const personal = isForgotten(state) ? undefined : searchable
    const stored = personal === undefined ? null : JSON.stringify(personal)
    this.#last += 1
    const n = this.#last
    const columns = this.#toColumns(state)
    const row = { n, seq: lastOf(events), facts, events: text, searchable: stored }
    this.#table.insert(row, state.createdAt, columns)
    this.#counts.add({ ...columns, createdAt: state.createdAt })
    this.#usage.add(state, handoffsAfter(0, text))
    const sealed = typeof content === 'string' ? this.#sealer.seal(id, Buffer.from(content)) : content
    if (sealed !== undefined) this.#table.insertContent(n, sealed)
    this.#bytes.add(n, state.tenantId, bytesOf(row) + (sealed === undefined ? 0 : sealedBytesOf(sealed)))
    this.#names.add(n, namesOf(state, personal))
    this.#ids.add(n, id)
    this.#terms.add(n, state, personal)
    return n
  }

  /** Adds the events that the message does not have yet; false if there are none. Complete once `flush` is called. */
  extend(row: MessageRow, all: readonly string[]): boolean {
    const { n } = row
    const events = all.filter((event) => seqOf(event) > row.seq)
    if (events.length === 0) return false
    const text = appendEvents(row.events, events)
    const [before, after] = decodeStates(row.facts, row.events, events)
    const { createdAt } = after
    const columns = this.#toColumns(after)
    this.#table.update({ ...row, seq: lastOf(events), events: text }, columns)
    this.#bytes.add(n, after.tenantId, Buffer.byteLength(text) - Buffer.byteLength(row.events))
    this.#counts.subtract({ ...this.#toColumns(before), createdAt })
    this.#counts.add({ ...columns, createdAt })
    this.#usage.addHandoffs(after, handoffsAfter(row.seq, text))
    if (before.providerMessageId !== after.providerMessageId) this.#names.add(n, providerNamesOf(after))
    const hasNewError = before.errorCode !== after.errorCode || before.errorDetail !== after.errorDetail
    if (hasNewError) this.#terms.replaceWords(n, after, parseSearchable(row.searchable))
    if (isForgotten(after)) this.forget({ ...row, events: text })
    return true
  }

  /** Writes the counts of what was added, extended and deleted. */
  flush(): void {
    this.#counts.flush()
    this.#usage.flush()
    this.#bytes.flush()
  }

  /** Complete once `flush` is called. */
  destroyContent({ n, facts }: MessageRow): void {
    this.#bytes.add(n, tenantOf(facts), -this.#table.contentBytes(n))
    this.#table.deleteContent(n)
  }

  /** Deletes everything personal; states and times stay. Complete once `flush` is called. */
  forget(row: MessageRow): void {
    const { n, facts, events } = row
    const searchable = parseSearchable(row.searchable)
    if (searchable !== undefined) this.#names.remove(n, recipientNamesOf(searchable))
    this.#terms.forget(n, decodeState(facts, events), searchable)
    this.#bytes.add(n, tenantOf(facts), -Buffer.byteLength(row.searchable ?? ''))
    this.#table.forget(row)
  }

  /** Deletes the message. Its names lead nowhere from now on. Complete once `flush` is called. */
  delete(row: MessageRow): void {
    const { n, facts, events, searchable } = row
    const state = decodeState(facts, events)
    this.#bytes.add(n, state.tenantId, -bytesOf(row) - this.#table.contentBytes(n))
    this.#terms.remove(n, state, parseSearchable(searchable))
    this.#counts.subtract({ ...this.#toColumns(state), createdAt: state.createdAt })
    this.#usage.delete(state, handoffsAfter(0, events))
    this.#table.delete(n)
  }

  /** Deletes the names of messages before this one, where it is cheap. */
  forgetNamesBefore(n: number): void {
    this.#names.removeBefore(n)
  }

  /** Up to `limit` messages after this one, in the order of their numbers. */
  readAfter(n: number, limit: number): readonly MessageRow[] {
    return this.#table.readAfter(n, limit)
  }

  /** Deletes all by which messages are found and counted. */
  clear(): void {
    for (const part of [this.#counts, this.#usage, this.#names, this.#terms, this.#ids, this.#bytes]) part.clear()
  }

  /** Adds again what `clear` has deleted, and corrects the row. Complete once `flush` is called. */
  restore(row: MessageRow): void {
    const { n, facts, events } = row
    const state = decodeState(facts, events)
    if (isForgotten(state) && row.searchable !== null) this.#table.forget(row)
    const kept = isForgotten(state) ? null : row.searchable
    const personal = parseSearchable(kept)
    const columns = this.#toColumns(state)
    this.#bytes.add(n, state.tenantId, bytesOf({ ...row, searchable: kept }) + this.#table.contentBytes(n))
    this.#table.correct(n, parseEvents(events).at(-1)?.[0] ?? 0, state.createdAt, columns)
    this.#counts.add({ ...columns, createdAt: state.createdAt })
    this.#usage.add(state, handoffsAfter(0, events))
    this.#names.add(n, namesOf(state, personal))
    this.#ids.add(n, state.id)
    this.#terms.add(n, state, personal)
  }

  /** Once all messages are restored. */
  removeUnusedShapes(): void {
    this.#shapes.removeUnused()
  }

  isFilingDue(): boolean {
    return this.#names.isDue()
  }

  fileNames(): void {
    this.#names.step()
  }

  *#readNamed(after: number): ReturnType<ReadNamed> {
    for (const { n, facts, events, searchable } of this.#table.iterateAfter(after)) {
      yield { n, names: namesOf(decodeState(facts, events), parseSearchable(searchable)) }
    }
  }

  #toColumns(state: MessageState) {
    return {
      shape: this.#shapes.of(state),
      latencies: latenciesOf(state),
      silentSince: silentSince(state) ?? null,
      stalledSince: stalledSince(state) ?? null,
    }
  }
}

const bytesOf = ({ facts, events, searchable }: Pick<MessageRow, 'facts' | 'events' | 'searchable'>): number =>
  Buffer.byteLength(facts) + Buffer.byteLength(events) + Buffer.byteLength(searchable ?? '')

const sealedBytesOf = ({ secret, sealed }: SealedContent): number => secret.length + sealed.length

const tenantOf = (facts: string): string => (JSON.parse(facts) as MessageTuple)[1]

const lastOf = (events: readonly string[]): number => seqOf(events.at(-1) ?? '')

const parseSearchable = (json: string | null): Searchable | undefined =>
  json === null ? undefined : (JSON.parse(json) as Searchable)

const namesOf = (state: MessageState, searchable: Searchable | undefined): readonly string[] => [
  state.id,
  ...providerNamesOf(state),
  ...(searchable === undefined ? [] : recipientNamesOf(searchable)),
]

const providerNamesOf = ({ providerMessageId: name }: MessageState): readonly string[] =>
  name === undefined ? [] : [name]

const recipientNamesOf = ({ toKey, copyKeys = [] }: Searchable): readonly string[] => [toKey, ...copyKeys]
