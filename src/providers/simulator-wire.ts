/** What the simulator and its thread say to each other. Rows travel flat, which is cheapest to copy. */
import type { AttemptId, MessageId, TenantId } from '../domain/ids.ts'
import type { Instant } from '../domain/time.ts'
import type { Pace } from './simulator-behaviour.ts'

export type Cell = string | number | null

/** One reception in a flat array: tenant, to, from, body, attempt id, message id, cycle, attempt, received at. */
export const RECEPTION_CELLS = 9

/** One owed receipt in a flat array: message id, cycle, attempt, attempt id, state, code, detail. */
export const RECEIPT_CELLS = 7

/** A place among the owed receipts, which are in order of these three: due at, reception, number of the receipt. */
export type Place = readonly [dueAt: number, reception: number, nth: number]
export const NOWHERE: Place = [0, 0, 0]

export type InboxQuery = Readonly<{ tenantId: TenantId; to?: string; limit: number }>

export type InboxItem = Readonly<{
  to: string
  from?: string
  body: string
  attemptId: AttemptId
  messageId: MessageId
  receivedAt: Instant
}>

export type Request =
  | Readonly<{ kind: 'receive'; rows: readonly Cell[] }>
  /** The receipts through `settled` are paid; which ones are due after them? */
  | Readonly<{ kind: 'collect'; now: Instant; settled: Place }>
  | Readonly<{ kind: 'find'; attemptId: AttemptId }>
  | Readonly<{ kind: 'inbox'; query: InboxQuery }>
  | Readonly<{ kind: 'close'; settled: Place }>

/** `refused` means that nothing was written, `doubtful` that it may have been. */
export type Written = Readonly<{ kind: 'written' } | { kind: 'refused' | 'doubtful'; detail: string }>

/** `nextIn` is the wait in milliseconds until more are due; missing when nothing more is owed. */
export type Collected = Readonly<{ cells: readonly Cell[]; through: Place; nextIn?: number }>

export type Found = Readonly<{ to: string; receivedAt: Instant }>

export type Answers = {
  receive: Written
  collect: Collected
  find: Found | undefined
  inbox: readonly InboxItem[]
  close: undefined
}
export type Answer = Answers[Request['kind']]

export type Asked = Readonly<{ id: number; request: Request }>
export type Reply = Readonly<{ id: number; answer: Answer } | { id: number; failure: string }>

export type ThreadData = Readonly<{ path: string; pace: Pace }>
