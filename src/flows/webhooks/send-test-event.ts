/** Posts an example of an event to an endpoint at once, also to a disabled one. It is not retried, and counts for nothing. */
import type { WebhookAttempt } from '../../domain/webhooks/attempt.ts'
import type { Endpoint, WebhookEventType } from '../../domain/webhooks/endpoint.ts'
import { toExamplePayload } from '../../domain/webhooks/example-payload.ts'
import { type PostDeps, postWebhook } from './post-webhook.ts'
import { type RecordAttemptsDeps, recordAttempts } from './record-attempts.ts'

export type SendTestEventDeps = PostDeps & RecordAttemptsDeps

/** The `webhook-id` of real events begins otherwise. */
const TEST_PREFIX = 'test_'

export async function sendTestEvent(
  deps: SendTestEventDeps,
  endpoint: Endpoint,
  type: WebhookEventType,
): Promise<WebhookAttempt> {
  const at = deps.clock()
  const id = `${TEST_PREFIX}${deps.ids.webhookAttemptId(at)}`
  const { noted } = await postWebhook(deps, endpoint, { id, payload: toExamplePayload(type, endpoint.tenantId, at) })
  await recordAttempts(deps, [noted])
  return noted
}
