/** The messages between the simulator and its thread. Rows are flat arrays, which are the cheapest to copy. */
import type { AttemptId, AttemptRef, MessageId, TenantId } from '../../domain/ids.ts'
import type { Channel } from '../../domain/message/message.ts'
import type { Instant } from '../../lib/time.ts'
import type { Pace } from './behaviour.ts'

export type Cell = string | number | null

/** One reception in a flat array. */
export type ReceptionRow = readonly [
  tenantId: string,
  to: string,
  from: string | null,
  body: string,
  attemptId: string,
  messageId: string,
  cycle: number,
  attempt: number,
  receivedAt: number,
  callback: string,
]
export const RECEPTION_CELLS = 10
/** The index of the body. */
export const BODY_CELL = 3

/** A mail with its row. `html` is there if the thread must extract the row's body from it. */
export type MailRow = Readonly<{
  row: readonly Cell[]
  subject: string
  html?: string
  /** A `MailContent` in JSON, as bytes outside the thread's heap. */
  letter: Uint8Array
  raw: Uint8Array
}>

/** One pending receipt in a flat array: message id, cycle, attempt, attempt id, state, code, detail, suppresses. */
export const RECEIPT_CELLS = 8

/** A position among the pending receipts of one callback, ordered by due time, reception and number. */
export type ReceiptPosition = readonly [dueAt: number, reception: number, nth: number]
export const FIRST_POSITION: ReceiptPosition = [0, 0, 0]

/** The position up to which receipts are delivered, by callback. */
export type DeliveredThrough = ReadonlyMap<string, ReceiptPosition>

export type InboxQuery = Readonly<{ tenantId: TenantId; to?: string; limit: number }>

/** A mail has a subject, and a preview as its body. */
export type InboxItem = Readonly<{
  channel: Channel
  to: string
  from?: string
  subject?: string
  body: string
  attemptId: AttemptId
  messageId: MessageId
  receivedAt: Instant
}>

export type MailQuery = Readonly<{ tenantId: TenantId; attemptId: string }>

/** A mail as stored. */
export type StoredMail = Readonly<{
  to: string
  messageId: MessageId
  receivedAt: Instant
  letter: Uint8Array
  raw: Uint8Array
}>

/** Counts of duplicates: attempts, and messages within one cycle. */
export type DuplicateCounts = Readonly<{ receptions: number; attempts: number; messages: number }>

export type Receptions = Readonly<{ rows: readonly Cell[]; mails: readonly MailRow[] }>

/** `refused`: nothing was written. `unknown`: it may have been written. */
export type Written = Readonly<{ kind: 'written' } | { kind: 'refused' | 'unknown'; detail: string }>

/** `nextIn` is the time until more are due, in milliseconds; missing if there are none. */
export type Collected = Readonly<{ cells: readonly Cell[]; through: ReceiptPosition; nextIn?: number }>

export type Found = Readonly<{ ref: AttemptRef; to: string; receivedAt: Instant }>

export type SimulatorMethods = {
  /** The callbacks with pending receipts from an earlier run. */
  owed: () => readonly string[]
  receive: (receptions: Receptions) => Written
  /** Marks this callback's receipts through `delivered` as delivered, and returns those due after them. */
  collect: (callback: string, now: Instant, delivered: ReceiptPosition) => Collected
  /** Marks receipts of all callbacks as delivered, before the thread closes. */
  markDelivered: (delivered: DeliveredThrough) => void
  find: (attemptId: AttemptId) => Found | undefined
  inbox: (query: InboxQuery) => readonly InboxItem[]
  mail: (query: MailQuery) => StoredMail | undefined
  countDuplicates: () => DuplicateCounts
}

/** `alone`: locks the file against other processes. */
export type ThreadData = Readonly<{ path: string; pace: Pace; alone: boolean }>
