/** The number of each message in this file. */
import type { DatabaseSync } from 'node:sqlite'
import type { MessageId } from '../../domain/ids.ts'
import { LateIndex } from './late-index.ts'
import { toBytes, toUuid } from './uuid.ts'

/** The row of `progress` for the filing of ids. */
export const NUMBERED = 'ids'

export class MessageNumbers {
  readonly #db: DatabaseSync
  readonly #sql: ReturnType<typeof prepare>
  readonly #recent = new Map<MessageId, number>()
  #filing: LateIndex
  #last = 0

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#sql = prepare(db)
    this.#filing = this.recall()
  }

  /** Reloads the cached state from the tables. */
  recall(): LateIndex {
    this.#filing = new LateIndex(this.#db, {
      name: NUMBERED,
      unfiled: 'select n, lower(hex(id)) as key from messages where n > ? order by n',
      file: 'insert or ignore into message_ids (n, id) values (?, unhex(?))',
    })
    this.#recent.clear()
    for (const [n, hex] of this.#filing.entries()) this.#recent.set(toUuid(hex), n)
    this.#last = Number(this.#sql.last.get()?.['n'] ?? 0)
    return this.#filing
  }

  find(id: MessageId): number | undefined {
    const n = this.#recent.get(id) ?? this.#sql.find.get(toBytes(id))?.['n']
    return n === undefined ? undefined : Number(n)
  }

  /** Assigns a number to a new message; `facts` are its immutable fields. */
  add(id: MessageId, facts: string | null): number {
    const bytes = toBytes(id)
    this.#last += 1
    this.#sql.insert.run(this.#last, bytes, facts)
    this.#recent.set(id, this.#last)
    this.#filing.add(this.#last, bytes.toString('hex'))
    return this.#last
  }

  /** The immutable fields of a message. */
  factsOf(n: number): string {
    return String(this.#sql.facts.get(n)?.['facts'])
  }

  isFilingDue(): boolean {
    return this.#filing.isDue()
  }

  file(): void {
    for (const hex of this.#filing.file()) this.#recent.delete(toUuid(hex))
  }
}

function prepare(db: DatabaseSync) {
  return {
    last: db.prepare('select max(n) as n from messages'),
    find: db.prepare('select n from message_ids where id = ?'),
    insert: db.prepare('insert into messages (n, id, facts) values (?, ?, ?)'),
    facts: db.prepare('select facts from messages where n = ?'),
  }
}
