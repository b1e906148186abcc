/**
 * The erasure of everything that was sent to one recipient, as a job: what it has done so far and what is
 * left to do. Of the person it holds the keyed hash of the address and nothing else.
 */

import { type Instant, type Millis, seconds } from '../../lib/time.ts'
import type { SuppressionReason } from '../email/suppression.ts'
import type { AccountId, ErasureId, MessageId, TenantId } from '../ids.ts'
import type { SignedReceipt } from './erasure-receipt.ts'
import type { Channel } from './message.ts'

/** `unread`: it is not known whether it concerns the recipient, so it must not be erased. */
export type ErasureFailure = Readonly<{ messageId: MessageId; reason: string; unread?: true }>

/** First what the index finds by the recipient, then mails of before copies were indexed, one by one. */
export type ErasureStage = 'recipient' | 'copies'

export type Erasure = Readonly<{
  id: ErasureId
  tenantId: TenantId
  accountId: AccountId
  /** The keyed hash of the recipient. */
  toKey: string
  /** What kind of address it is. */
  channel: Channel
  requestedAt: Instant
  /** Where the log stood then: the index must have come as far before a search of it counts. */
  through: number
  /** The entry of the suppression list that the address had then. */
  suppression?: Readonly<{ reason: SuppressionReason; until?: Instant }>
  stage: ErasureStage
  /** Where the pass through the stage goes on; missing at its beginning. */
  cursor?: string
  /** Whether the index had come far enough when this pass began, and after each page since. */
  caughtUp: boolean
  /** How often a pass was repeated because some messages could not be erased. */
  retries: number
  /** What is being erased: whoever takes over after a crash begins with these. */
  pending: readonly MessageId[]
  erased: number
  failed: number
  /** The first of those that failed. */
  failures: readonly ErasureFailure[]
  updatedAt: Instant
  completedAt?: Instant
  receipt?: SignedReceipt
}>

export type ErasureRequest = Pick<
  Erasure,
  'id' | 'tenantId' | 'accountId' | 'toKey' | 'channel' | 'requestedAt' | 'through' | 'suppression'
>

/** So many failures are listed by their ids; more are counted. */
const LISTED_FAILURES = 1_000
const MOST_RETRIES = 8
const LONGEST_WAIT = seconds(300)
/** The index is a second behind at most, unless something is wrong with it. */
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

/** What came of erasing some messages. */
export type Tally = Readonly<{ erased: number; failures: readonly ErasureFailure[] }>

export const afterErasing = (erasure: Erasure, { erased, failures }: Tally): Erasure => ({
  ...erasure,
  pending: [],
  erased: erasure.erased + erased,
  failed: erasure.failed + failures.length,
  failures: [...erasure.failures, ...failures].slice(0, LISTED_FAILURES),
})

/** What is next after a pass: `wait` before it, or nothing more. */
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
    // Both stages again, so that the failures of the first are counted anew as well.
    return { kind: 'next', erasure: { ...erasure, stage: 'recipient', failed: 0, failures: [] }, wait: INDEX_WAIT }
  }
  // An SMS has no copies.
  if (erasure.stage === 'copies' || erasure.channel === 'sms') return { kind: 'complete', erasure }
  return { kind: 'next', erasure: { ...erasure, stage: 'copies' }, wait: seconds(0) }
}

/** A copy whose content was destroyed half-way through erasing it cannot be found by its content again. */
const toPending = ({ stage, failures }: Erasure): readonly MessageId[] =>
  stage === 'copies' ? failures.flatMap(({ messageId, unread }) => (unread ? [] : [messageId])) : []

const backOff = (retries: number): Millis => seconds(Math.min(2 ** retries, LONGEST_WAIT / 1000))

export const isComplete = ({ completedAt }: Erasure): boolean => completedAt !== undefined

/** Where a list goes on, newest first. */
export const toErasureCursor = ({ requestedAt, id }: Erasure): string => `${requestedAt.toString(36)}.${id}`

/** A cursor nobody gave out names no page. */
export function parseErasureCursor(cursor: string): readonly [requestedAt: number, id: string] {
  const [time = '', id = ''] = cursor.split('.')
  const at = Number.parseInt(time, 36)
  return Number.isSafeInteger(at) ? [at, id] : [0, '']
}
