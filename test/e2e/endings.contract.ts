/** Every message ends although providers fail, hang or throttle, through a running gateway over real sockets. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import type { MessageDetails } from '../../src/api/messages/message-schemas.ts'
import { openCustomer } from '../support/customer.ts'
import { type FakeTwilio, openFakeTwilio, TWILIO } from '../support/fake-twilio.ts'
import type { Accepted, Page } from '../support/sms.ts'
import { freshNumber, kindsOf, payloadField } from '../support/sms.ts'
import type { ShareTimed, TimedGateway } from '../support/timed-gateway.ts'
import { until } from '../support/until.ts'

const TIMEOUT_SECONDS = 1
const settingsOf = ({ url: base_url }: FakeTwilio) => ({ ...TWILIO, from: '+15005550006', base_url })

export async function endingsContract(share: ShareTimed): Promise<void> {
  const [one, two] = [await openFakeTwilio(), await openFakeTwilio()]
  const customer = await openCustomer()
  after(() => Promise.all([one, two, customer].map((server) => server[Symbol.asyncDispose]())))
  const gateway = await share({
    config: {
      providers: [
        { name: 'one', kind: 'twilio', settings: settingsOf(one) },
        { name: 'two', kind: 'twilio', settings: settingsOf(two) },
      ],
      routes: [
        { id: 'both', channel: 'sms', providers: ['one', 'two'] },
        { id: 'alone', channel: 'sms', prefix: '+1555', providers: ['one'] },
      ],
    },
    env: {
      POMBO_PUBLIC_URL: 'https://pombo.example',
      POMBO_OTP_COST: '4',
      POMBO_WEBHOOK_NETWORKS: '127.0.0.0/8',
      POMBO_PROVIDER_TIMEOUT_SECONDS: String(TIMEOUT_SECONDS),
    },
  })

  /** A number on the route with one provider, and one on the route with two. */
  const alone = freshNumber
  const both = (): string => freshNumber().replace('+1555', '+1666')
  const ended = (id: string, status: string) => untilStatus(gateway, id, status)
  const acceptedBy = (twilio: FakeTwilio, to: string) => twilio.messages.filter(({ form }) => form.get('To') === to)

  for (const status of [500, 502, 503]) {
    test(`a provider that answers ${status} once and then accepts delivers the message once`, async () => {
      const to = alone()
      const id = await answering(one, { status, body: '' }, () => send(gateway, { to }))
      const message = await ended(id, 'sent')
      assert.deepEqual([message.attempts, acceptedBy(one, to).length], [2, 1])
      assert.ok(!kindsOf(message).includes('HandoffUnknown'))
    })
  }

  test('a one-time code is retried after a 503', async () => {
    const to = alone()
    const id = await answering(one, { status: 503, body: '' }, () => generate(gateway, { to }))
    await ended(id, 'sent')
    assert.equal(acceptedBy(one, to).length, 1)
  })

  test('a one-time code fails over from a provider that hangs, with the same digits', async () => {
    const to = both()
    one.behave('hang')
    const id = await generate(gateway, { to })
    const message = await ended(id, 'sent')
    one.behave('well')
    assert.deepEqual([message.provider, message.attempts], ['two', 2])
    const [first, second] = [acceptedBy(one, to)[0], acceptedBy(two, to)[0]]
    assert.ok(first && second)
    assert.equal(second.form.get('Body'), first.form.get('Body'))
  })

  test('any other message to a provider that hangs is held, dead-lettered at its deadline and resolved by a person', async () => {
    const to = both()
    one.behave('hang')
    const deadline = new Date(Date.now() + 6_000).toISOString()
    const hook = customer.hook()
    const id = await send(gateway, { to, expires_at: deadline, callback_url: hook.url })
    await until('the call to time out', async () => (await show(gateway, id)).unknown)
    one.behave('well')
    const message = await ended(id, 'failed')
    assert.deepEqual([message.error_code, message.attempts, message.unknown], ['OUTCOME_UNKNOWN', 1, true])
    assert.equal(acceptedBy(two, to).length, 0)
    await until('the dead letter', async () => {
      const { body } = await gateway.call<Page>('GET', '/v1/dead-letters')
      return body.items.some((item) => item.id === id)
    })
    const failure = await until('the webhook', () => hook.received().find(({ type }) => type === 'message.failed'))
    assert.deepEqual([failure.data['message_id'], failure.data['error_code']], [id, 'OUTCOME_UNKNOWN'])
    const { status } = await gateway.call('POST', `/v1/messages/${id}/resolve`, { as: 'sent' })
    assert.equal(status, 200)
    const resolved = await show(gateway, id)
    assert.deepEqual([resolved.status, resolved.error_code, resolved.unknown], ['sent', null, false])
  })

  test('a Retry-After of ten minutes fails over to another provider', async () => {
    const to = both()
    const patience = { status: 429, headers: { 'retry-after': '600' }, body: '' }
    const id = await answering(one, patience, () => send(gateway, { to }))
    const message = await ended(id, 'sent')
    assert.equal(message.provider, 'two')
    const retry = message.events.find(({ event_type: kind }) => kind === 'RetryScheduled')
    assert.deepEqual(retry && [payloadField(retry, 'retry_after_seconds'), payloadField(retry, 'avoid')], [600, 'one'])
  })

  test('a signed report for an unknown attempt changes nothing', async () => {
    const to = alone()
    const id = await send(gateway, { to })
    const before = await ended(id, 'sent')
    const [{ sid, form } = assert.fail('the message was not accepted')] = acceptedBy(one, to)
    form.set('StatusCallback', (form.get('StatusCallback') ?? '').replace(/\.1\.1(?=$|#)/, '.1.9'))
    const { method, url, headers, body } = one.report(sid, 'delivered')
    const path = new URL(url).pathname.replace(/^.*(?=\/v1\/)/, '') + new URL(url).search
    const answer = await fetch(`${gateway.url}${path}`, { method, headers, body })
    assert.equal(answer.status, 200, await answer.text())
    assert.deepEqual(await show(gateway, id), before)
  })
}

/** Answers the first call during `act` this way, and accepts all later ones. */
async function answering<Answer>(
  twilio: FakeTwilio,
  answer: Readonly<{ status: number; headers?: Readonly<Record<string, string>>; body: string }>,
  act: () => Promise<Answer>,
): Promise<Answer> {
  const before = twilio.requests.length
  twilio.behave(answer)
  const result = await act()
  await until('the call', () => twilio.requests.length > before)
  twilio.behave('well')
  return result
}

async function send({ call }: TimedGateway, fields: object): Promise<string> {
  const sms = { message: 'Your parcel is on its way.', idempotency_key: randomUUID(), ...fields }
  const { status, body, text } = await call<Accepted>('POST', '/v1/sms/send', sms)
  assert.equal(status, 202, text)
  return body.request_id
}

async function generate({ call }: TimedGateway, fields: object): Promise<string> {
  const { status, body, text } = await call<Accepted>('POST', '/v1/otp/generate', {
    idempotency_key: randomUUID(),
    ...fields,
  })
  assert.equal(status, 202, text)
  return body.request_id
}

const show = async ({ call }: TimedGateway, id: string): Promise<MessageDetails> =>
  (await call<MessageDetails>('GET', `/v1/messages/${id}`)).body

const untilStatus = (gateway: TimedGateway, id: string, status: string): Promise<MessageDetails> =>
  until(
    `${status} of ${id}`,
    async () => {
      const message = await show(gateway, id)
      return message.status === status && message
    },
    { withinMs: 60_000 },
  )
