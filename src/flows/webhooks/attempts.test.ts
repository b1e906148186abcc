/** What is noted of each attempt, and what becomes of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { WebhookAttempt } from '../../domain/webhooks/attempt.ts'
import { CALLBACK } from '../../domain/webhooks/endpoint.ts'
import { toKeptBody } from '../../domain/webhooks/kept-text.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openWebhookAttemptSealer } from '../../engines/crypto/webhook-attempt-sealer.ts'
import { openWebhookSigner } from '../../engines/crypto/webhook-signer.ts'
import { later, millis, seconds } from '../../lib/time.ts'
import { erase } from '../admin/erase.ts'
import { CONTENT, TENANT, TRACE } from '../gateway.fixture.ts'
import { answering, customers, KEY, UNREACHABLE } from './deliver-webhook.fixture.ts'
import { recordAttempts } from './record-attempts.ts'
import { sendTestEvent } from './send-test-event.ts'

const signer = openWebhookSigner(Buffer.alloc(32, 1))
const attemptSealer = openWebhookAttemptSealer(Buffer.alloc(32, 1))
const { open, delivered } = customers({ openEngine: openMemoryEngine, ids: openIds(), signer })
const secret = signer.secretOf(KEY, 1)

test('notes what was sent and what came back, and when the event is attempted again', async () => {
  const body = toKeptBody(Buffer.from('{"error":"no such order"}'))
  const failing = { ...answering(500), headers: { 'x-request-id': 'r1' }, body }
  const { deliverDue, attempts, clock, pass, requests, id } = await delivered([
    failing,
    () => {
      pass(millis(120))
      return answering(204)
    },
    UNREACHABLE,
  ])
  await deliverDue()
  const [first] = attempts
  assert.ok(first !== undefined)
  assert.deepEqual([attempts.length, first.subjectId, first.endpointId], [1, id, KEY.id])
  assert.deepEqual(first.response, { status: 500, headers: { 'x-request-id': 'r1' }, body })
  assert.deepEqual([first.at, first.duration, first.nextAt], [clock(), 0, later(clock(), seconds(5))])
  const { headers, url, body: sent } = first.request
  assert.deepEqual([url, sent.text], ['https://customer.test/hook', requests[0]?.body])
  assert.equal(headers['webhook-signature'], '***')
  assert.deepEqual([headers['webhook-id'], headers['content-type']], [first.event.id, 'application/json'])

  pass(seconds(5))
  await deliverDue()
  const [, again, next] = attempts
  assert.deepEqual([again?.event, again?.duration, again?.nextAt], [first.event, 120, undefined])
  assert.deepEqual(
    [next?.event.type, next?.response, next?.error],
    ['message.sending', undefined, 'connection refused'],
  )
})

test('what is noted contains neither texts, full recipients, nor what signs', async () => {
  const { deliver, enqueue, deliverDue, attempts, addEndpoint, requests } = open()
  await addEndpoint({ url: 'https://customer.test/hook?token=s3cret' })
  await enqueue(await deliver(true))
  await deliverDue()
  assert.deepEqual(new Set(attempts.map(({ endpointId }) => endpointId)), new Set([KEY.id, CALLBACK]))
  assert.equal(attempts.length, 8)
  const signatures = requests.map(({ headers }) => headers['webhook-signature'] ?? '')
  for (const hidden of [CONTENT.body, CONTENT.to, 's3cret', secret, ...signatures]) {
    assert.ok(!JSON.stringify(attempts).includes(hidden), hidden)
  }
})

async function openRecorded() {
  const opened = await delivered()
  const { log, webhookAttempts } = opened
  const { tenantId, accountId, id: endpointId } = KEY
  const recording = { log, webhookAttempts, attemptSealer }
  const list = async (): Promise<readonly WebhookAttempt[]> =>
    (await webhookAttempts.list({ tenantId, accountId, endpointId, limit: 100 })).map(attemptSealer.open)
  return { ...opened, recording, list }
}

test('stores attempts sealed, and opens them as they were', async () => {
  const { deliverDue, attempts, recording, list, webhookAttempts, id } = await openRecorded()
  await deliverDue()
  await recordAttempts(recording, attempts)
  assert.deepEqual(await list(), attempts.toReversed())
  const [sealed] = await webhookAttempts.list({ ...KEY, endpointId: KEY.id, subjectId: id, limit: 1 })
  assert.ok(sealed !== undefined && !sealed.sealed.includes('customer.test'))
  const other = { ...sealed, endpointId: 'other' as typeof KEY.id }
  assert.throws(() => attemptSealer.open(other))
})

test('an erasure deletes the attempts of the message', async () => {
  const { deliverDue, attempts, recording, list, deps, id } = await openRecorded()
  await deliverDue()
  await recordAttempts(recording, attempts)
  await erase(deps, { tenantId: TENANT, id, traceId: TRACE })
  assert.deepEqual(await list(), [])
})

test('an attempt that was in flight during the erasure is not kept either', async () => {
  const { deliverDue, attempts, recording, list, deps, id } = await openRecorded()
  await deliverDue()
  await erase(deps, { tenantId: TENANT, id, traceId: TRACE })
  await recordAttempts(recording, attempts)
  assert.deepEqual(await list(), [])
})

test('a test event is marked, kept, and answers with what came back', async () => {
  const opened = await openRecorded()
  const { recording, list, webhookDeps, endpoint, requests, endpoints } = opened
  const found = await endpoint()
  assert.ok(found !== undefined)
  const attempt = await sendTestEvent({ ...webhookDeps, ...recording }, found, 'message.delivered')
  assert.match(attempt.event.id, /^test_[0-9a-f-]{36}$/)
  assert.deepEqual([attempt.subjectId, attempt.response?.status, attempt.nextAt], [undefined, 204, undefined])
  assert.deepEqual(await list(), [attempt])
  const [{ headers = {}, body = '' } = {}] = requests
  assert.equal(JSON.parse(body).type, 'message.delivered')
  assert.partialDeepStrictEqual(headers, signer.sign(found, attempt.event.id, attempt.at, body))
  assert.deepEqual(await endpoints.find(KEY), found)
})

test('a test event that fails counts for nothing', async () => {
  const opened = open([UNREACHABLE, answering(410)])
  const found = await opened.addEndpoint()
  assert.ok(found !== undefined)
  const { log, webhookAttempts, webhookDeps } = opened
  const deps = { ...webhookDeps, log, webhookAttempts, attemptSealer }
  const attempt = await sendTestEvent(deps, found, 'message.failed')
  assert.deepEqual([attempt.error, attempt.response, attempt.nextAt], ['connection refused', undefined, undefined])
  await sendTestEvent(deps, found, 'message.failed')
  assert.deepEqual(await opened.endpoint(), found)
  assert.deepEqual(opened.observed, [])
})
