/** Status callbacks of messages that were sent through Twilio's API. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { getExpectedTwilioSignature } from 'twilio/lib/webhooks/webhooks.js'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { TwilioTerms } from '../../domain/twilio/terms.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openWebhookSigner } from '../../engines/crypto/webhook-signer.ts'
import { toHmacSha1State } from '../../lib/hmac-sha1.ts'
import { seconds } from '../../lib/time.ts'
import { erase } from '../admin/erase.ts'
import { CONTENT, receiptOf, SUBMISSION, TENANT, TRACE } from '../gateway.fixture.ts'
import { applyReceipt } from '../receive/apply-receipt.ts'
import { answering, CALLBACK_URL, customers } from './deliver-webhook.fixture.ts'

const signer = openWebhookSigner(Buffer.alloc(32, 1))
const world = customers({ openEngine: openMemoryEngine, ids: openIds(), signer })
const TOKEN = 'pk_live_8f3k1x0q7zab_S3cretS3cretS3cretS3cretS3cretS3cretS3cr'
const TWILIO: TwilioTerms = { accountSid: `AC${'1'.repeat(32)}`, signing: toHmacSha1State(TOKEN) }

/** A message with a due callback, which ends like this. */
async function ended(state: 'delivered' | 'bounced', answers: Parameters<typeof world.open>[0] = []) {
  const opened = world.open(answers)
  const id = await opened.submit({ ...SUBMISSION, content: { ...CONTENT, callbackUrl: CALLBACK_URL, twilio: TWILIO } })
  opened.pass(seconds(1))
  await opened.work()
  opened.pass(seconds(1))
  await applyReceipt(opened.deps, receiptOf(await opened.stateOf(id), state))
  await opened.enqueue(id)
  const forms = () => opened.requests.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))
  return { ...opened, id, forms }
}

test('posts a signed form for what Twilio calls back, and nothing else', async () => {
  const { deliverDue, requests, forms, id } = await ended('delivered')
  await deliverDue()
  const sid = `SM${id.replaceAll('-', '')}`
  const common = {
    MessageSid: sid,
    SmsSid: sid,
    AccountSid: TWILIO.accountSid,
    To: CONTENT.to,
    ApiVersion: '2010-04-01',
  }
  assert.deepEqual(
    forms(),
    ['sent', 'delivered'].map((status) => ({ ...common, MessageStatus: status, SmsStatus: status })),
  )
  for (const [n, { url, headers, body }] of requests.entries()) {
    assert.equal(url, CALLBACK_URL)
    assert.equal(headers['content-type'], 'application/x-www-form-urlencoded')
    assert.equal(headers['x-twilio-signature'], getExpectedTwilioSignature(TOKEN, url, forms()[n] ?? {}))
    assert.ok(headers['traceparent'] !== undefined && headers['webhook-signature'] === undefined)
    assert.ok(!body.includes(encodeURIComponent(CONTENT.body)))
  }
})

test('a failure has the code of Twilio, and what it means', async () => {
  const { deliverDue, forms } = await ended('bounced')
  await deliverDue()
  const { MessageStatus: status, ErrorCode: code, ErrorMessage: message } = forms().at(-1) ?? {}
  assert.equal(status, 'undelivered')
  assert.match(code ?? '', /^\d{5}$/)
  assert.ok((message ?? '').length > 0)
})

test('is retried with the same idempotency token; what is kept of it names nobody', async () => {
  const { deliverDue, requests, pass, attempts } = await ended('delivered', [answering(503)])
  await deliverDue()
  pass(seconds(10))
  await deliverDue()
  const tokens = requests.map(({ headers }) => headers['i-twilio-idempotency-token'])
  assert.deepEqual([requests.length, tokens[0] === tokens[1], tokens[1] === tokens[2]], [3, true, false])
  assert.equal(attempts.length, 3)
  for (const { request } of attempts) {
    assert.match(request.body.text ?? '', /(^|&)To=%2B\*+\d{4}(&|$)/)
    assert.equal(request.headers['x-twilio-signature'], '***')
    assert.ok(!JSON.stringify(request).includes(CONTENT.to.slice(1)))
  }
})

test('an erased message is not called back', async () => {
  const { deliverDue, requests, deps, id } = await ended('delivered')
  await erase(deps, { tenantId: TENANT, id, traceId: TRACE })
  await deliverDue()
  assert.equal(requests.length, 0)
})
