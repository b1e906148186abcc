/**
 * The journal: what was decided within a moment is one frame, and is on disk before any of it takes effect. After a
 * pause a frame is written at once; lines that arrive soon after it share the next one.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { OpenFrameSealer } from '../../../ports/sealer.ts'
import { Unavailable } from '../../../ports/unavailable.ts'
import { asDamage, DatabaseDamaged } from '../damage.ts'
import { WalSync } from '../wal-sync.ts'
import { joinLines } from './frame.ts'
import { beginEpoch, journalPathOf, MOST_UNSYNCED, openJournalFile, removeJournal } from './journal-file.ts'
import type { JournalProgress } from './progress.ts'
import { UnfiledText } from './unfiled-text.ts'

/** A line, and what happens to it. */
export interface Journaled {
  readonly lines: readonly string[]
  /** Its frame is on disk. */
  onDurable(): void
  /** Its frame could not be written: nothing of it happened. Called in reverse order. */
  onFailed(error: Error): void
}

export type JournalOptions = Readonly<{
  /** The path of the database that the frames are filed in. */
  database: string
  owner: number
  /** The newest frame so far. */
  last: number
  sealing: OpenFrameSealer
  progress: JournalProgress
}>

/**
 * The least time between two frames, unless the next has many lines already. At a moderate rate a frame would otherwise
 * have one line, and a message would take twice as much CPU: the others wait longer for that than for this.
 */
const PACE_MS = 1
const MANY = 32
/** Filed frames are deleted at this interval. */
const RELEASE_EVERY_MS = 250
/**
 * The filer keeps what is not in the tables in memory, and the next start files it before anything else: with this much
 * text to file, about 25,000 new messages, the next frame waits.
 */
export const MOST_UNFILED = 16 * 1024 * 1024
const BACK_PRESSURE_MS = 5
/** A filer that makes no progress for this long is stuck, and nothing more is accepted. */
const STUCK_AFTER_MS = 5_000

export class Journal implements AsyncDisposable {
  readonly #options: JournalOptions
  readonly #stuckAfterMs: number
  readonly #db: DatabaseSync
  readonly #sql: Readonly<Record<'begin' | 'commit' | 'insert' | 'release' | 'releaseEpochs', StatementSync>>
  readonly #wal: WalSync
  readonly #timer: NodeJS.Timeout
  #epoch: ReturnType<typeof beginEpoch>
  /** Whether a frame that was sealed could not be written: the next one has its number, and needs another secret. */
  #isNumberUsed = false
  #last: number
  #released = 0
  #draft: Journaled[] = []
  #wroteAt = 0
  #scheduled: NodeJS.Immediate | undefined
  #waiting: NodeJS.Timeout | undefined
  #syncing: Journaled[] | undefined
  #isClosed = false
  #damage: DatabaseDamaged | undefined
  readonly #unfiled = new UnfiledText()

  constructor(options: JournalOptions, stuckAfterMs = STUCK_AFTER_MS) {
    this.#options = options
    this.#stuckAfterMs = stuckAfterMs
    const path = journalPathOf(options.database)
    this.#db = openJournalFile(path, options.owner)
    // The thread that files the frames makes checkpoints: here they would delay every answer.
    this.#db.exec('pragma wal_autocheckpoint = 0')
    this.#sql = prepare(this.#db)
    this.#last = options.last
    this.#wal = new WalSync(path, MOST_UNSYNCED)
    this.#epoch = this.#beginEpoch()
    this.#timer = setInterval(() => this.#releaseFiled(), RELEASE_EVERY_MS).unref()
  }

  /** The damage that a write ran into. */
  get damage(): DatabaseDamaged | undefined {
    return this.#damage
  }

