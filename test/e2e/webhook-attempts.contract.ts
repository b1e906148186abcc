/** Debugging webhooks: what each attempt sent and got, replaying one delivery, and test events. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { isSigned, NO_CONTENT, openCustomer } from '../support/customer.ts'
import type { FakeResponse } from '../support/fake-http.ts'
import type { Gateway } from '../support/gateway.ts'
import type { SharedGateway } from '../support/shared-gateway.ts'
import { freshNumber, send, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'

type Body = Readonly<{ text: string | null; bytes: number; truncated: boolean }>
type Part = Readonly<{ headers: Readonly<Record<string, string>>; body: Body }>
type Attempt = Readonly<{
  id: string
  url: string
  message_id: string | null
  test: boolean
  event_type: string
  webhook_id: string
  state: string
  status: number | null
  error: string | null
  attempted_at: string
  duration_ms: number
  next_attempt_at: string | null
}>
type Details = Attempt & Readonly<{ request: Part; response: (Part & Readonly<{ status: number }>) | null }>
type Listed = Readonly<{ items: readonly Attempt[]; next_cursor: string | null }>

/** For busy machines. */
const PATIENT = { withinMs: 60_000, everyMs: 100 }
const EVENT = 'message.delivered'
const PROBLEM: FakeResponse = {
  status: 503,
  headers: { 'content-type': 'text/plain', 'set-cookie': 'session=s3cret', 'x-region': 'eu' },
  body: `the order service is down \u001b[31m${'é'.repeat(3_000)}`,
}

