/** Webhook attempts as table rows. SQLite and PostgreSQL use the same column names. */
import type { AccountId, EndpointId, MessageId, TenantId, WebhookAttemptId } from '../../domain/ids.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import type { SealedAttempt } from '../../ports/webhook-attempts.ts'
import type { EndpointDeliveries, SubjectId } from '../../ports/webhook-deliveries.ts'
import type { Row } from './rows.ts'

/** Stands for the message of a test event: indexes compare it, as they do not compare null. */
export const NO_SUBJECT = '00000000-0000-0000-0000-000000000000' as MessageId

export const subjectOf = ({ subjectId = NO_SUBJECT }: Pick<SealedAttempt, 'subjectId'>): SubjectId => subjectId

export function toSealedAttempt(row: Row): SealedAttempt {
  const message = String(row['message'])
  return omitUndefined({
    id: String(row['id']) as WebhookAttemptId,
    tenantId: String(row['tenant']) as TenantId,
    accountId: String(row['account']) as AccountId,
    endpointId: String(row['endpoint']) as EndpointId,
    subjectId: message === NO_SUBJECT ? undefined : (message as MessageId),
    sealed: String(row['sealed']),
  })
}

type Kept = EndpointDeliveries & Pick<SealedAttempt, 'subjectId'>

/** Each delivery of these attempts once: of each, only the newest are kept. */
export function deliveriesIn(attempts: readonly SealedAttempt[]): readonly Kept[] {
  const found = new Map<string, Kept>()
  for (const attempt of attempts) {
    const { tenantId, accountId, endpointId } = attempt
    found.set(JSON.stringify([tenantId, accountId, endpointId, subjectOf(attempt)]), attempt)
  }
  return [...found.values()]
}
