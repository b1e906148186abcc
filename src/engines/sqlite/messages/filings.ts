/**
 * The order of the log in the tables. Rows hold the events of one message; this table tells which messages got events
 * with each filing, and up to which position everything was filed by then, so the log can be read in order from any
 * position.
 */
import type { DatabaseSync } from 'node:sqlite'

export const FILING_TABLES = `
  create table filings (
    filing integer primary key,
    -- The newest event in the tables, and its time.
    newest integer not null,
    at integer not null,
    -- All events up to this one are in the tables.
    through integer not null,
    -- The numbers of new messages; those of messages with further events are a JSON array.
    first integer not null,
    last integer not null,
    others text not null
  ) strict;
  create index filings_newest on filings (newest);
  create index filings_at on filings (at);
`

export type Filing = Readonly<{
  newest: number
  at: number
  through: number
  added: NumberRange
  others: readonly number[]
}>
/** Empty if `last` is before `first`. */
export type NumberRange = Readonly<{ first: number; last: number }>

export class Filings {
  readonly #sql: ReturnType<typeof prepare>

  constructor(db: DatabaseSync) {
    this.#sql = prepare(db)
  }

  add({ newest, at, through, added, others }: Filing): void {
    this.#sql.insert.run(newest, at, through, added.first, added.last, JSON.stringify(others))
  }

  /** The newest one. */
  last(): Filing | undefined {
    const row = this.#sql.last.get()
    return row && toFiling(row)
  }

  /** From the first one with events after this position. */
  *after(position: number): Iterable<Filing> {
    for (const row of this.#sql.after.iterate(position)) yield toFiling(row)
  }

  /** The position that everything before this time is in the tables up to. */
  throughBefore(at: number): number {
    return Number(this.#sql.throughBefore.get(at)?.['through'] ?? 0)
  }

  /** Deletes those whose messages all come before this number, and that came before any with others. */
  removeBefore(n: number): void {
    this.#sql.removeBefore.run(n, n, n)
  }
}

function prepare(db: DatabaseSync) {
  return {
    insert: db.prepare('insert into filings (newest, at, through, first, last, others) values (?, ?, ?, ?, ?, ?)'),
    last: db.prepare('select * from filings order by filing desc limit 1'),
    after: db.prepare('select * from filings where newest > ? order by newest, filing'),
    throughBefore: db.prepare('select through from filings where at < ? order by at desc, filing desc limit 1'),
    removeBefore: db.prepare(`
      delete from filings
      where filing < coalesce(
          (select filing from filings where last >= ? order by filing limit 1), (select max(filing) from filings)
        )
        and last < ? and not exists (select 1 from json_each(others) where value >= ?)
    `),
  }
}

const toFiling = (row: Readonly<Record<string, unknown>>): Filing => ({
  newest: Number(row['newest']),
  at: Number(row['at']),
  through: Number(row['through']),
  added: { first: Number(row['first']), last: Number(row['last']) },
  others: JSON.parse(String(row['others'])) as number[],
})
