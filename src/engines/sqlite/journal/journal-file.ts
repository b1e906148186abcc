/**
 * The file of the journal: a row per frame, in a database of its own, so that writing a frame never waits for the
 * tables. It exists only while a gateway runs, or after one has crashed.
 */
import { randomBytes, randomInt } from 'node:crypto'
import { rmSync, statSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { createPrivate } from '../../../lib/private-file.ts'
import type { OpenFrameSealer } from '../../../ports/sealer.ts'
import { Unavailable } from '../../../ports/unavailable.ts'
import { asDamage, DatabaseDamaged, damaged } from '../damage.ts'
import { asFileFault, BUSY_TIMEOUT_MS } from '../database.ts'

const VERSION = 1
const SECRET_BYTES = 32

/** Commits that are not on disk yet, at most: a frame is synced before the next, but not what is committed beside it. */
export const MOST_UNSYNCED = 4

/** The write-ahead log is moved into the file when it is this long. */
const CHECKPOINT_BYTES = 32 * 1024 * 1024

const SCHEMA = `
  -- The database whose tables the frames belong to.
  create table owner (
    id integer primary key
  ) strict;
  -- The secrets of the frames; see crypto/frame-sealer.ts.
  create table epochs (
    epoch integer primary key,
    secret blob not null
  ) strict;
  create table frames (
    number integer primary key,
    epoch integer not null,
    sealed blob not null
  ) strict;
  pragma user_version = ${VERSION};
`

export const journalPathOf = (database: string): string => database.replace(/(?:\.db)?$/, '-journal.db')

/** All files that SQLite keeps for the journal. */
export const journalFilesOf = (database: string): readonly string[] =>
  ['', '-wal', '-shm'].map((end) => `${journalPathOf(database)}${end}`)

const bytesOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0

export const newOwnerId = (): number => randomInt(1, 2 ** 47)

/** `owner` identifies the database; a journal of another one is refused. Creates the file if it is missing. */
export function openJournalFile(path: string, owner: number): DatabaseSync {
  createPrivate(path)
  let db: DatabaseSync | undefined
  try {
    db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
    // The journal syncs its commits itself, and destroys secrets instead of overwriting frames.
    db.exec('pragma journal_mode = wal; pragma synchronous = normal; pragma secure_delete = off')
    if (isEmpty(db)) db.exec(`begin immediate; ${SCHEMA} insert into owner (id) values (${owner}); commit`)
    assertUsable(db, path, owner)
    return db
  } catch (error) {
    db?.close()
    throw asFileFault(path, error)
  }
}

const isEmpty = (db: DatabaseSync): boolean =>
  db.prepare('select count(*) as count from sqlite_schema').get()?.['count'] === 0

function assertUsable(db: DatabaseSync, path: string, owner: number): void {
  const version = Number(db.prepare('pragma user_version').get()?.['user_version'])
  if (version !== VERSION) throw damaged(path, `it has version ${version}, and this release supports ${VERSION}`)
  if (Number(db.prepare('select id from owner').get()?.['id']) !== owner) {
    throw new DatabaseDamaged(
      `${path} belongs to another database: put the database back that it was written with, or move it away together with the messages it holds`,
    )
  }
}

export function removeJournal(database: string): void {
  for (const path of journalFilesOf(database)) rmSync(path, { force: true })
}

/** A connection for the thread that files the frames. */
export class JournalReader implements Disposable {
  readonly #db: DatabaseSync
  readonly #path: string
  readonly #open: OpenFrameSealer
  readonly #frames
  readonly #secret
  #epoch: Readonly<{ number: number; sealer: ReturnType<OpenFrameSealer> }> | undefined

  constructor(path: string, open: OpenFrameSealer) {
    this.#path = path
    this.#open = open
    this.#db = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
    this.#frames = this.#db.prepare(
      'select number, epoch, sealed from frames where number > ? and number <= ? order by number limit ?',
    )
    this.#secret = this.#db.prepare('select secret from epochs where epoch = ?')
  }

  /** The frames after `after` up to `through`: the number and the text of each. Refuses gaps and unreadable frames. */
  read(after: number, through: number, limit: number): readonly (readonly [number: number, text: string])[] {
    try {
      const rows = this.#frames.all(after, through, limit)
      const isCutOff = rows.length === 0 && through > after
      const found = isCutOff ? [Number.NaN] : rows.map(({ number }) => Number(number))
      const gap = found.findIndex((number, nth) => number !== after + 1 + nth)
      if (gap >= 0) throw damaged(this.#path, `frame ${after + 1 + gap} is missing`)
      return rows.map(({ number, epoch, sealed }) => [
        Number(number),
        this.#text(Number(number), Number(epoch), sealed),
      ])
    } catch (error) {
      throw asDamage(this.#path, error)
    }
  }

  /** The newest frame, or zero. */
  last(): number {
    return Number(this.#db.prepare('select max(number) as number from frames').get()?.['number'] ?? 0)
  }

  /**
   * Moves a long write-ahead log into the file, so that the writer starts it over. The first checkpoint moves nearly
   * all of it and blocks nobody, so the second is short.
   */
  checkpoint(): void {
    if (bytesOf(`${this.#path}-wal`) < CHECKPOINT_BYTES) return
    try {
      this.#db.exec('pragma wal_checkpoint(passive); pragma wal_checkpoint(restart)')
    } catch {
      // For example a full disk: nothing is lost, and the next one tries again.
    }
  }

  /** Removes deleted frames and secrets from the write-ahead log too. */
  truncate(): void {
    this.#db.exec('pragma wal_checkpoint(passive)')
    const isBusy = this.#db.prepare('pragma wal_checkpoint(truncate)').get()?.['busy'] !== 0
    if (isBusy) throw new Unavailable('the write-ahead log of the journal is in use')
  }

  [Symbol.dispose](): void {
    this.#db.close()
  }

  #text(number: number, epoch: number, sealed: unknown): string {
    if (this.#epoch?.number !== epoch) this.#epoch = { number: epoch, sealer: this.#sealerOf(epoch) }
    if (!(sealed instanceof Uint8Array)) throw damaged(this.#path, `frame ${number} is not bytes`)
    try {
      return this.#epoch.sealer.open(number, sealed)
    } catch (cause) {
      throw damaged(this.#path, `frame ${number} is unreadable`, cause)
    }
  }

  #sealerOf(epoch: number): ReturnType<OpenFrameSealer> {
    const secret = this.#secret.get(epoch)?.['secret']
    if (!(secret instanceof Uint8Array)) throw damaged(this.#path, `the secret of epoch ${epoch} is missing`)
    return this.#open(secret)
  }
}

/** The next epoch: its number and its sealer. */
export function beginEpoch(db: DatabaseSync, open: OpenFrameSealer) {
  const secret = randomBytes(SECRET_BYTES)
  const number = Number(db.prepare('select max(epoch) as epoch from epochs').get()?.['epoch'] ?? 0) + 1
  db.prepare('insert into epochs (epoch, secret) values (?, ?)').run(number, secret)
  return { number, sealer: open(secret) }
}
