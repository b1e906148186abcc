/** Twilio lost the second of two equal texts to one number: a lookup must not mistake the first for it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type FakeTwilio, openFakeTwilio, TWILIO } from '../support/fake-twilio.ts'
import { openFolder } from '../support/folder.ts'
import { type GatewayOptions, startGateway } from '../support/gateway.ts'
import { freshNumber, kindsOf, payloadField, send, show, untilEvent, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'

const unknown = { wait_seconds: 1 }
const optionsFor = (folder: string, { url }: FakeTwilio): GatewayOptions => ({
  folder,
  config: {
    providers: [
      { name: 'main', kind: 'twilio', settings: { ...TWILIO, from: '+15005550006', base_url: url, callbacks: false } },
    ],
    routes: [
      { id: 'default', channel: 'sms', providers: ['main'], unknown },
      { id: 'again', channel: 'sms', sender: 'Again', providers: ['main'], unknown: { ...unknown, policy: 'resend' } },
    ],
  },
})

test('a lost message does not count as handed off although an equal one was', {
  timeout: 110_000,
}, async () => {
  await using twilio = await openFakeTwilio()
  await using folder = await openFolder()
  const options = optionsFor(folder.path, twilio)
  const text = { to: freshNumber(), message: 'Your parcel is here.' }
  const takenBy = (to: string) => twilio.messages.filter(({ form }) => form.get('To') === to)

  const [first, second] = await (async () => {
    await using gateway = await startGateway(options)
    const one = await send(gateway, text)
    await untilStatus(gateway, one, 'sent')
    twilio.behave('swallow')
    const { length } = twilio.requests
    const other = await send(gateway, text)
    await until('Twilio to read the second', () => twilio.requests.length > length)
    await gateway.kill('SIGKILL')
    return [one, other]
  })()
  assert.ok(first && second)

  twilio.behave('well')
  await using gateway = await startGateway(options)
  await untilEvent(gateway, second, 'HandoffUnknown')
  // A later message with an unknown outcome that is resent: by then the second has been looked up.
  twilio.behave({ raw: '' })
  const marker = await send(gateway, { to: freshNumber(), sender_id: 'Again' })
  await untilEvent(gateway, marker, 'HandoffUnknown')
  twilio.behave('well')
  const resent = await untilStatus(gateway, marker, 'sent')
  const retry = resent.events.find(({ event_type: kind }) => kind === 'RetryScheduled')
  assert.equal(retry && payloadField(retry, 'code'), 'OUTCOME_UNKNOWN')

  const { status, provider_message_id: name, ...held } = await show(gateway, second)
  assert.deepEqual([status, name], ['sending', null])
  assert.equal(kindsOf(held).at(-1), 'HandoffUnknown')
  assert.equal(takenBy(text.to).length, 1)
  assert.equal((await show(gateway, first)).provider_message_id, takenBy(text.to)[0]?.sid)
})
