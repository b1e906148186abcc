/**
 * What operators see from outside, in real processes: one trace of a message at an OTLP collector, from its caller to
 * its webhook, and log lines that all follow the published schema.
 */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { openCollector, type Span, valuesOf } from '../../src/observe/tracing.fixture.ts'
import { type Env, ROOT } from '../support/command.ts'
import { type Customer, GONE, openCustomer } from '../support/customer.ts'
import { openFakeTwilio, refusal, TWILIO } from '../support/fake-twilio.ts'
import type { Gateway } from '../support/gateway.ts'
import { QUICK } from '../support/routes.ts'
import { freshNumber, magic, post, type Sms, send, someSms, untilEvent, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'

export type Observed = AsyncDisposable &
  Readonly<{
    gateway: Gateway
    /** Stops all processes gracefully and returns the lines they have logged. */
    stop: () => Promise<readonly string[]>
  }>
export type OpenObserved = (options: Readonly<{ config: object; env: Env }>) => Promise<Observed>

type World = Readonly<{
  gateway: Gateway
  twilio: Awaited<ReturnType<typeof openFakeTwilio>>
  hook: Customer['hook']
}>

const CALLER = 'b7ad6b7169203331'
const [RECORDED, UNRECORDED] = ['0af7651916cd43dd8448eb211c80319c', '1bf7651916cd43dd8448eb211c80319d']
const TEXT = 'Your parcel waits under the mistletoe.'
const TRACED = 'Traced'

export async function observingContract(profile: string, open: OpenObserved): Promise<void> {
  await describe(`a gateway on ${profile}, as operators see it`, async () => {
    const { spans, lines, recorded, unrecorded } = await observe(open)

    test('a message is one trace, from the caller to the webhook', () => {
      const own = spans.filter(({ traceId }) => traceId === RECORDED)
      const names = new Map(own.map((span) => [span.spanId, labelOf(span)]))
      const tree = own.map((span) => [labelOf(span), names.get(span.parentSpanId ?? '') ?? span.parentSpanId])
      assert.deepEqual(tree.toSorted(), [
        ['POST /v1/callbacks/:provider', 'call traced'],
        ['POST /v1/sms/send', CALLER],
        ['accept', 'POST /v1/sms/send'],
        ['attempt 1', 'accept'],
        ['call traced', 'attempt 1'],
        ['receipt', 'POST /v1/callbacks/:provider'],
        ['webhook HandoffAccepted', 'attempt 1'],
        ['webhook HandoffAttempted', 'attempt 1'],
        ['webhook MessageCreated', 'accept'],
        ['webhook ProviderDelivered', 'receipt'],
      ])
    })

    test('the provider and the customer get the span that called them', () => {
      const idOf = (label: string) => spans.find((span) => span.traceId === RECORDED && labelOf(span) === label)?.spanId
      assert.equal(recorded.atProvider, `00-${RECORDED}-${idOf('call traced')}-01`)
      assert.equal(recorded.atCustomer, `00-${RECORDED}-${idOf('webhook ProviderDelivered')}-01`)
    })

    test('nothing is exported of a trace that its caller does not record, and others are told so', () => {
      assert.deepEqual(spans.filter(({ traceId }) => traceId === UNRECORDED).map(labelOf), [])
      for (const traceparent of [unrecorded.atProvider, unrecorded.atCustomer]) {
        assert.match(traceparent, new RegExp(`^00-${UNRECORDED}-[0-9a-f]{16}-00$`))
      }
    })

    test('every log line follows docs/log-line.schema.json', async () => {
      const schema = Compile(JSON.parse(await readFile(join(ROOT, 'docs/log-line.schema.json'), 'utf8')))
      for (const line of lines) assert(schema.Check(JSON.parse(line)), line)
      const seen = new Set(lines.map((line) => JSON.parse(line)).map(({ event, msg }) => event ?? msg))
      for (const one of SEEN) assert(seen.has(one), `no line says ${one}`)
    })

    test('every event line of a message has the ids of its call, its trace, its attempt and its provider', () => {
      const own = lines.map((line) => JSON.parse(line)).filter((line) => line.event && line.message_id === recorded.id)
      assert.equal(own.length, 4)
      for (const { trace_id, http_request_id, tenant_id } of own) {
        assert.deepEqual([trace_id, http_request_id, tenant_id], [RECORDED, 'checkout-1138', 'demo'])
      }
      const [created, attempted, ...others] = own.toSorted((one, other) => one.seq - other.seq)
      assert.deepEqual([created.event, created.attempt_id], ['MessageCreated', undefined])
      assert.deepEqual([attempted.event, attempted.provider_message_id], ['HandoffAttempted', undefined])
      for (const { attempt_id, provider_message_id } of others) {
        assert.deepEqual([attempt_id, provider_message_id], [attempted.attempt_id, recorded.sid])
      }
    })

    test('S1-P14 no log line and no span has a whole number, a text or a secret', () => {
      const all = lines.join('\n') + JSON.stringify(spans)
      for (const secret of ['+15551', '15551000', 'mistletoe', TWILIO.auth_token]) assert(!all.includes(secret), secret)
    })
  })
}

/** Events of messages, and what other lines say. */
const SEEN = [
  ...['MessageCreated', 'HandoffAttempted', 'HandoffAccepted', 'ProviderDelivered', 'RetryScheduled', 'HandoffFailed'],
  ...['request answered', 'request refused', 'delivery report applied', 'callback refused: signature not valid'],
  ...['circuit breaker opened manually', 'circuit breaker closed manually', 'sms accepted'],
  'webhooks: endpoint disabled because it answered 410 Gone',
]

/** Takes a gateway through its main paths, stops it, and returns what it has told. */
async function observe(open: OpenObserved) {
  await using collector = await openCollector()
  await using twilio = await openFakeTwilio()
  await using customer = await openCustomer()
  const settings = { ...TWILIO, from: '+15005550006', base_url: twilio.url }
  const traced = { name: 'traced', kind: 'twilio', settings }
  const route = {
    id: 'traced',
    channel: 'sms',
    sender: TRACED,
    providers: ['traced'],
    retry: { delays_seconds: [0.1] },
  }
  await using observed = await open({
    config: {
      providers: [{ name: 'simulator', kind: 'simulator' }, traced],
      routes: [...QUICK.routes, route],
    },
    env: {
      POMBO_LOG_LEVEL: 'debug',
      POMBO_WEBHOOK_NETWORKS: '127.0.0.0/8',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    },
  })
  const { gateway } = observed
  const world = { gateway, twilio, hook: customer.hook }
  const recorded = await deliver(world, `00-${RECORDED}-${CALLER}-01`)
  const unrecorded = await deliver(world, `00-${UNRECORDED}-${CALLER}-00`)
  await takeDetours(world)
  const lines = await observed.stop()
  return { spans: collector.spans(), lines, recorded, unrecorded }
}

const labelOf = ({ name, attributes }: Span): string =>
  name === 'webhook' ? `webhook ${valuesOf(attributes)['pombo.event']}` : name

/** A message with a callback URL, delivered by a provider that passes the trace on with its callback. */
async function deliver(world: World, traceparent: string) {
  const { gateway, twilio, hook } = world
  const told = hook()
  const sms = someSms({ message: TEXT, sender_id: TRACED, callback_url: told.url })
  const { body } = await gateway.call<{ id: string }>('POST', '/v1/sms/send', sms, {
    traceparent,
    'x-request-id': 'checkout-1138',
  })
  const { sid, atProvider } = await untilTwilioHas(world, sms)
  await untilStatus(gateway, body.id, 'sent')
  await bring(gateway, twilio.report(sid, 'delivered'), { traceparent: atProvider })
  const last = await until('the last webhook', () => told.received().find(({ type }) => type === 'message.delivered'))
  return { id: body.id, sid, atProvider, atCustomer: String(last.request.headers['traceparent']) }
}

async function untilTwilioHas({ twilio }: World, { to }: Sms) {
  const { sid } = await until('Twilio to have it', () => twilio.messages.find(({ form }) => form.get('To') === to))
  const request = twilio.requests.find(({ body }) => new URLSearchParams(body).get('To') === to)
  return { sid, atProvider: String(request?.headers['traceparent']) }
}

type Callback = ReturnType<World['twilio']['report']>

/** As a proxy at the public address would. */
async function bring({ url: own }: Gateway, { method, url, headers, body }: Callback, more: Env = {}): Promise<number> {
  const { pathname, search } = new URL(url)
  const all = { ...Object.fromEntries(headers), ...more }
  const response = await fetch(`${own}${pathname}${search}`, { method, headers: all, body })
  await response.arrayBuffer()
  return response.status
}

/** Retries, failures, a forged callback, a circuit breaker, a limit and an endpoint that is gone. */
async function takeDetours(world: World): Promise<void> {
  const { gateway, twilio, hook } = world
  twilio.behave(refusal(503, 20503))
  const retried = await send(gateway, { message: TEXT, sender_id: TRACED })
  await untilEvent(gateway, retried, 'RetryScheduled')
  twilio.behave('well')
  await untilStatus(gateway, retried, 'sent')
  await untilStatus(gateway, await send(gateway, { to: magic('0001') }), 'failed')

  const [{ sid } = assert.fail()] = twilio.messages
  const forged = { ...twilio.report(sid, 'failed'), body: Buffer.from('MessageStatus=delivered') }
  assert.equal(await bring(gateway, forged), 401)
  for (const action of ['trip', 'reset']) {
    assert.equal((await gateway.call('POST', '/v1/providers/traced/breaker', { action })).status, 200)
  }
  await limit(gateway)
  const gone = hook(() => GONE)
  await gateway.call('POST', '/v1/endpoints', { id: 'gone', url: gone.url })
  await send(gateway, { to: magic('0006') })
  await until('the endpoint to be disabled', async () => {
    const { body } = await gateway.call<{ enabled: boolean }>('GET', '/v1/endpoints/gone')
    return !body.enabled
  })
}

/** One message to this recipient is accepted, the next one refused. */
async function limit(gateway: Gateway): Promise<void> {
  const to = freshNumber()
  const path = `/v1/limits/recipient/${encodeURIComponent(to)}`
  assert.equal((await gateway.call('PUT', path, { limit: 1, window_seconds: 600 })).status, 200)
  const answers = [await post(gateway, someSms({ to })), await post(gateway, someSms({ to }))]
  assert.deepEqual(
    answers.map(({ status }) => status),
    [202, 429],
  )
}
