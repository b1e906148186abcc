import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../test/memory/memory.ts'
import type { MessageId } from '../domain/ids.ts'
import { acceptSpanOf, attemptSpanOf, toTraceparent } from '../domain/message/trace.ts'
import { openIds } from '../engines/crypto/ids.ts'
import { openWebhookSigner } from '../engines/crypto/webhook-signer.ts'
import { CONTENT, TENANT, TRACE } from '../flows/gateway.fixture.ts'
import { answering, CALLBACK_URL, customers } from '../flows/webhooks/deliver-webhook.fixture.ts'
import type { Span } from './span.ts'
import { webhookSpans } from './tracing-webhooks.ts'

const ids = openIds()
const signer = openWebhookSigner(Buffer.alloc(32, 1))

/** The spans of the webhooks of a delivered message, and what was posted. */
async function traceWebhooks(...answers: readonly number[]) {
  const { open } = customers({ openEngine: openMemoryEngine, ids, signer })
  const spans: Span[] = []
  const { addEndpoint, deliver, enqueue, deliverDue, requests } = open(answers.map((status) => answering(status)))
  await addEndpoint()
  const id = await deliver()
  await enqueue(id)
  await deliverDue({ onPosted: webhookSpans({ emit: (span) => spans.push(span), ids }) })
  return { id, spans, requests }
}

const attemptOf = (messageId: MessageId) => attemptSpanOf(ids.attemptId({ messageId, cycle: 1, attempt: 1 }))

test('every post of an event is a span within that of the event, and the customer gets it in traceparent', async () => {
  const { id, spans, requests } = await traceWebhooks()
  assert.deepEqual(
    requests.map(({ headers }) => headers['traceparent']),
    spans.map((span) => toTraceparent({ traceId: TRACE }, span.id)),
  )
  assert.deepEqual(spans.map(({ parent, attributes }) => [attributes['pombo.event'], parent]).slice(0, 3), [
    ['MessageCreated', acceptSpanOf(id)],
    ['HandoffAttempted', attemptOf(id)],
    ['HandoffAccepted', attemptOf(id)],
  ])
  assert.equal(new Set(spans.map((span) => span.id)).size, 4)
  assert.equal(spans[3]?.attributes['pombo.event'], 'ProviderDelivered')
})

test('a failed post is a failed span, and no span has the URL or the payload', async () => {
  const { id, spans } = await traceWebhooks(503)
  const [{ id: _, start: __, end: ___, parent: ____, attributes, ...span } = assert.fail()] = spans
  assert.deepEqual(span, { traceId: TRACE, name: 'webhook', kind: 'client', failed: true, code: '5xx' })
  assert.deepEqual(attributes, {
    'messaging.system': 'pombo',
    'messaging.message.id': id,
    'messaging.operation.name': 'webhook',
    'pombo.message_id': id,
    'pombo.tenant_id': TENANT,
    'pombo.cycle': 1,
    'pombo.attempt': 0,
    'pombo.event': 'MessageCreated',
    'pombo.webhook_id': `evt_${id}_1_0_MessageCreated`,
    'pombo.endpoint_id': 'e1',
    'pombo.error_code': '5xx',
    'http.response.status_code': 503,
  })
  const text = JSON.stringify(spans)
  for (const secret of [CONTENT.to, CONTENT.body, 'customer.test', CALLBACK_URL]) assert(!text.includes(secret))
})
