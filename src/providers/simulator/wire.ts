/** What the simulator and its thread say to each other. Rows travel flat, which is cheapest to copy. */
import type { AttemptId, AttemptRef, MessageId, TenantId } from '../../domain/ids.ts'
import type { Channel } from '../../domain/message/message.ts'
import type { Instant } from '../../lib/time.ts'
import type { Pace } from './behaviour.ts'

export type Cell = string | number | null

/** One reception in a flat array: tenant, to, from, body, attempt id, message id, cycle, attempt, received at, callback. */
export const RECEPTION_CELLS = 10
/** Which of them is the body. */
export const BODY_CELL = 3

/** What a mail brings besides its row. `html` is there where its words are yet to be made the body of the row. */
export type MailRow = Readonly<{
  row: readonly Cell[]
  subject: string
  html?: string
  /** A `Letter` in JSON. As bytes they take no room of the thread's heap. */
  letter: Uint8Array
  raw: Uint8Array
}>

/** One owed receipt in a flat array: message id, cycle, attempt, attempt id, state, code, detail, suppresses. */
export const RECEIPT_CELLS = 8

/** A place among the receipts owed to one callback, in order of these three: due at, reception, number of the receipt. */
export type Place = readonly [dueAt: number, reception: number, nth: number]
export const NOWHERE: Place = [0, 0, 0]

/** Up to which place receipts are settled, by callback: each is paid by itself, so that none waits for another. */
export type Settled = ReadonlyMap<string, Place>

export type InboxQuery = Readonly<{ tenantId: TenantId; to?: string; limit: number }>

/** `subject` is that of a mail; its body here is the beginning of its text. */
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

/** A mail as the file has it. */
export type KeptMail = Readonly<{
  to: string
  messageId: MessageId
  receivedAt: Instant
  letter: Uint8Array
  raw: Uint8Array
}>

/** What was received more than once: attempts, and messages within one cycle. */
export type Doubles = Readonly<{ receptions: number; attempts: number; messages: number }>

export type Receptions = Readonly<{ rows: readonly Cell[]; mails: readonly MailRow[] }>

export type Request =
  | Readonly<{ kind: 'receive' } & Receptions>
  /** This callback's receipts through `settled` are paid; which ones are due after them? */
  | Readonly<{ kind: 'collect'; callback: string; now: Instant; settled: Place }>
  | Readonly<{ kind: 'find'; attemptId: AttemptId }>
  | Readonly<{ kind: 'inbox'; query: InboxQuery }>
  | Readonly<{ kind: 'mail'; query: MailQuery }>
  | Readonly<{ kind: 'doubles' }>
  | Readonly<{ kind: 'close'; settled: Settled }>

/** `refused` means that nothing was written, `doubtful` that it may have been. */
export type Written = Readonly<{ kind: 'written' } | { kind: 'refused' | 'doubtful'; detail: string }>

/** `nextIn` is the wait in milliseconds until more are due; missing when nothing more is owed. */
export type Collected = Readonly<{ cells: readonly Cell[]; through: Place; nextIn?: number }>

export type Found = Readonly<{ ref: AttemptRef; to: string; receivedAt: Instant }>

export type Answers = {
  receive: Written
  collect: Collected
  find: Found | undefined
  inbox: readonly InboxItem[]
  mail: KeptMail | undefined
  doubles: Doubles
  close: undefined
}
export type Answer = Answers[Request['kind']]

/** The first thing the thread says: the callbacks that are owed receipts since before. */
export type Ready = Readonly<{ owed: readonly string[] }>

export type Asked = Readonly<{ id: number; request: Request }>
export type Reply = Readonly<{ id: number; answer: Answer } | { id: number; failure: string }>

/** `alone`: nobody else may open the file meanwhile. */
export type ThreadData = Readonly<{ path: string; pace: Pace; alone: boolean }>
