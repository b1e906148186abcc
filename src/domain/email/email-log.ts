/** One mail, in the fields that a log of mail has: what it has come to, and by which ids it is known. */

import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { Instant } from '../../lib/time.ts'
import type { RecipientId } from '../directory/recipient.ts'
import type { MessageId, TenantId } from '../ids.ts'
import type { MessageEvent } from '../message/events.ts'
import type { Searchable } from '../message/message.ts'
import type { MessageState } from '../message/state.ts'
import { type EmailStatus, toEmailStatus } from './pipeline.ts'

/** What is known of the person is gone after erasure. */
export type EmailLog = Readonly<{
  outboxId: MessageId
  requestId: MessageId
  companyId: TenantId
  recipientId?: RecipientId
  to?: string
  subject?: string
  status: EmailStatus
  sesMessageId?: string
  errorCode?: string
  errorReason?: string
  /** How often a provider was called. */
  attempts: number
  /** From its creation until it was sent or has failed. */
  durationMs?: number
  createdAt: Instant
  sentAt?: Instant
  failedAt?: Instant
}>

/** `failedAt` is for its events to tell. */
export function toEmailLog(state: MessageState, known: Searchable | undefined, failedAt?: Instant): EmailLog {
  const { id, tenantId, handedOffAt: sentAt, providerMessageId, errorCode, errorDetail, createdAt } = state
  const endedAt = sentAt ?? failedAt
  return {
    outboxId: id,
    requestId: id,
    companyId: tenantId,
    status: toEmailStatus(state),
    attempts: state.attempt,
    createdAt,
    ...omitUndefined({
      recipientId: known?.recipientId,
      to: known?.to,
      subject: known?.subject,
      sesMessageId: providerMessageId,
      errorCode,
      errorReason: errorDetail,
      durationMs: endedAt === undefined ? undefined : endedAt - createdAt,
      sentAt,
      failedAt,
    }),
  }
}

/** When its newest cycle failed, if it has. */
export function failedAtOf(events: readonly MessageEvent[]): Instant | undefined {
  const newest = events.at(-1)?.state
  if (newest?.handoffState !== 'failed') return undefined
  return events.find(({ state }) => state.cycle === newest.cycle && state.handoffState === 'failed')?.at
}
