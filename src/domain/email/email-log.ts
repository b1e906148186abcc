/** One email as an entry of the email log: its status, its errors and its ids. */

import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Instant } from '../../lib/time.ts'
import type { RecipientId } from '../directory/recipient.ts'
import type { MessageId, TenantId } from '../ids.ts'
import { type ErrorCategory, toErrorCategory } from '../message/error-category.ts'
import type { MessageEvent } from '../message/events.ts'
import type { SearchableSummary } from '../message/searchable.ts'
import type { MessageState } from '../message/state.ts'
import { type EmailStatus, toEmailStatus } from './pipeline.ts'

/** Missing after erasure. */
type EmailLog = Readonly<{
  outboxId: MessageId
  requestId: MessageId
  /** The `X-Request-Id` of the call that created it. */
  httpRequestId?: string
  companyId: TenantId
  recipientId?: RecipientId
  to?: string
  subject?: string
  status: EmailStatus
  sesMessageId?: string
  errorCode?: string
  errorCategory?: ErrorCategory
  errorReason?: string
  /** How many times a provider was called. */
  attempts: number
  /** From creation until it was sent or failed. */
  durationMs?: number
  createdAt: Instant
  sentAt?: Instant
  failedAt?: Instant
}>

/** Statuses in which an error may not be the last word. */
const MAY_RETRY: ReadonlySet<EmailStatus> = new Set(['SENT_ATTEMPT', 'RETRY_SCHEDULED'])

/** Without `failedAt`, which comes from the events. */
export function toEmailLog(
  state: MessageState,
  searchable: SearchableSummary | undefined,
  failedAt?: Instant,
): EmailLog {
  const { id, tenantId, handedOffAt: sentAt, providerMessageId, errorCode, errorDetail, createdAt } = state
  const endedAt = sentAt ?? failedAt
  const status = toEmailStatus(state)
  return {
    outboxId: id,
    requestId: id,
    companyId: tenantId,
    status,
    attempts: state.attempt,
    createdAt,
    ...omitUndefined({
      httpRequestId: state.httpRequestId,
      recipientId: searchable?.recipientId,
      to: searchable?.to,
      subject: searchable?.subject,
      sesMessageId: providerMessageId,
      errorCode,
      errorCategory: errorCode === undefined ? undefined : toErrorCategory(errorCode, MAY_RETRY.has(status)),
      errorReason: errorDetail,
      durationMs: endedAt === undefined ? undefined : endedAt - createdAt,
      sentAt,
      failedAt,
    }),
  }
}

/** When the newest cycle failed, if it did. */
export function failedAtOf(events: readonly MessageEvent[]): Instant | undefined {
  const newest = events.at(-1)?.state
  if (newest?.handoffState !== 'failed') return undefined
  return events.find(({ state }) => state.cycle === newest.cycle && state.handoffState === 'failed')?.at
}