  add(journaled: Journaled): void {
    this.#draft.push(journaled)
    if (this.#syncing === undefined) this.#schedule()
  }

  /** Resolves once a frame of its own is on disk: proof that the journal is writable. */
  prove(): Promise<void> {
    return new Promise((resolve, reject) => this.add({ lines: [], onDurable: resolve, onFailed: reject }))
  }

  /**
   * Starts a new epoch and returns the newest frame of the one before: once it is filed, `destroy` makes it and all
   * before it unreadable.
   */
  async beginEpoch(): Promise<number> {
    const through = this.#last
    this.#epoch = this.#beginEpoch()
    await this.settled()
    return through
  }

  /** Deletes filed frames and overwrites the secrets of their epochs; the write-ahead log may still hold them. */
  destroy(through: number): void {
    if (through > this.#options.progress.filed) throw new Error('only filed frames may be destroyed')
    const fault = this.#release(through)
    if (fault !== undefined) throw fault
  }

  /** Everything must be filed: an empty journal is removed. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    clearInterval(this.#timer)
    clearImmediate(this.#scheduled)
    clearTimeout(this.#waiting)
    this.#wal[Symbol.dispose]()
    this.#db.close()
    if (this.#options.progress.filed === this.#last) removeJournal(this.#options.database)
  }

  /** Resolves once everything added so far is on disk, or has failed. */
  settled(): Promise<void> {
    const last = this.#draft.length > 0 ? this.#draft : this.#syncing
    if (last === undefined) return Promise.resolve()
    return new Promise((resolve) => last.push({ lines: [], onDurable: resolve, onFailed: () => resolve() }))
  }

  /** Writes the draft at the end of this turn, or in a moment. */
  #schedule(): void {
    if (this.#scheduled !== undefined) return
    const isDue = this.#draft.length >= MANY || performance.now() - this.#wroteAt >= PACE_MS
    if (isDue) this.#scheduled = setImmediate(() => this.#write())
    else this.#wait(PACE_MS)
  }

  #wait(ms: number): void {
    this.#waiting ??= setTimeout(() => {
      this.#waiting = undefined
      if (this.#draft.length > 0 && this.#syncing === undefined && this.#scheduled === undefined) this.#write()
    }, ms)
  }

  #write(): void {
    this.#scheduled = undefined
    if (this.#isFilerBehind()) return
    const draft = this.#draft
    this.#draft = []
    const number = this.#last + 1
    const text = joinLines(draft.flatMap(({ lines }) => lines))
    try {
      if (this.#isNumberUsed) this.#epoch = this.#beginEpoch()
      this.#isNumberUsed = true
      this.#sql.insert.run(number, this.#epoch.number, this.#epoch.sealer.seal(number, text))
      this.#isNumberUsed = false
    } catch (cause) {
      const fault = this.#toFault(cause)
      for (const journaled of draft.reverse()) journaled.onFailed(fault)
      return
    }
    this.#wal.committed()
    this.#last = number
    this.#wroteAt = performance.now()
    this.#unfiled.add(number, text.length)
    this.#sync(draft)
  }

  /** Lets the draft wait for the filer, or fail if that is stuck. */
  #isFilerBehind(): boolean {
    const now = performance.now()
    this.#unfiled.release(this.#options.progress.filed, now)
    if (this.#unfiled.length < MOST_UNFILED) return false
    if (now - this.#unfiled.progressAt > this.#stuckAfterMs) {
      const fault = new Unavailable('the tables cannot be written')
      for (const journaled of this.#draft.splice(0).reverse()) journaled.onFailed(fault)
    } else this.#wait(BACK_PRESSURE_MS)
    return true
  }

  #sync(draft: Journaled[]): void {
    this.#syncing = draft
    this.#wal.after(() => {
      this.#options.progress.durable = this.#last
      this.#syncing = undefined
      for (const journaled of draft) journaled.onDurable()
      if (this.#draft.length > 0 && !this.#isClosed) this.#schedule()
    })
  }

  #releaseFiled(): void {
    const { filed } = this.#options.progress
    if (filed > this.#released) this.#release(filed)
  }

  /** Returns the fault if it did not succeed. */
  #release(through: number): Error | undefined {
    try {
      this.#sql.begin.run()
      this.#sql.release.run(through)
      this.#db.exec('pragma secure_delete = on')
      this.#sql.releaseEpochs.run(this.#epoch.number)
      this.#db.exec('pragma secure_delete = off')
      this.#sql.commit.run()
      this.#wal.committed()
      this.#released = through
      return undefined
    } catch (cause) {
      if (this.#db.isTransaction) this.#db.exec('rollback')
      return this.#toFault(cause)
    }
  }

  #beginEpoch(): ReturnType<typeof beginEpoch> {
    try {
      const epoch = beginEpoch(this.#db, this.#options.sealing)
      this.#wal.committed()
      return epoch
    } catch (cause) {
      throw this.#toFault(cause)
    }
  }

  #toFault(cause: unknown): Error {
    const path = journalPathOf(this.#options.database)
    const fault = asDamage(path, cause)
    if (!(fault instanceof DatabaseDamaged)) return new Unavailable(`${path} cannot be written`, { cause })
    this.#damage ??= fault
    return fault
  }
}

const prepare = (db: DatabaseSync) => ({
  begin: db.prepare('begin immediate'),
  commit: db.prepare('commit'),
  insert: db.prepare('insert into frames (number, epoch, sealed) values (?, ?, ?)'),
  release: db.prepare('delete from frames where number <= ?'),
  releaseEpochs: db.prepare(
    'delete from epochs where epoch < coalesce((select epoch from frames order by number limit 1), ?)',
  ),
})
