/** Posts one signed event to the URL of an endpoint, and notes what was sent and what came back. */
import type { WebhookAttemptId } from '../../domain/ids.ts'
import { toKeptResponse, type WebhookAttempt } from '../../domain/webhooks/attempt.ts'
import type { Endpoint } from '../../domain/webhooks/endpoint.ts'
import { toKeptBody, toKeptHeaders } from '../../domain/webhooks/kept-text.ts'
import type { WebhookPayload } from '../../domain/webhooks/payload.ts'
import type { WebhookResponse } from '../../domain/webhooks/retry-schedule.ts'
import type { Clock } from '../../lib/clock.ts'
import { type Instant, type Millis, millis } from '../../lib/time.ts'
import { withoutQuery } from '../../lib/without-query.ts'
import type { SigningEndpoint, WebhookSigner } from '../../ports/webhook-signer.ts'
import type { WebhookTransport } from '../../ports/webhook-transport.ts'
import type { Ids } from '../../ports/world.ts'

export type PostDeps = Readonly<{
  transport: WebhookTransport
  signer: Pick<WebhookSigner, 'sign'>
  clock: Clock
  ids: Pick<Ids, 'webhookAttemptId'>
  /** How long an endpoint may take to respond. */
  timeout: Millis
}>

export type PostTarget = SigningEndpoint & Pick<Endpoint, 'url'>

type Headers = Readonly<Record<string, string>>

/** What is posted in place of the payload, already signed. `shown` is what is kept of the body. */
export type SignedForm = Readonly<{ headers: Headers; body: string; shown: string }>

/** `id` is the `webhook-id`. */
export type Post = Readonly<{ id: string; payload: WebhookPayload; headers?: Headers; form?: SignedForm | undefined }>

/** `noted` begins the record of the attempt. Its ids are in the order in which attempts end. */
export type Posted = Readonly<{
  start: Instant
  end: Instant
  response: WebhookResponse
  noted: Omit<WebhookAttempt, 'subjectId' | 'nextAt'>
}>

const FIXED_HEADERS = { 'content-type': 'application/json', 'user-agent': 'Pombo' }

export async function postWebhook(deps: PostDeps, target: PostTarget, post: Post): Promise<Posted> {
  const { transport, clock, ids, timeout } = deps
  const { tenantId, accountId, id: endpointId, url } = target
  const { id, payload, form } = post
  const start = clock()
  const { body, shown, ...signed } = form ?? toSignedJson(deps, target, post, start)
  const headers = { ...FIXED_HEADERS, ...signed.headers, ...post.headers }
  const response = await transport.post({ url, headers, body }, AbortSignal.timeout(timeout))
  const end = clock()
  const noted = {
    id: ids.webhookAttemptId(end) satisfies WebhookAttemptId,
    tenantId,
    accountId,
    endpointId,
    event: { id, type: payload.type },
    at: start,
    duration: millis(end - start),
    request: { url: withoutQuery(url), headers: toKeptHeaders(headers), body: toKeptBody(ENCODER.encode(shown)) },
    ...toKeptResponse(response),
  }
  return { start, end, response, noted }
}

const ENCODER = new TextEncoder()

function toSignedJson({ signer }: PostDeps, target: PostTarget, { id, payload }: Post, at: Instant): SignedForm {
  const body = JSON.stringify(payload)
  return { headers: { ...signer.sign(target, id, at, body) }, body, shown: body }
}
