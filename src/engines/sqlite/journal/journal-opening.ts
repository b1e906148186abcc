/**
 * Whether the database has a journal. It is set while a gateway runs: a journal that is missing then was lost, and with
 * it messages that were accepted.
 */
import { existsSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { DatabaseDamaged } from '../damage.ts'
import { checkWal } from '../wal-check.ts'
import { restoreFrames } from './carried-frames.ts'
import { journalPathOf, MOST_UNSYNCED, newOwnerId, openJournalFile } from './journal-file.ts'

const OWNER = 'journal_owner'
const OPEN = 'journal_open'

export class JournalOpening {
  readonly #db: DatabaseSync
  /** Identifies this database in its journal. */
  readonly owner: number

  constructor(db: DatabaseSync, database: string) {
    this.#db = db
    const path = journalPathOf(database)
    if (this.#get(OPEN) === 1 && !existsSync(path)) {
      throw new DatabaseDamaged(
        `${path} is missing and was in use: it holds the newest messages. Put it back, or restore a backup with \`pombo restore --force\``,
      )
    }
    if (existsSync(`${path}-wal`)) checkWal(path, MOST_UNSYNCED)
    // On disk before a journal has it: after a power cut that journal would belong to another database.
    this.owner = this.#get(OWNER) ?? this.#newOwner()
    restoreFrames(db, database, this.owner)
    openJournalFile(path, this.owner).close()
    this.#set(OPEN, 1)
  }

  #newOwner(): number {
    const owner = newOwnerId()
    this.#set(OWNER, owner)
    return owner
  }

  /** Everything is filed: the journal may be removed. */
  close(): void {
    this.#set(OPEN, 0)
  }

  #get(name: string): number | undefined {
    const position = this.#db.prepare('select position from progress where name = ?').get(name)?.['position']
    return position === undefined ? undefined : Number(position)
  }

  #set(name: string, position: number): void {
    this.#db
      .prepare(
        'insert into progress (name, position) values (?, ?) on conflict (name) do update set position = excluded.position',
      )
      .run(name, position)
  }
}

/** A backup has no journal beside it. */
export const forgetJournal = (db: DatabaseSync): void =>
  db.exec(`update progress set position = 0 where name = '${OPEN}'`)
