/** The verification of the Node client, compared with the library of Standard Webhooks. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { verifyWebhook } from '../../../clients/node/src/webhooks.ts'

const SECRET = `whsec_${Buffer.from('a secret that is only a test').toString('base64')}`
const OTHER = `whsec_${Buffer.from('another one').toString('base64')}`
const NOW = Date.parse('2030-01-31T12:00:00Z')
const BODY = JSON.stringify({
  type: 'message.sent',
  timestamp: '2030-01-31T12:00:00.000Z',
  data: { to: '+*******4321 ✓' },
})

const sign = (body = BODY, { secret = SECRET, id = 'evt_1', at = NOW } = {}): Readonly<Record<string, string>> => ({
  'webhook-id': id,
  'webhook-timestamp': String(Math.floor(at / 1000)),
  'webhook-signature': new Webhook(secret).sign(id, new Date(at), body),
})
const verify = (
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>>,
  secret: string | string[] = SECRET,
) => verifyWebhook(body, headers, secret, { now: NOW })
const REFUSED = { name: 'WebhookVerificationError' }

describe('a webhook', () => {
  test('is accepted as text and as bytes, with headers of any kind', async () => {
    const headers = sign()
    const event = await verify(BODY, headers)
    assert.deepEqual(event, { id: 'evt_1', ...JSON.parse(BODY) })
    assert.deepEqual(await verify(Buffer.from(BODY), headers), event)
    assert.deepEqual(await verifyWebhook(BODY, new Headers(headers), SECRET, { now: NOW }), event)
    const shouted = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value]))
    assert.deepEqual(await verify(BODY, shouted), event)
  })

  test('that the library signs is accepted, whatever it carries', async () => {
    const value = fc
      .record({ type: fc.constant('message.sent'), data: fc.jsonValue() })
      .map((one) => JSON.stringify(one))
    await fc.assert(
      fc.asyncProperty(value, fc.uint8Array({ minLength: 1, maxLength: 64 }), async (body, key) => {
        const secret = `whsec_${Buffer.from(key).toString('base64')}`
        await verify(body, sign(body, { secret }), secret)
        await assert.rejects(verify(`${body} `, sign(body, { secret }), secret), REFUSED)
      }),
      { numRuns: 50 },
    )
  })

  test('is accepted during a rotation: one of its signatures, or one of your secrets, is enough', async () => {
    const both = {
      ...sign(),
      'webhook-signature': `v1a,x ${sign(BODY, { secret: OTHER })['webhook-signature']} ${sign()['webhook-signature']}`,
    }
    for (const secret of [SECRET, OTHER, [OTHER, SECRET]]) await verify(BODY, both, secret)
    await verify(BODY, sign(), [OTHER, SECRET])
  })

  test('is refused if anything was changed, is missing or old', async () => {
    const headers = sign()
    const changed: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
      [BODY.replace('4321', '4322'), headers],
      [BODY, { ...headers, 'webhook-id': 'evt_2' }],
      [BODY, { ...headers, 'webhook-timestamp': String(NOW / 1000 + 1) }],
      [BODY, { ...headers, 'webhook-signature': 'v1,' }],
      [BODY, { ...headers, 'webhook-signature': 'v1,%%%' }],
      [BODY, { ...headers, 'webhook-signature': headers['webhook-signature']?.replace('v1,', 'v2,') ?? '' }],
      [BODY, { ...headers, 'webhook-timestamp': 'yesterday' }],
      [BODY, {}],
      [BODY, sign(BODY, { secret: OTHER })],
      [BODY, sign(BODY, { at: NOW - 301_000 })],
      [BODY, sign(BODY, { at: NOW + 301_000 })],
    ]
    for (const [n, [body, one]] of changed.entries()) await assert.rejects(verify(body, one), REFUSED, `${n}`)
    await verify(BODY, sign(BODY, { at: NOW - 299_000 }))
  })

  test('cannot be verified with what is no secret', async () => {
    for (const secret of ['', 'whsec_', 'whsec_%%%']) await assert.rejects(verify(BODY, sign(), secret), TypeError)
  })
})
