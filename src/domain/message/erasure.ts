/**
 * The erasure of everything sent to one recipient, as a job with its progress. It stores the keyed hash of the address
 * and nothing else about the person.
 */

import { type Instant, type Millis, seconds } from '../../lib/time.ts'
import type { SuppressionReason } from '../email/suppression.ts'
import type { AccountId, ErasureId, MessageId, TenantId } from '../ids.ts'
import type { SignedReceipt } from './erasure-receipt.ts'
import type { Channel } from './message.ts'

/** `unread`: we could not read whether it concerns the recipient, so it must not be erased. */
export type ErasureFailure = Readonly<{ messageId: MessageId; reason: string; unread?: true }>

/**
 * First the messages that the index finds by recipient, then older emails whose copies were never indexed, one by one.
 */
type ErasureStage = 'recipient' | 'copies'

export type Erasure = Readonly<{
  id: ErasureId
  tenantId: TenantId
  accountId: AccountId
  /** The keyed hash of the recipient. */
  toKey: string
  /** The kind of address. */
  channel: Channel
  requestedAt: Instant
  /** The log's position at the time of the request: a search counts only once the index has reached it. */
  through: number
  /** The suppression of the address at the time of the request. */
  suppression?: Readonly<{ reason: SuppressionReason; until?: Instant }>
  stage: ErasureStage
  /** The cursor of the current pass; missing at its start. */
  cursor?: string
  /** Whether the index had caught up when this pass began, and after each page since. */
  caughtUp: boolean
  /** How many passes were repeated because some messages could not be erased. */
  retries: number
  /** The page being erased: a process that takes over after a crash starts with it. */
  pending: readonly MessageId[]
  erased: number
  failed: number
  /** The first failures. */
  failures: readonly ErasureFailure[]
  updatedAt: Instant
  completedAt?: Instant
  receipt?: SignedReceipt
}>

export type ErasureRequest = Pick<
  Erasure,
  'id' | 'tenantId' | 'accountId' | 'toKey' | 'channel' | 'requestedAt' | 'through' | 'suppression'
>

/** Failures beyond this number are only counted. */
const LISTED_FAILURES = 1_000
const MOST_RETRIES = 8
const LONGEST_WAIT = seconds(300)
/** The index normally lags by a second at most. */
const INDEX_WAIT = seconds(1)

export const toErasure = (request: ErasureRequest): Erasure => ({
  ...request,
  stage: 'recipient',
  caughtUp: false,
  retries: 0,
  pending: [],
  erased: 0,
  failed: 0,
  failures: [],
  updatedAt: request.requestedAt,
})

/** The result of erasing some messages. */
export type Tally = Readonly<{ erased: number; failures: readonly ErasureFailure[] }>

export const afterErasing = (erasure: Erasure, { erased, failures }: Tally): Erasure => ({
  ...erasure,
  pending: [],
  erased: erasure.erased + erased,
  failed: erasure.failed + failures.length,
  failures: [...erasure.failures, ...failures].slice(0, LISTED_FAILURES),
})

/** What follows a pass: another one after `wait`, or completion. */
export type AfterPass =
  | Readonly<{ kind: 'next'; erasure: Erasure; wait: Millis }>
  | Readonly<{ kind: 'complete'; erasure: Erasure }>

export function afterPass({ cursor: _, ...erasure }: Erasure): AfterPass {
  if (erasure.failed > 0 && erasure.retries < MOST_RETRIES) {
    const retries = erasure.retries + 1
    const again = { ...erasure, retries, pending: toPending(erasure), failed: 0, failures: [] }
    return { kind: 'next', erasure: again, wait: backOff(retries) }
  }
  if (!erasure.caughtUp) {
    // Repeats both stages, so that failures of the first are counted again.
    return { kind: 'next', erasure: { ...erasure, stage: 'recipient', failed: 0, failures: [] }, wait: INDEX_WAIT }
  }
  // An SMS has no copies.
  if (erasure.stage === 'copies' || erasure.channel === 'sms') return { kind: 'complete', erasure }
  return { kind: 'next', erasure: { ...erasure, stage: 'copies' }, wait: seconds(0) }
}

/** A copy whose content was destroyed by an interrupted erasure cannot be found by its content again. */
const toPending = ({ stage, failures }: Erasure): readonly MessageId[] =>
  stage === 'copies' ? failures.flatMap(({ messageId, unread }) => (unread ? [] : [messageId])) : []

const backOff = (retries: number): Millis => seconds(Math.min(2 ** retries, LONGEST_WAIT / 1000))

export const isComplete = ({ completedAt }: Erasure): boolean => completedAt !== undefined

/** The cursor of a list, newest first. */
export const toErasureCursor = ({ requestedAt, id }: Erasure): string => `${requestedAt.toString(36)}.${id}`

/** Undefined for an invalid cursor. */
export function parseErasureCursor(cursor: string): readonly [requestedAt: number, id: string] | undefined {
  const [, time = '', id = ''] = /^([0-9a-z]{1,9})\.([\w-]{1,64})$/.exec(cursor) ?? []
  return time === '' ? undefined : [Number.parseInt(time, 36), id]
}
