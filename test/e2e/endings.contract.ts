/** Every message ends: providers that fail, hang or ask for patience, through a whole gateway over real sockets. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, test } from 'node:test'
import type { MessageDetails, TimelineEvent } from '../../src/api/messages/message-schemas.ts'
import { openCustomer } from '../support/customer.ts'
import { type FakeTwilio, openFakeTwilio, TWILIO } from '../support/fake-twilio.ts'
import type { Accepted, Page } from '../support/sms.ts'
import { freshNumber, kindsOf } from '../support/sms.ts'
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

  /** A number that only the route with one provider serves, and one that the other serves. */
  const alone = freshNumber
  const both = (): string => freshNumber().replace('+1555', '+1666')
  const ended = (id: string, status: string) => untilStatus(gateway, id, status)
  const takenBy = (twilio: FakeTwilio, to: string) => twilio.messages.filter(({ form }) => form.get('To') === to)

  for (const status of [500, 502, 503]) {
    test(`a provider that answers one ${status} and takes the next call delivers the message once`, async () => {
      const to = alone()
      const id = await answering(one, { status, body: '' }, () => send(gateway, { to }))
      const message = await ended(id, 'sent')
      assert.deepEqual([message.attempts, takenBy(one, to).length], [2, 1])
      assert.ok(!kindsOf(message).includes('HandoffUnknown'))
    })
  }

  test('a one-time code meets a 503, and is sent all the same', async () => {
    const to = alone()
    const id = await answering(one, { status: 503, body: '' }, () => generate(gateway, { to }))
    await ended(id, 'sent')
    assert.equal(takenBy(one, to).length, 1)
  })

  test('a one-time code whose provider hangs goes to the next one, with the same digits', async () => {
    const to = both()
    one.behave('hang')
    const id = await generate(gateway, { to })
    const message = await ended(id, 'sent')
    one.behave('well')
    assert.deepEqual([message.provider, message.attempts], ['two', 2])
    const [first, second] = [takenBy(one, to)[0], takenBy(two, to)[0]]
    assert.ok(first && second)
    assert.equal(second.form.get('Body'), first.form.get('Body'))
  })

  test('any other message whose provider hangs is held, given up at its deadline, and resolved by a person', async () => {
    const to = both()
    one.behave('hang')
    const deadline = new Date(Date.now() + 6_000).toISOString()
    const hook = customer.hook()
    const id = await send(gateway, { to, expires_at: deadline, callback_url: hook.url })
    await until('the call to time out', async () => (await show(gateway, id)).unknown)
    one.behave('well')
    const message = await ended(id, 'failed')
    assert.deepEqual([message.error_code, message.attempts, message.unknown], ['OUTCOME_UNKNOWN', 1, true])
    assert.equal(takenBy(two, to).length, 0)
    await until('it among the dead letters', async () => {
      const { body } = await gateway.call<Page>('GET', '/v1/dead-letters')
      return body.items.some((item) => item.id === id)
    })
    const failure = await until('the webhook', () => hook.told().find(({ type }) => type === 'message.failed'))
    assert.deepEqual([failure.data['message_id'], failure.data['error_code']], [id, 'OUTCOME_UNKNOWN'])
    const { status } = await gateway.call('POST', `/v1/messages/${id}/resolve`, { as: 'sent' })
    assert.equal(status, 200)
    const resolved = await show(gateway, id)
    assert.deepEqual([resolved.status, resolved.error_code, resolved.unknown], ['sent', null, false])
  })

  test('a provider that asks for ten minutes is not waited for where another is free', async () => {
    const to = both()
    const patience = { status: 429, headers: { 'retry-after': '600' }, body: '' }
    const id = await answering(one, patience, () => send(gateway, { to }))
    const message = await ended(id, 'sent')
    assert.equal(message.provider, 'two')
    const retry = message.events.find(({ event_type: kind }) => kind === 'RetryScheduled')
    assert.deepEqual(retry && [told(retry, 'retry_after_seconds'), told(retry, 'avoid')], [600, 'one'])
  })

  test('a signed report on an attempt that was never made changes nothing', async () => {
    const to = alone()
    const id = await send(gateway, { to })
    const before = await ended(id, 'sent')
    const [{ sid, form } = assert.fail('it was not taken')] = takenBy(one, to)
    form.set('StatusCallback', (form.get('StatusCallback') ?? '').replace(/\.1\.1(?=$|#)/, '.1.9'))
    const { method, url, headers, body } = one.report(sid, 'delivered')
    const path = new URL(url).pathname.replace(/^.*(?=\/v1\/)/, '') + new URL(url).search
    const answer = await fetch(`${gateway.url}${path}`, { method, headers, body })
    assert.equal(answer.status, 200, await answer.text())
    assert.deepEqual(await show(gateway, id), before)
  })
}

/** The first call while `act` goes on is answered so; all later ones well. */
async function answering<Answer>(
  twilio: FakeTwilio,
  said: Readonly<{ status: number; headers?: Readonly<Record<string, string>>; body: string }>,
  act: () => Promise<Answer>,
): Promise<Answer> {
  const before = twilio.heard.length
  twilio.behave(said)
  const answer = await act()
  await until('the call', () => twilio.heard.length > before)
  twilio.behave('well')
  return answer
}

const told = ({ payload }: TimelineEvent, field: string): unknown =>
  (payload as Readonly<Record<string, unknown>>)[field]

async function send({ call }: TimedGateway, wanted: object): Promise<string> {
  const sms = { message: 'Your parcel is on its way.', idempotency_key: randomUUID(), ...wanted }
  const { status, body, text } = await call<Accepted>('POST', '/v1/sms/send', sms)
  assert.equal(status, 202, text)
  return body.request_id
}

async function generate({ call }: TimedGateway, wanted: object): Promise<string> {
  const { status, body, text } = await call<Accepted>('POST', '/v1/otp/generate', {
    idempotency_key: randomUUID(),
    ...wanted,
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
