/**
 * The simulator's file: received messages and pending receipts. Only its thread uses it.
 *
 * Ids and recipients are random, so an index that is updated with every insert would dirty a page each time and cost
 * five times the insert. Instead, each chapter of 4,096 receptions gets a sorted register, written in one go when the
 * chapter is full; a search visits every chapter.
 */
import { DatabaseSync } from 'node:sqlite'
import type { AttemptId, MessageId } from '../../domain/ids.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { createPrivate, makePrivate } from '../../lib/private-file.ts'
import type { Instant } from '../../lib/time.ts'
import { behaviourOf, type Pace, type Reception, reportsOf } from './behaviour.ts'
import { truncate, visibleText } from './preview.ts'
import { SCHEMA, statements, upgrade } from './sql.ts'
import {
  BODY_CELL,
  type Cell,
  type Collected,
  type DeliveredThrough,
  type DuplicateCounts,
  FIRST_POSITION,
  type Found,
  type InboxItem,
  type InboxQuery,
  type MailQuery,
  type MailRow,
  RECEPTION_CELLS,
  type ReceiptPosition,
  type ReceptionRow,
  type Receptions,
  type StoredMail,
  type ThreadData,
  type Written,
} from './wire.ts'

const CHAPTER = 4096
const COLLECTED_AT_ONCE = 1000
const DISK_FULL = 13

type Value = Readonly<{ value: number | null }>
type InboxRow = Readonly<{
  tenant_id: string
  recipient: string
  sender: string | null
  subject: string | null
  body: string
  attempt_id: AttemptId
  message_id: MessageId
  cycle: number
  attempt: number
  received_at: Instant
}>

export class SimulatorStore {
  readonly #db: DatabaseSync
  readonly #sql: ReturnType<typeof statements>
  readonly #pace: Pace
  #lastSeq: number
  #chapters: number
  readonly #delivered = new Map<string, ReceiptPosition>()
  readonly #collected = new Map<string, ReceiptPosition>()

