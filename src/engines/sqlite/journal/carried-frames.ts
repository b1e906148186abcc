/**
 * The frames that a backup carries: what the journal held and the tables did not when it was made. Opening the restored
 * database puts them back into a journal.
 */
import { existsSync } from 'node:fs'
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite'
import { asDamage } from '../damage.ts'
import { BUSY_TIMEOUT_MS } from '../database.ts'
import { journalPathOf, openJournalFile } from './journal-file.ts'

type Rows = readonly Record<string, SQLOutputValue>[]
export type CarriedFrames = Readonly<{ epochs: Rows; frames: Rows }>

const NONE: CarriedFrames = { epochs: [], frames: [] }

/** Reads the journal of a database. A gateway may be writing it. */
export function readFrames(database: string): CarriedFrames {
  const path = journalPathOf(database)
  if (!existsSync(path)) return NONE
  try {
    using db = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
    // One snapshot: a frame without its epoch would be unreadable.
    db.exec('begin')
    return {
      epochs: db.prepare('select epoch, secret from epochs').all(),
      frames: db.prepare('select number, epoch, sealed from frames order by number').all(),
    }
  } catch (error) {
    throw asDamage(path, error)
  }
}

/** Adds the frames that are not filed in the tables of a backup. */
export function carryFrames(backup: DatabaseSync, { epochs, frames }: CarriedFrames): void {
  const filed = backup.prepare(`select position from progress where name = 'journal'`).get()?.['position'] ?? 0
  const unfiled = frames.filter(({ number }) => Number(number) > Number(filed))
  if (unfiled.length === 0) return
  backup.exec(`
    create table carried_epochs (epoch integer primary key, secret blob not null) strict;
    create table carried_frames (number integer primary key, epoch integer not null, sealed blob not null) strict;
  `)
  insertAll(backup, 'carried_epochs', epochs)
  insertAll(backup, 'carried_frames', unfiled)
}

/** Moves carried frames into the journal. A crash in between repeats it. */
export function restoreFrames(db: DatabaseSync, database: string, owner: number): void {
  if (db.prepare(`select 1 from sqlite_schema where name = 'carried_frames'`).get() === undefined) return
  using journal = openJournalFile(journalPathOf(database), owner)
  journal.exec('begin immediate')
  insertAll(journal, 'epochs', db.prepare('select * from carried_epochs').all())
  insertAll(journal, 'frames', db.prepare('select * from carried_frames').all())
  journal.exec('commit; pragma wal_checkpoint(truncate)')
  db.exec('begin immediate; drop table carried_frames; drop table carried_epochs; commit')
}

function insertAll(db: DatabaseSync, table: string, rows: Rows): void {
  for (const row of rows) {
    const columns = Object.keys(row)
    const places = columns.map(() => '?').join(', ')
    db.prepare(`insert or ignore into ${table} (${columns.join(', ')}) values (${places})`).run(...Object.values(row))
  }
}
