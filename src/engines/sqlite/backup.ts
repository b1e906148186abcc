/**
 * A backup is a complete database: all tables as they were at one moment, compacted, in one file without a write-ahead
 * log. The table `backup`, which a database in use does not have, describes the backup itself.
 */
import { statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { type Instant, instant } from '../../lib/time.ts'
import { asDamage, DamagedRow, resultCodeOf } from './damage.ts'
import { BUSY_TIMEOUT_MS } from './database.ts'
import { carryFrames, readFrames } from './journal/carried-frames.ts'
import { forgetJournal } from './journal/journal-opening.ts'
import { toMessageRow } from './messages/message-table.ts'
import { NewerSchema, SCHEMA_VERSION } from './schema.ts'

/** Secrets by file name. */
export type BackupKeys = Readonly<Record<string, string>>
export type BackupNote = Readonly<{ madeAt: Instant; keys: BackupKeys }>

export type Backup = Readonly<{
  schema: number
  messages: number
  events: number
  /** Messages that are waiting to be sent, or for the outcome of an attempt. */
  waiting: number
  bytes: number
  /** Identifies the master key that everything in it is sealed with. */
  mark: string | undefined
  /** Missing where the file is a plain copy of a database. */
  madeAt: Instant | undefined
  keys: BackupKeys
}>

/** The file cannot be restored. */
export class UnusableBackup extends Error {
  override readonly name = 'UnusableBackup'
  readonly exitCode = 78
}

/** Others may write meanwhile. `target` must be an empty file. The result is not synced to disk. */
export function copyDatabase(path: string, target: string, note: BackupNote): void {
  // Read first: what is filed meanwhile is then in both, and never in neither.
  const frames = readFrames(path)
  try {
    using source = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS })
    source.prepare('vacuum into ?').run(target)
  } catch (error) {
    throw asDamage(path, error)
  }
  using db = openDraft(target)
  carryFrames(db, frames)
  forgetJournal(db)
  writeNote(db, note)
}

function writeNote(db: DatabaseSync, { madeAt, keys }: BackupNote): void {
  db.exec('drop table if exists backup; create table backup (name text primary key, value text not null) strict')
  const insert = db.prepare('insert into backup (name, value) values (?, ?)')
  for (const [name, value] of Object.entries({ ...keys, [MADE_AT]: String(madeAt) })) insert.run(name, value)
}

const MADE_AT = 'made_at'

/** A database in use must not hold keys: every later backup would contain them too. */
export function dropNote(path: string): void {
  using db = openDraft(path)
  db.exec('drop table if exists backup')
}

/** A draft can be recreated, so it needs no journal, which would also hold the keys for a while. */
function openDraft(path: string): DatabaseSync {
  const db = new DatabaseSync(path)
  db.exec('pragma journal_mode = off; pragma synchronous = off; pragma secure_delete = on')
  return db
}

/** Reads the whole file and checks that it is a sound database of a supported version. Errors refer to it as `name`. */
export function readBackup(path: string, name = path): Backup {
  const bytes = statSync(path).size
  if (bytes === 0) throw unusable(name, 'it is empty')
  try {
    using db = new DatabaseSync(path, { readOnly: true })
    const schema = Number(db.prepare('pragma user_version').get()?.['user_version'])
    if (schema > SCHEMA_VERSION) throw newer(name, schema)
    const finding = String(db.prepare('pragma integrity_check(1)').get()?.['integrity_check'])
    if (finding !== 'ok') throw unusable(name, finding)
    if (schema < 1 || !hasTable(db, 'identity')) throw unusable(name, 'it is not a database of Pombo')
    assertRowsSound(db)
    return { schema, bytes, ...count(db), mark: markOf(db), ...noteIn(db) }
  } catch (error) {
    const isDamaged = error instanceof DamagedRow || (error instanceof Error && resultCodeOf(error) !== 0)
    throw isDamaged ? unusable(name, error.message, error) : error
  }
}

/** The structure of the file says nothing about the text in its rows. */
function assertRowsSound(db: DatabaseSync): void {
  if (!hasTable(db, 'filings')) return
  const rows = db.prepare('select n, seq, facts, events, searchable, checksum from messages')
  for (const row of rows.iterate()) toMessageRow(row)
}

const unusable = (path: string, finding: string, cause?: unknown): UnusableBackup =>
  new UnusableBackup(`${path} cannot be used as a backup (${finding.replaceAll(/\s+/g, ' ')}): take another one`, {
    cause,
  })

const newer = (path: string, schema: number): NewerSchema =>
  new NewerSchema(
    `${path} was written by a newer release (schema ${schema}; this release supports ${SCHEMA_VERSION}): restore it with that release`,
  )

const hasTable = (db: DatabaseSync, name: string): boolean =>
  db.prepare(`select 1 from sqlite_schema where type = 'table' and name = ?`).get(name) !== undefined

/** An older backup is taken over when it is opened; until then its messages are in the tables of its time. */
function count(db: DatabaseSync): Pick<Backup, 'messages' | 'events' | 'waiting'> {
  const [messages, events, waiting] = hasTable(db, 'filings') ? COUNTS : EARLIER_COUNTS
  const read = (sql: string): number => Number(db.prepare(sql).get()?.['count'])
  return { messages: read(messages), events: read(events), waiting: read(waiting) }
}

const COUNTS = [
  'select count(*) as count from messages',
  'select coalesce(sum(json_array_length(events)), 0) as count from messages',
  'select count(*) as count from messages where stalled_since is not null',
] as const

const EARLIER_COUNTS = [
  'select count(*) as count from messages where facts is not null',
  'select count(*) as count from events',
  'select count(*) as count from listing where stalled_since is not null',
] as const

function markOf(db: DatabaseSync): string | undefined {
  const mark = db.prepare('select mark from identity').get()?.['mark']
  return typeof mark === 'string' ? mark : undefined
}

function noteIn(db: DatabaseSync): Pick<Backup, 'madeAt' | 'keys'> {
  if (!hasTable(db, 'backup')) return { madeAt: undefined, keys: {} }
  const rows = db.prepare('select name, value from backup').all()
  const { [MADE_AT]: madeAt, ...keys } = Object.fromEntries(rows.map((row) => [row['name'], String(row['value'])]))
  return { madeAt: madeAt === undefined ? undefined : instant(Number(madeAt)), keys }
}