  constructor({ path, pace, alone }: ThreadData) {
    createPrivate(path)
    for (const end of ['', '-wal', '-shm']) makePrivate(`${path}${end}`)
    this.#db = new DatabaseSync(path, { timeout: 100 })
    if (alone) this.#db.exec('pragma locking_mode = exclusive')
    this.#db.exec(SCHEMA)
    upgrade(this.#db)
    this.#sql = statements(this.#db)
    this.#pace = pace
    this.#lastSeq = (this.#sql.lastSeq.get() as Value).value ?? 0
    this.#chapters = ((this.#sql.lastChapter.get() as Value).value ?? -1) + 1
  }

  /** Writes everything in one transaction. */
  write(receptions: readonly Receptions[], delivered: DeliveredThrough): Written {
    const changed = [...delivered].filter(
      ([callback, at]) => !isSame(at, this.#delivered.get(callback) ?? FIRST_POSITION),
    )
    if (receptions.length === 0 && changed.length === 0) return { kind: 'written' }
    let seq = this.#lastSeq
    const refused = attempt(() => {
      this.#sql.begin.run()
      for (const received of receptions) seq = this.#receive(received, seq)
      for (const [callback, at] of changed) this.#sql.markDelivered.run(callback, ...at)
    })
    const failed = refused ?? attempt(() => this.#sql.commit.run())
    if (failed === undefined) {
      this.#lastSeq = seq
      for (const [callback, at] of changed) this.#delivered.set(callback, at)
      return { kind: 'written' }
    }
    if (this.#db.isTransaction) this.#db.exec('rollback')
    // A failed commit may be on disk nevertheless, unless the disk was full.
    const isCertain = refused !== undefined || failed.errcode === DISK_FULL
    return { kind: isCertain ? 'refused' : 'unknown', detail: failed.errstr }
  }

  #receive({ rows, mails }: Receptions, lastSeq: number): number {
    let seq = lastSeq
    for (let at = 0; at < rows.length; at += RECEPTION_CELLS) {
      this.#receiveOne(++seq, rows.slice(at, at + RECEPTION_CELLS))
    }
    for (const mail of mails) {
      this.#receiveOne(++seq, toRow(mail))
      this.#sql.receiveMail.run(seq, mail.subject, mail.letter, mail.raw)
    }
    return seq
  }

  #receiveOne(seq: number, row: readonly Cell[]): void {
    const [tenantId, to, from, body, attemptId, messageId, cycle, attempt, receivedAt, callback] = row as ReceptionRow
    this.#sql.receive.run(seq, tenantId, to, from, body, attemptId, messageId, cycle, attempt, receivedAt)
    const behaviour = behaviourOf(to, attempt)
    if (behaviour.kind === 'receive') this.#owe(seq, behaviour, receivedAt, callback)
  }

  #owe(seq: number, behaviour: Reception, receivedAt: number, callback: string): void {
    // Never earlier than what was already collected, even if the clock was set back: receipts are read only forwards.
    const earliest = this.#reached(callback)[0]
    let nth = 0
    for (const [after, { state, code, detail, suppresses }] of reportsOf(behaviour, this.#pace)) {
      const dueAt = Math.max(receivedAt + after, earliest)
      this.#sql.owe.run(callback, dueAt, seq, nth, state, code ?? null, detail ?? null, suppresses ?? null)
      nth += 1
    }
  }

  owed(): readonly string[] {
    return this.#sql.owed.all().map(({ callback }) => String(callback))
  }

  /** The receipts that are due to a callback after a position, oldest first. */
  collect(callback: string, now: Instant, after: ReceiptPosition): Collected {
    const reached = Math.max(now, this.#reached(callback)[0])
    const rows = this.#sql.due.all(callback, ...after, reached, COLLECTED_AT_ONCE) as unknown as [
      ...ReceiptPosition,
      ...Cell[],
    ][]
    const [dueAt, reception, nth] = rows.at(-1) ?? after
    const through: ReceiptPosition = [dueAt, reception, nth]
    this.#collected.set(callback, through)
    const next = this.#sql.nextDue.get(callback, ...through)
    return omitUndefined({
      cells: rows.flatMap((row) => row.slice(3)),
      through,
      nextIn: next === undefined ? undefined : Math.max(toValue(next) - reached, 0),
    })
  }

  find(attemptId: AttemptId): Found | undefined {
    for (const seq of this.#search(attemptId)) {
      const row = this.#reception(seq)
      const ref = { messageId: row.message_id, cycle: row.cycle, attempt: row.attempt }
      return { ref, to: row.recipient, receivedAt: row.received_at }
    }
    return undefined
  }

  /** Newest first. */
  inbox({ tenantId, to, limit }: InboxQuery): readonly InboxItem[] {
    const seqs = to === undefined ? this.#ofTenant(tenantId, limit) : this.#search(`${tenantId}/${to}`).take(limit)
    return [...seqs].map((seq) => toInboxItem(this.#reception(seq)))
  }

  /** The newest mail of that attempt, for its own tenant only. */
  mail({ tenantId, attemptId }: MailQuery): StoredMail | undefined {
    for (const seq of this.#search(attemptId)) {
      const row = this.#reception(seq)
      const isMatch = row.attempt_id === attemptId && row.tenant_id === tenantId
      const blobs = isMatch ? this.#sql.mail.get(seq) : undefined
      if (blobs !== undefined) return toStoredMail(row, blobs as Blobs)
    }
    return undefined
  }

  /** Scans the whole inbox. */
  countDuplicates(): DuplicateCounts {
    return { ...this.#sql.duplicates.get() } as DuplicateCounts
  }

  /** Writes the register of a full chapter. A failure only postpones it. */
  fileChapter(): void {
    const start = this.#chapters * CHAPTER
    if (this.#lastSeq < start + CHAPTER) return
    const failed = attempt(() => this.#sql.fileChapter.run(this.#chapters, start, start + CHAPTER))
    if (failed === undefined) this.#chapters += 1
  }

  close(): void {
    this.#db.close()
  }

  /** The position up to which a callback's receipts were collected. */
  #reached(callback: string): ReceiptPosition {
    return this.#collected.get(callback) ?? FIRST_POSITION
  }

  #reception(seq: number): InboxRow {
    return this.#sql.reception.get(seq) as unknown as InboxRow
  }

  #ofTenant(tenantId: string, limit: number): number[] {
    return this.#sql.ofTenant.all(tenantId, limit).map(toValue)
  }

  /** The receptions of an attempt, or of a tenant's recipient, newest first. */
  *#search(name: string): Generator<number, undefined> {
    yield* this.#sql.unfiled.all(this.#chapters * CHAPTER, name).map(toValue)
    for (let chapter = this.#chapters - 1; chapter >= 0; chapter -= 1) {
      yield* this.#sql.inChapter.all(chapter, name).map(toValue)
    }
  }
}

type SqliteError = Error & Readonly<{ errcode: number; errstr: string }>

/** Returns an error of SQLite; any other error is thrown. */
export function attempt(run: () => unknown): SqliteError | undefined {
  try {
    run()
    return undefined
  } catch (error) {
    if (isSqliteError(error)) return error
    throw error
  }
}

const isSqliteError = (error: unknown): error is SqliteError =>
  error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'

const isSame = (a: ReceiptPosition, b: ReceiptPosition): boolean => a.every((part, index) => part === b[index])

const toValue = (row: unknown): number => (row as { value: number }).value

/** The text of HTML is extracted here, in the thread, where it delays nobody. */
const toRow = ({ row, html }: MailRow): readonly Cell[] =>
  html === undefined ? row : row.with(BODY_CELL, truncate(visibleText(html)))

type Blobs = Pick<StoredMail, 'letter' | 'raw'>
const toStoredMail = (row: InboxRow, { letter, raw }: Blobs): StoredMail => ({
  to: row.recipient,
  messageId: row.message_id,
  receivedAt: row.received_at,
  letter,
  raw,
})

const toInboxItem = ({ sender, subject, body, ...row }: InboxRow): InboxItem =>
  omitUndefined({
    channel: subject === null ? ('sms' as const) : ('email' as const),
    to: row.recipient,
    from: sender ?? undefined,
    subject: subject ?? undefined,
    body,
    attemptId: row.attempt_id,
    messageId: row.message_id,
    receivedAt: row.received_at,
  })