export async function webhookAttemptsContract(gateway: SharedGateway): Promise<void> {
  const customer = await openCustomer()
  after(() => customer[Symbol.asyncDispose]())
  const openAccount = (): Promise<Gateway> => gateway.of('demo', `a-${randomUUID()}`)

  test('shows a failed and a successful attempt in full, without secrets', async () => {
    const account = await openAccount()
    const hook = customer.hook((nth) => (nth === 1 ? PROBLEM : NO_CONTENT))
    const secret = await make(account, { url: `${hook.url}?token=s3cret` })
    const to = freshNumber()
    const id = await send(account, { to, message: 'Your code word is pelican.', metadata: { order: '1138' } })
    const [first] = await untilAttempts(account, id, 1)
    assert.deepEqual([first?.state, first?.status, first?.error], ['failed', 503, null])
    assert.ok(Date.parse(first?.next_attempt_at ?? '') > Date.parse(first?.attempted_at ?? ''))

    await account.call('PATCH', '/v1/endpoints/hook', { enabled: true })
    const [latest, failed] = await untilAttempts(account, id, 2)
    assert.deepEqual([latest?.state, latest?.status, latest?.next_attempt_at], ['delivered', 204, null])
    assert.deepEqual([failed, latest?.webhook_id], [first, first?.webhook_id])

    const [shown, other] = [await showAttempt(account, first), await showAttempt(account, latest)]
    const { body: sent, headers } = hook.received()[0]?.request ?? assert.fail('nothing arrived')
    assert.deepEqual(shown.request.body, { text: sent, bytes: Buffer.byteLength(sent), truncated: false })
    assert.equal(JSON.parse(sent).data.metadata.order, '1138')
    for (const name of ['webhook-id', 'webhook-timestamp', 'traceparent', 'content-type']) {
      assert.equal(shown.request.headers[name], headers[name], name)
    }
    assert.equal(shown.url, `${hook.url}?***`)
    assert.equal(shown.request.headers['webhook-signature'], '***')
    const { 'x-region': region, 'set-cookie': cookie } = shown.response?.headers ?? {}
    assert.deepEqual([region, cookie], ['eu', '***'])
    const { text = '', bytes, truncated } = shown.response?.body ?? assert.fail('no response')
    assert.deepEqual([bytes, truncated], [Buffer.byteLength(PROBLEM.body), true])
    assert.match(text ?? '', /^the order service is down \[31mé{2000,}$/)
    assert.ok(Buffer.byteLength(text ?? '') <= 4096)
    assert.deepEqual(other.response?.body, { text: '', bytes: 0, truncated: false })
    const signature = String(headers['webhook-signature'])
    for (const hidden of ['s3cret', secret, signature, 'pelican', to]) {
      assert.ok(!JSON.stringify([shown, other, latest]).includes(hidden), hidden)
    }
  })

  test('replays one delivery, and its attempts show how it went', async () => {
    const account = await openAccount()
    const hook = customer.hook()
    await make(account, { url: hook.url })
    const [id, other] = [await send(account), await send(account)]
    await untilAttempts(account, id, 1)
    await untilAttempts(account, other, 1)
    const replayed = await account.call('POST', '/v1/endpoints/hook/replay', { message_id: id })
    assert.deepEqual([replayed.status, replayed.body], [202, { replayed: 1 }])
    const [again, first] = await untilAttempts(account, id, 2)
    assert.deepEqual([again?.webhook_id, again?.state], [first?.webhook_id, 'delivered'])
    assert.equal((await attemptsOf(account, other)).length, 1)
    const { items } = (await account.call<Listed>('GET', '/v1/endpoints/hook/attempts?limit=2')).body
    assert.deepEqual([items.length, items[0]], [2, again])
  })

  test('names the endpoint of each delivery by its URL', async () => {
    const account = await openAccount()
    const hook = customer.hook()
    await make(account, { url: `${hook.url}?token=s3cret` })
    const id = await send(account, { callback_url: `${hook.url}?own=s3cret` })
    await untilStatus(account, id, 'delivered', PATIENT)
    type Urls = Readonly<{ items: readonly Readonly<{ endpoint_id: string; endpoint_url: string }>[] }>
    const named = await until(
      'both deliveries',
      async () => {
        const { items } = (await account.call<Urls>('GET', `/v1/messages/${id}/webhook-deliveries`)).body
        return items.length === 2 && items.map((one) => [one.endpoint_id, one.endpoint_url]).toSorted()
      },
      PATIENT,
    )
    assert.deepEqual(named, [
      ['callback', `${hook.url}?***`],
      ['hook', `${hook.url}?***`],
    ])
  })

  test('sends a signed test event to a disabled endpoint, and shows the response', async () => {
    const account = await openAccount()
    const hook = customer.hook(() => ({
      status: 422,
      headers: { 'content-type': 'text/plain' },
      body: 'unknown field',
    }))
    const secret = await make(account, { url: hook.url, events: [EVENT] })
    await account.call('PATCH', '/v1/endpoints/hook', { enabled: false })
    const tested = await account.call<Details>('POST', '/v1/endpoints/hook/test', {})
    assert.equal(tested.status, 200, tested.text)
    const { request, response, ...shown } = tested.body
    assert.deepEqual(
      [shown.test, shown.state, response?.status, response?.body.text],
      [true, 'failed', 422, 'unknown field'],
    )
    const [received, ...more] = hook.received()
    assert.ok(received !== undefined && more.length === 0)
    assert.ok(isSigned(received, secret))
    const payload = new Webhook(secret).verify(
      received.request.body,
      received.request.headers as Record<string, string>,
    ) as Readonly<{ type: string; data: Readonly<Record<string, unknown>> }>
    assert.deepEqual([payload.type, payload.data['status'], payload.data['tags']], [EVENT, 'delivered', ['test']])
    assert.match(received.id, /^test_/)
    assert.equal(request.body.text, received.request.body)
    assert.deepEqual((await account.call<Listed>('GET', '/v1/endpoints/hook/attempts')).body.items, [shown])
    const missing = await account.call('GET', `/v1/messages/${String(payload.data['message_id'])}`)
    assert.equal(missing.status, 404)
  })

  test('a test event says why there was no response', async () => {
    const account = await openAccount()
    const reasons: [url: string, reason: RegExp][] = [
      ['http://192.168.7.7/hook', /not a public IP address/],
      ['http://localhost.invalid/', /host name could not be resolved/],
      ['http://127.0.0.1:1/', /refused the connection/],
      [customer.hook().url.replace('http:', 'https:'), /TLS handshake/],
    ]
    for (const [nth, [url, reason]] of reasons.entries()) {
      await make(account, { id: `e${nth}`, url })
      const { status, body, text } = await account.call<Details>('POST', `/v1/endpoints/e${nth}/test`, { event: EVENT })
      assert.equal(status, 200, text)
      assert.deepEqual([body.response, body.status, body.state], [null, null, 'failed'])
      assert.match(body.error ?? '', reason)
    }
  })

  test('erasing a message deletes its attempts', async () => {
    const account = await openAccount()
    const hook = customer.hook()
    await make(account, { url: hook.url })
    const [id, other] = [await send(account), await send(account)]
    await untilAttempts(account, id, 1)
    await untilAttempts(account, other, 1)
    assert.equal((await account.call('POST', `/v1/messages/${id}/erase`)).status, 200)
    assert.deepEqual(await attemptsOf(account, id), [])
    assert.equal((await attemptsOf(account, other)).length, 1)
  })
}

/** Creates an endpoint, `hook` by default, for delivered messages, and returns its secret. */
async function make({ call }: Gateway, fields: object): Promise<string> {
  const wanted = { id: 'hook', events: [EVENT], ...fields }
  const { status, body, text } = await call<{ secret: string }>('POST', '/v1/endpoints', wanted)
  assert.equal(status, 201, text)
  return body.secret
}

async function attemptsOf({ call }: Gateway, id: string): Promise<readonly Attempt[]> {
  const { status, body, text } = await call<Listed>('GET', `/v1/endpoints/hook/attempts?message_id=${id}`)
  assert.equal(status, 200, text)
  return body.items
}

const untilAttempts = (account: Gateway, id: string, count: number): Promise<readonly Attempt[]> =>
  until(
    `${count} attempts of ${id}`,
    async () => {
      const attempts = await attemptsOf(account, id)
      return attempts.length >= count && attempts
    },
    PATIENT,
  )

async function showAttempt({ call }: Gateway, attempt: Attempt | undefined): Promise<Details> {
  const { status, body, text } = await call<Details>('GET', `/v1/endpoints/hook/attempts/${attempt?.id}`)
  assert.equal(status, 200, text)
  return body
}
