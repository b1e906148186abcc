import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import type { AccountId, EndpointId, TenantId } from '../../domain/ids.ts'
import { CALLBACK } from '../../domain/webhooks/endpoint.ts'
import { type Instant, instant, later, seconds } from '../../lib/time.ts'
import type { SigningEndpoint } from '../../ports/webhook-signer.ts'
import { openWebhookSigner, signatureOf } from './webhook-signer.ts'

const MASTER = Buffer.alloc(32, 1)
const signer = openWebhookSigner(MASTER)
const ENDPOINT: SigningEndpoint = {
  tenantId: 'north' as TenantId,
  accountId: 'shop' as AccountId,
  id: 'e1' as EndpointId,
  secretVersion: 1,
}
const ID = 'evt_0123456789abcdef'
const BODY = '{"type":"message.delivered","data":{"metadata":{"city":"São Paulo 🕊"}}}'
/** The official package uses the wall clock. */
const now = (): Instant => instant(Date.now())

/** Verifies our headers with the official package and the secret of a version. */
function verify(version: number, at: Instant, endpoint = ENDPOINT, body = BODY): unknown {
  return new Webhook(signer.secretOf(endpoint, version)).verify(body, signer.sign(endpoint, ID, at, BODY))
}

test('reproduces the example of the specification', () => {
  const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
  const content = 'msg_p5jXN8AQM9LWM0D4loKWxJek.1614265330.{"test": 2432232314}'
  assert.equal(signatureOf(secret, content), 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
})

test('the official package accepts our signatures, and rejects changed bodies', () => {
  assert.deepEqual(verify(1, now()), JSON.parse(BODY))
  assert.throws(() => verify(1, now(), ENDPOINT, BODY.replace('delivered', 'failed')))
  assert.throws(() => verify(2, now()))
  assert.throws(() => verify(1, later(now(), seconds(-600))))
})

test('the official package accepts any signed body', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.stringMatching(/^evt_[0-9a-f]{32}$/), (body, id) => {
      const webhook = new Webhook(signer.secretOf(ENDPOINT, 1))
      webhook.verify(body, signer.sign(ENDPOINT, id, now(), body), { jsonParse: false })
    }),
  )
})

test('a secret is 32 bytes, the same in every process, and differs by endpoint, version and master key', () => {
  const secret = signer.secretOf(ENDPOINT, 1)
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/)
  assert.equal(openWebhookSigner(MASTER).secretOf(ENDPOINT, 1), secret)
  const others = [
    signer.secretOf(ENDPOINT, 2),
    signer.secretOf({ ...ENDPOINT, id: CALLBACK }, 1),
    signer.secretOf({ ...ENDPOINT, accountId: 'other' as AccountId }, 1),
    signer.secretOf({ ...ENDPOINT, tenantId: 'south' as TenantId }, 1),
    openWebhookSigner(Buffer.alloc(32, 2)).secretOf(ENDPOINT, 1),
  ]
  assert.equal(new Set([secret, ...others]).size, 6)
})

test('both secrets sign while the previous one is valid, afterwards only the new one', () => {
  const at = now()
  const rotated = { ...ENDPOINT, secretVersion: 2, previousSecretUntil: later(at, seconds(1)) }
  assert.deepEqual(verify(2, at, rotated), JSON.parse(BODY))
  assert.deepEqual(verify(1, at, rotated), JSON.parse(BODY))
  const ended = later(at, seconds(1))
  assert.deepEqual(verify(2, ended, rotated), JSON.parse(BODY))
  assert.throws(() => verify(1, ended, rotated))
  assert.equal(signer.sign(rotated, ID, at, BODY)['webhook-signature'].split(' ').length, 2)
})

test('the first secret has no predecessor, and the timestamp is in whole seconds', () => {
  const headers = signer.sign({ ...ENDPOINT, previousSecretUntil: instant(9e15) }, ID, instant(1_614_265_330_999), BODY)
  assert.equal(headers['webhook-signature'].split(' ').length, 1)
  assert.equal(headers['webhook-timestamp'], '1614265330')
  assert.equal(headers['webhook-id'], ID)
})

test('refuses a master key of the wrong length', () => {
  assert.throws(() => openWebhookSigner(Buffer.alloc(16)), /32 bytes/)
})
