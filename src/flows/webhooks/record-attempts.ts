/**
 * Stores attempts. One that was in flight while its message was erased or deleted is stored after the others are gone, so
 * it is looked up afterwards whether the message still has its content: an erasure either finds the attempt, or is found.
 */
import type { MessageId } from '../../domain/ids.ts'
import { isForgotten } from '../../domain/message/searchable.ts'
import { messageOf, type WebhookAttempt } from '../../domain/webhooks/attempt.ts'
import type { EventLog } from '../../ports/event-log.ts'
import type { WebhookAttemptSealer, WebhookAttempts } from '../../ports/webhook-attempts.ts'

export type RecordAttemptsDeps = Readonly<{
  webhookAttempts: Pick<WebhookAttempts, 'record' | 'erase'>
  attemptSealer: Pick<WebhookAttemptSealer, 'seal'>
  log: Pick<EventLog, 'latest'>
}>

export async function recordAttempts(deps: RecordAttemptsDeps, attempts: readonly WebhookAttempt[]): Promise<void> {
  const { webhookAttempts, attemptSealer } = deps
  await webhookAttempts.record(attempts.map((attempt) => attemptSealer.seal(attempt)))
  const messages = new Set(attempts.flatMap((attempt) => messageOf(attempt) ?? []))
  await Promise.all([...messages].map((id) => eraseIfForgotten(deps, id)))
}

async function eraseIfForgotten({ log, webhookAttempts }: RecordAttemptsDeps, id: MessageId): Promise<void> {
  const latest = await log.latest(id)
  if (latest === undefined || isForgotten(latest.event.state)) await webhookAttempts.erase(id)
}
