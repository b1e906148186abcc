/** What docs/webhooks.md shows is tried: people copy it. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import type { MessageId } from '../../domain/ids.ts'
import { toPayload } from '../../domain/webhooks/payload.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { openFixture, SMS } from '../server.fixture.ts'

type Verify = (headers: object, body: string | Buffer, secret: string, now?: number) => boolean

const page = await readFile(new URL('../../../docs/webhooks.md', import.meta.url), 'utf8')
const [, program = ''] = /```js\n([\s\S]+?)```/.exec(page) ?? []
const { isFromPombo }: { isFromPombo: Verify } = await import(`data:text/javascript,${encodeURIComponent(program)}`)

/** The vector of the specification. */
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const BODY = '{"test": 2432232314}'
const AT = 1_614_265_330
const HEADERS = {
  'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  'webhook-timestamp': `${AT}`,
  'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
}

test('the documented program accepts valid signatures, one or several', () => {
  assert.ok(isFromPombo(HEADERS, BODY, SECRET, AT))
  assert.ok(isFromPombo(HEADERS, Buffer.from(BODY), SECRET, AT + 300))
  const two = { ...HEADERS, 'webhook-signature': `v1,${'A'.repeat(43)}= ${HEADERS['webhook-signature']}` }
  assert.ok(isFromPombo(two, BODY, SECRET, AT))
})

test('the documented program agrees with the standardwebhooks package', () => {
  const now = new Date()
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': `${Math.floor(now.getTime() / 1000)}`,
    'webhook-signature': new Webhook(SECRET).sign('evt_1', now, BODY),
  }
  assert.ok(isFromPombo(headers, BODY, SECRET))
  assert.deepEqual(new Webhook(SECRET).verify(BODY, headers), JSON.parse(BODY))
})

test('the documented program refuses forged, old and unsigned webhooks', () => {
  assert.ok(!isFromPombo(HEADERS, `${BODY} `, SECRET, AT))
  assert.ok(!isFromPombo({ ...HEADERS, 'webhook-id': 'msg_other' }, BODY, SECRET, AT))
  assert.ok(!isFromPombo(HEADERS, BODY, `${SECRET.slice(0, -1)}A`, AT))
  for (const now of [AT + 301, AT - 301]) assert.ok(!isFromPombo(HEADERS, BODY, SECRET, now))
  assert.ok(!isFromPombo({ ...HEADERS, 'webhook-timestamp': 'x' }, BODY, SECRET, AT))
  assert.ok(!isFromPombo({}, BODY, SECRET, AT))
})

test('the documented example has the fields that are delivered', async () => {
  await using api = await openFixture({ openEngine: openMemoryEngine, ids: openIds() })
  const sent = await (await api.caller())('POST', '/v1/sms/send', { ...SMS, idempotency_key: 'k' })
  const loaded = await api.deps.log.load(sent.json().request_id as MessageId)
  if (loaded === undefined) throw new Error('not stored')
  const real = toPayload(loaded.event, loaded.content)
  const [, example = ''] = /```http\n[\s\S]+?\n\n([\s\S]+?)```/.exec(page) ?? []
  const documented = JSON.parse(example)
  assert.deepEqual(Object.keys(documented), Object.keys(real))
  assert.deepEqual(Object.keys(documented.data), Object.keys(real.data))
  assert.equal(documented.data.to, real.data['to'])
})
