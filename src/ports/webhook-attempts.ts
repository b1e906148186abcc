/**
 * The newest attempts of each webhook delivery, and the newest test events of each endpoint, for people who debug their
 * receivers. Nothing depends on them: attempts are written a moment later, several at once, and a crash may lose some.
 */

import type { MessageId, WebhookAttemptId } from '../domain/ids.ts'
import type { WebhookAttempt } from '../domain/webhooks/attempt.ts'
import type { Instant } from '../lib/time.ts'
import type { EndpointDeliveries, SubjectId } from './webhook-deliveries.ts'

/** So many of each delivery are kept, and so many test events of each endpoint. */
export const ATTEMPTS_KEPT = 10

export type WebhookAttemptKey = EndpointDeliveries & Readonly<{ id: WebhookAttemptId }>

/** Without `subjectId`, of a test event. `sealed` is opened by the sealer. */
export type SealedAttempt = WebhookAttemptKey & Readonly<{ subjectId?: SubjectId; sealed: string }>

/** Seals what an attempt sent and got: the text opens only for the same attempt. */
export interface WebhookAttemptSealer {
  seal(attempt: WebhookAttempt): SealedAttempt
  open(sealed: SealedAttempt): WebhookAttempt
}

/** `cursor` is the id of the last attempt of the page before. */
export type WebhookAttemptQuery = EndpointDeliveries &
  Readonly<{ subjectId?: SubjectId; limit: number; cursor?: WebhookAttemptId }>

export interface WebhookAttempts {
  /** Adds them, and deletes all but the newest of each delivery and of the test events of each endpoint. Idempotent. */
  record(attempts: readonly SealedAttempt[]): Promise<void>

  /** Newest first. */
  list(query: WebhookAttemptQuery): Promise<readonly SealedAttempt[]>

  find(key: WebhookAttemptKey): Promise<SealedAttempt | undefined>

  /** Deletes all attempts of a message, beyond recovery. */
  erase(messageId: MessageId): Promise<void>

  /** Deletes attempts from before this time, a few at a time. True if there may be more. */
  forget(before: Instant): Promise<boolean>
}
