/** The filter of all message ids (log/id-filter.ts) in a table, so that a start need not read every message. */
import type { DatabaseSync } from 'node:sqlite'
import type { MessageId } from '../../../domain/ids.ts'
import { messageIdOf } from '../../shared/codec.ts'
import { CHAPTER_IDS, IdFilter, type IdFilterParts } from '../log/id-filter.ts'

export const ID_FILTER_TABLES = `
  -- The ids of the messages up to \`last\`, from the row before on.
  create table id_filters (
    last integer primary key,
    bits blob not null
  ) strict;
`

export class IdFilters {
  readonly #sql: ReturnType<typeof prepare>
  /** The ids after the newest row. A message that was rolled back does no harm here. */
  #newest = new IdFilter()
  #count = 0
  /** The newest row. */
  #last = 0

  constructor(db: DatabaseSync) {
    this.#sql = prepare(db)
    this.#load()
  }

  /** A transaction was rolled back, and a row with it if it wrote one. */
  recall(): void {
    if (this.#readLast() !== this.#last) this.#load()
  }

  /** Deletes the rows. What is in memory does no harm. */
  clear(): void {
    this.#sql.clear.run()
    this.#last = 0
  }

  /** In a transaction, with the message. */
  add(n: number, id: MessageId): void {
    this.#newest.add(id)
    this.#count += 1
    if (this.#count < CHAPTER_IDS) return
    const [bits] = this.#newest.parts.chapters
    if (bits !== undefined) this.#sql.insert.run(n, new Uint8Array(bits.buffer))
    this.#newest = new IdFilter()
    this.#count = 0
    this.#last = n
  }

  /** Deletes those of messages that all come before this one. */
  removeBefore(n: number): void {
    this.#sql.removeBefore.run(n)
  }

  get parts(): IdFilterParts {
    const stored = this.#sql.all.all().map(({ bits }) => toWords(bits))
    const { chapters, count } = this.#newest.parts
    return { chapters: [...stored, ...chapters], count }
  }

  #load(): void {
    this.#newest = new IdFilter()
    this.#count = 0
    this.#last = this.#readLast()
    for (const { n, facts } of this.#sql.after.iterate(this.#last)) this.add(Number(n), messageIdOf(String(facts)))
  }

  #readLast(): number {
    return Number(this.#sql.last.get()?.['last'])
  }
}

const toWords = (bits: unknown): Uint32Array => new Uint32Array(new Uint8Array(bits as Uint8Array).buffer)

function prepare(db: DatabaseSync) {
  return {
    all: db.prepare('select bits from id_filters order by last'),
    last: db.prepare('select coalesce(max(last), 0) as last from id_filters'),
    after: db.prepare('select n, facts from messages where n > ? order by n'),
    insert: db.prepare('insert into id_filters (last, bits) values (?, ?)'),
    removeBefore: db.prepare('delete from id_filters where last < ?'),
    clear: db.prepare('delete from id_filters'),
  }
}
