/** Sends a test event to an endpoint and shows what came back. */
import { Type } from 'typebox'
import { type Endpoint, subscribesTo, type WebhookEventType } from '../../domain/webhooks/endpoint.ts'
import { firstEventOf } from '../../domain/webhooks/example-payload.ts'
import { type SendTestEventDeps, sendTestEvent } from '../../flows/webhooks/send-test-event.ts'
import type { Endpoints } from '../../ports/endpoints.ts'
import { WEBHOOK_TIMEOUT, type WebhookTransport } from '../../ports/webhook-transport.ts'
import { type Audit, audited } from '../access/audit.ts'
import type { Guard } from '../http/auth.ts'
import { type Api, callerOf } from '../http/context.ts'
import { responses } from '../http/schemas.ts'
import { throttleTenants } from '../http/throttle.ts'
import { refuseFields } from '../http/validation.ts'
import { TestEvent, toAttemptDetails, WebhookAttemptDetails } from './attempt-schemas.ts'
import { toEndpointTarget } from './endpoint-schemas.ts'
import { findOwnEndpoint } from './find-endpoint.ts'

export type TestEventsDeps = Omit<SendTestEventDeps, 'transport' | 'signer' | 'timeout'> &
  Readonly<{
    webhookTransport: WebhookTransport
    webhookSigner: SendTestEventDeps['signer']
    endpoints: Pick<Endpoints, 'find'>
    guard: Guard
    audit: Audit
  }>

/** Enough for somebody who tries an endpoint out, and no flood for a server that belongs to somebody else. */
const TESTS = { perSecond: 1, capacity: 5, what: 'test events' }

export function testEventRoutes(app: Api, deps: TestEventsDeps): void {
  const { guard, audit, webhookTransport: transport, webhookSigner: signer } = deps
  const onRequest = [guard('admin'), throttleTenants(TESTS, deps.clock)]
  const options = { schema: TEST, onRequest, config: { answer: 'written' } } as const

  app.post('/v1/endpoints/:id/test', options, async (request) => {
    const endpoint = await findOwnEndpoint(deps, callerOf(request), request.params.id)
    const type = eventOf(endpoint, request.body.event)
    const attempt = await sendTestEvent({ ...deps, transport, signer, timeout: WEBHOOK_TIMEOUT }, endpoint, type)
    const after = { event: type, status: attempt.response?.status ?? null, error: attempt.error ?? null }
    await audit(request, { action: 'endpoint.tested', target: toEndpointTarget(endpoint), after })
    return toAttemptDetails(attempt)
  })
}

function eventOf(endpoint: Endpoint, wanted = firstEventOf(endpoint)): WebhookEventType {
  if (wanted !== undefined && subscribesTo(endpoint, wanted)) return wanted
  throw refuseFields([{ path: '/event', message: 'must be an event type that the endpoint subscribes to' }])
}

const TEST = {
  ...audited('endpoint.tested'),
  operationId: 'testEndpoint',
  tags: ['endpoints'],
  summary: 'Send a test event',
  description: `Posts a signed example of the event to the endpoint at once, also if it is disabled, waits up to ${WEBHOOK_TIMEOUT / 1000} seconds for the response, and shows it. Its \`webhook-id\` begins with \`test_\`. It is not retried, and does not count for the health of the endpoint. A tenant may send ${TESTS.capacity} at once and ${TESTS.perSecond} a second.`,
  params: Type.Object({
    id: Type.String({ title: 'EndpointId', description: 'The `id` of an endpoint.', examples: ['orders'] }),
  }),
  body: TestEvent,
  response: responses(
    { 200: { description: 'The attempt, whatever the server answered.', schema: WebhookAttemptDetails } },
    'VALIDATION_ERROR',
    'NOT_FOUND',
    'RATE_LIMITED',
  ),
}
