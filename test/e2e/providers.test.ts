/** Provider adapters in a running gateway, over the wire to fake providers and back by signed callbacks. */
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { CallbackRequest } from '../../src/ports/provider.ts'
import { jsonResponse } from '../support/fake-http.ts'
import { MESSAGEBIRD, openFakeMessageBird } from '../support/fake-messagebird.ts'
import { openFakeTwilio, refusal, TWILIO } from '../support/fake-twilio.ts'
import { shareEmbedded } from '../support/shared-gateway.ts'
import {
  freshNumber,
  inboxOf,
  kindsOf,
  payloadField,
  search,
  send,
  show,
  untilEvent,
  untilStatus,
} from '../support/sms.ts'
import { until } from '../support/until.ts'

const PUBLIC_URL = 'https://pombo.example/behind/a/proxy'
const inBraces = (name: string): string => `\${${name}}`

describe('a gateway with real providers', { timeout: 110_000 }, async () => {
  const [twilio, bird] = [await openFakeTwilio(), await openFakeMessageBird()]
  after(async () => {
    await twilio[Symbol.asyncDispose]()
    await bird[Symbol.asyncDispose]()
  })
  const simulator = { name: 'simulator', kind: 'simulator' }
  const settings = {
    account_sid: TWILIO.account_sid,
    auth_token: inBraces('TWILIO_AUTH_TOKEN'),
    from: '+15005550006',
    base_url: twilio.url,
  }
  const gateway = await shareEmbedded({
    config: {
      providers: [
        { name: 'main', kind: 'twilio', settings },
        { name: 'bird', kind: 'messagebird', settings: { ...MESSAGEBIRD, base_url: bird.url } },
        simulator,
      ],
      routes: [
        { id: 'default', channel: 'sms', providers: ['main', 'simulator'], unknown: { wait_seconds: 600 } },
        { id: 'asking', channel: 'sms', sender: 'Asking', providers: ['bird'], unknown: { wait_seconds: 1 } },
        { id: 'alone', channel: 'sms', sender: 'Alone', providers: ['main'] },
        { id: 'bird', channel: 'sms', sender: 'Bird', providers: ['bird'] },
      ],
    },
    env: {
      POMBO_PUBLIC_URL: PUBLIC_URL,
      TWILIO_AUTH_TOKEN: TWILIO.auth_token,
      POMBO_PROVIDER_TIMEOUT_SECONDS: '3',
    },
  })

  /** Sends a callback to the gateway, as the proxy at its public address would. */
  const bring = async ({ method, url, headers, body }: CallbackRequest): Promise<number> => {
    assert.ok(url.startsWith(PUBLIC_URL), url)
    const path = url.slice(PUBLIC_URL.length)
    const response = await fetch(`${gateway.url}${path}`, { method, headers, ...(method === 'GET' ? {} : { body }) })
    await response.arrayBuffer()
    return response.status
  }
  const accepted = (to: string) =>
    until(`Twilio to have the message to ${to}`, () => twilio.messages.find(({ form }) => form.get('To') === to))

  test('a message is sent over the wire, and its signed callbacks deliver it', async () => {
    const to = freshNumber()
    const id = await send(gateway, { to, message: 'Olá! It costs 5 € & more.' })
    const { sid, form } = await accepted(to)
    assert.deepEqual([form.get('Body'), form.get('From')], ['Olá! It costs 5 € & more.', '+15005550006'])
    await untilStatus(gateway, id, 'sent')
    // Duplicated and out of order.
    for (const status of ['sent', 'delivered', 'delivered', 'sending']) {
      assert.equal(await bring(twilio.report(sid, status)), 200)
    }
    const message = await show(gateway, id)
    assert.deepEqual([message.status, message.provider, message.provider_message_id], ['delivered', 'main', sid])
    assert.deepEqual(kindsOf(message).slice(-4), [
      'HandoffAttempted',
      'HandoffAccepted',
      'ProviderAccepted',
      'ProviderDelivered',
    ])
  })

  test('S1-P16 a callback that is not signed gets 401 and changes nothing', async () => {
    const to = freshNumber()
    const id = await send(gateway, { to })
    const { sid } = await accepted(to)
    const before = await untilStatus(gateway, id, 'sent')
    const callback = twilio.report(sid, 'failed', 30007)
    const unsigned = new Headers({ 'content-type': callback.headers.get('content-type') ?? '' })
    const delivered = Buffer.from(Buffer.from(callback.body).toString().replaceAll('failed', 'delivered'))
    for (const forged of [
      { ...callback, headers: unsigned },
      { ...callback, body: delivered },
      { ...callback, url: callback.url.replace(/\.1\.1$/, '.1.2') },
    ]) {
      assert.equal(await bring(forged), 401)
    }
    assert.deepEqual(await show(gateway, id), before)
    assert.equal(await bring(callback), 200)
    const { status, error_code: code } = await show(gateway, id)
    assert.deepEqual([status, code], ['failed', 'MESSAGE_REJECTED'])
  })

  test('a provider that rejects our account is excluded in favour of the next', async () => {
    twilio.behave(refusal(400, 21606))
    const to = freshNumber()
    const id = await send(gateway, { to })
    const message = await untilStatus(gateway, id, 'delivered')
    twilio.behave('well')
    assert.equal(message.provider, 'simulator')
    assert.equal((await inboxOf(gateway, to)).length, 1)
    const retry = message.events.find(({ event_type: kind }) => kind === 'RetryScheduled')
    assert.equal(retry && payloadField(retry, 'code'), 'INVALID_SENDER_ID')
  })

  test('a number that Twilio rejects is not tried at another provider', async () => {
    twilio.behave(refusal(400, 21211))
    const id = await send(gateway)
    const { error_code: code, error_detail: detail } = await untilStatus(gateway, id, 'failed')
    twilio.behave('well')
    assert.equal(code, 'INVALID_NUMBER')
    assert.ok(!detail?.includes('5551234567'))
  })

  test('a call that hangs has an unknown outcome, which the callback of its message resolves', async () => {
    twilio.behave('hang')
    const to = freshNumber()
    const id = await send(gateway, { to })
    const { sid } = await accepted(to)
    await untilEvent(gateway, id, 'HandoffUnknown')
    twilio.behave('well')
    assert.equal(await bring(twilio.report(sid, 'delivered')), 200)
    const message = await untilStatus(gateway, id, 'delivered')
    assert.deepEqual(kindsOf(message).slice(-4), [
      'HandoffAttempted',
      'HandoffUnknown',
      'HandoffAccepted',
      'ProviderDelivered',
    ])
    assert.equal(twilio.messages.filter(({ form }) => form.get('To') === to).length, 1)
    assert.deepEqual(await inboxOf(gateway, to), [])
  })

  for (const answer of [refusal(503, 20503), refusal(500, 20500), { status: 502, body: '<html>' }]) {
    test(`a provider that answers ${answer.status} once gets the message by the next call`, async () => {
      twilio.behave(answer)
      const to = freshNumber()
      const id = await send(gateway, { to, sender_id: 'Alone' })
      await untilEvent(gateway, id, 'RetryScheduled')
      twilio.behave('well')
      const message = await untilStatus(gateway, id, 'sent')
      assert.deepEqual(kindsOf(message).slice(-4), [
        'HandoffAttempted',
        'RetryScheduled',
        'HandoffAttempted',
        'HandoffAccepted',
      ])
      assert.equal(twilio.messages.filter(({ form }) => form.get('To') === to).length, 1)
    })
  }

  test('a message that is accepted as failed fails at once', async () => {
    const sid = `SM${'5'.repeat(32)}`
    twilio.behave(jsonResponse(201, { sid, status: 'failed', error_code: 30007 }))
    const id = await send(gateway, { sender_id: 'Alone' })
    const message = await untilStatus(gateway, id, 'failed')
    twilio.behave('well')
    assert.deepEqual([message.provider_message_id, message.error_code], [sid, 'MESSAGE_REJECTED'])
    assert.deepEqual(kindsOf(message).slice(-3), ['HandoffAttempted', 'HandoffAccepted', 'ProviderDropped'])
  })

  test('a lost answer is recovered by a lookup with our reference', async () => {
    bird.behave('hang up')
    const to = freshNumber()
    const id = await send(gateway, { to, sender_id: 'Asking' })
    const accepted = () => bird.messages.filter(({ order }) => order.recipients[0] === to.slice(1))
    await until('MessageBird to have the message', () => accepted().length > 0)
    bird.behave('well')
    const message = await untilStatus(gateway, id, 'sent')
    assert.deepEqual([message.provider_message_id, accepted().length], [accepted()[0]?.id, 1])
    assert.ok(kindsOf(message).includes('HandoffUnknown'))
  })

  test('MessageBird reports by GET with every kind of signature', async () => {
    const to = freshNumber()
    const id = await send(gateway, { to, sender_id: 'Bird' })
    await untilStatus(gateway, id, 'sent')
    const message = bird.messages.find(({ order }) => order.recipients[0] === to.slice(1))
    assert.ok(message)
    const callback = bird.report(message.id, { status: 'buffered', generation: 'query' })
    assert.equal(await bring(callback), 200)
    assert.equal(await bring({ ...callback, url: callback.url.replace('buffered', 'delivered') }), 401)
    assert.equal((await show(gateway, id)).status, 'sent')
    assert.equal(await bring(bird.report(message.id, { status: 'delivered', generation: 'jwt' })), 200)
    assert.equal((await show(gateway, id)).status, 'delivered')
  })

  test('the logs contain no secret, number or text', async () => {
    const { items } = await search(gateway, { limit: '200' })
    const output = gateway.err() + JSON.stringify(items)
    for (const hidden of [TWILIO.auth_token, MESSAGEBIRD.access_key, MESSAGEBIRD.signing_key, 'Olá', '+15551000001']) {
      assert.ok(!output.includes(hidden), hidden)
    }
  })
})
