import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { openFakeTwilio, refusal, TWILIO as SETTINGS } from '../../../test/support/fake-twilio.ts'
import type { SenderId } from '../../domain/message/sender-id.ts'
import { instant, later, millis, seconds } from '../../lib/time.ts'
import { providerContract, someAttempt } from '../../ports/provider.contract.ts'
import { someContext } from '../context.fixture.ts'
import { TWILIO } from './twilio.ts'

const CALLBACK_URL = 'https://pombo.example/v1/callbacks/twilio'
const now = () => instant(Date.now())
const NEVER_ABORTED = new AbortController().signal

async function open(
  more: Partial<Parameters<typeof TWILIO.open>[0]> = {},
  callbackUrl: string | undefined = CALLBACK_URL,
) {
  const fake = await openFakeTwilio()
  const settings = { ...SETTINGS, from: '+15005550006', base_url: `${fake.url}/`, ...more }
  const context = someContext(callbackUrl === '' ? {} : { callbackUrl })
  const provider = TWILIO.open(settings, context)
  return {
    fake,
    provider,
    callback: (_attempt: unknown, sid: string) => fake.report(sid, 'delivered'),
    signsAddress: true,
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      await fake[Symbol.asyncDispose]()
    },
  }
}

providerContract('Twilio', () => open())

describe('a request to Twilio', () => {
  const formOf = async (world: Awaited<ReturnType<typeof open>>, attempt = someAttempt()) => {
    const outcome = await world.provider.send(attempt, NEVER_ABORTED)
    assert.equal(outcome.kind, 'accepted', JSON.stringify(outcome))
    return Object.fromEntries(world.fake.messages.at(-1)?.form ?? [])
  }

  test('contains the message, and our reference in the callback URL', async () => {
    await using world = await open()
    const { ref, content } = someAttempt()
    assert.deepEqual(await formOf(world, someAttempt({ ref, content })), {
      To: content.to,
      From: '+15005550006',
      Body: content.body,
      StatusCallback: `${CALLBACK_URL}?attempt=${ref.messageId}.1.2#rc=5&rp=all`,
    })
  })

  test('names the worker that makes it in the callback URL', async () => {
    await using world = await open()
    const attempt = someAttempt({ worker: 'c0ffee' })
    const form = await formOf(world, attempt)
    const reference = `attempt=${attempt.ref.messageId}.1.2`
    assert.equal(form['StatusCallback'], `${CALLBACK_URL}?worker=c0ffee&${reference}#rc=5&rp=all`)
    const receipts = await world.provider.readCallback(world.callback(attempt, world.fake.messages.at(-1)?.sid ?? ''))
    assert.deepEqual(receipts !== 'forged' && receipts.map(({ ref }) => ref), [attempt.ref])
  })

  test('has the sender of the message, or a messaging service', async () => {
    await using world = await open()
    assert.equal((await formOf(world, someAttempt({ content: { from: 'Pombo' as SenderId } })))['From'], 'Pombo')
    const { from: _, ...settings } = { ...SETTINGS, from: '', messaging_service_sid: `MG${'0'.repeat(32)}` }
    const context = someContext()
    await using provider = TWILIO.open({ ...settings, base_url: world.fake.url }, context)
    const form = await formOf({ ...world, provider })
    assert.equal(form['MessagingServiceSid'], settings.messaging_service_sid)
    assert.deepEqual([form['From'], form['StatusCallback']], [undefined, undefined])
  })

  test('has the remaining validity, up to the maximum of Twilio, and is not made after the deadline', async () => {
    await using world = await open()
    for (const [left, validity] of [
      [seconds(300.5), '300'],
      [seconds(1.9), '1'],
      [seconds(90_000), '36000'],
    ] as const) {
      const form = await formOf(world, someAttempt({ expiresAt: later(now(), left) }))
      assert.equal(form['ValidityPeriod'], validity)
    }
    const { length } = world.fake.requests
    const outcome = await world.provider.send(someAttempt({ expiresAt: later(now(), millis(900)) }), NEVER_ABORTED)
    assert.deepEqual(
      [outcome.kind, 'blame' in outcome && outcome.blame, 'code' in outcome && outcome.code],
      ['rejected', 'message', 'EXPIRED'],
    )
    assert.equal(world.fake.requests.length, length)
  })

  test('is not made for flash SMS or without a sender', async () => {
    await using world = await open()
    const flash = await world.provider.send(someAttempt({ content: { kind: 'flash_sms' } }), NEVER_ABORTED)
    const { from: _, ...settings } = { ...SETTINGS, from: '' }
    await using provider = TWILIO.open({ ...settings, base_url: world.fake.url }, someContext())
    const senderless = await provider.send(someAttempt(), NEVER_ABORTED)
    for (const outcome of [flash, senderless]) assert.ok(outcome.kind === 'rejected' && outcome.blame === 'provider')
    assert.equal(world.fake.requests.length, 0)
  })

  test('carries the auth token or the API key, and the span of the attempt', async () => {
    await using world = await open()
    const attempt = someAttempt()
    await world.provider.send(attempt, NEVER_ABORTED)
    const key = { sid: `SK${'0'.repeat(32)}`, secret: 'hush' }
    await using keyed = TWILIO.open(
      { ...SETTINGS, from: '+15005550006', base_url: world.fake.url, api_key: key },
      someContext(),
    )
    const outcome = await keyed.send(attempt, NEVER_ABORTED)
    assert.equal(outcome.kind === 'rejected' && outcome.code, 'AUTHENTICATION_FAILED')
    const credentials = world.fake.requests.map(({ headers }) =>
      Buffer.from(headers.authorization?.replace('Basic ', '') ?? '', 'base64').toString(),
    )
    assert.deepEqual(credentials, [`${SETTINGS.account_sid}:${SETTINGS.auth_token}`, `${key.sid}:${key.secret}`])
    assert.equal(world.fake.requests[0]?.headers['traceparent'], `00-${attempt.traceId}-${attempt.id.slice(0, 16)}-01`)
  })
})

for (const [status, code, kind, blame, ours] of [
  [400, 21211, 'rejected', 'message', 'INVALID_NUMBER'],
  [400, 21610, 'rejected', 'message', 'OPTED_OUT'],
  [400, 21606, 'rejected', 'provider', 'INVALID_SENDER_ID'],
  [401, 20003, 'rejected', 'provider', 'AUTHENTICATION_FAILED'],
  [429, 20429, 'deferred', undefined, 'RATE_LIMITED'],
  [503, 20503, 'deferred', undefined, 'SERVICE_UNAVAILABLE'],
] as const) {
  test(`Twilio's ${code} is ${kind} ${ours}, without private data`, async () => {
    await using world = await open()
    world.fake.behave(refusal(status, code))
    const outcome = await world.provider.send(someAttempt(), NEVER_ABORTED)
    assert.ok(outcome.kind === kind && outcome.code === ours)
    assert.equal('blame' in outcome ? outcome.blame : undefined, blame)
    assert.ok(!outcome.detail.includes('5551234567'))
  })
}

describe('a callback of Twilio', () => {
  for (const [status, errorCode, state, code] of [
    ['queued', undefined, 'accepted', undefined],
    ['sending', undefined, 'accepted', undefined],
    ['sent', undefined, 'accepted', undefined],
    ['delivered', undefined, 'delivered', undefined],
    ['read', undefined, 'delivered', undefined],
    ['undelivered', 30005, 'bounced', 'INVALID_NUMBER'],
    ['undelivered', undefined, 'bounced', 'DELIVERY_FAILED'],
    ['failed', 30036, 'dropped', 'EXPIRED'],
    ['failed', 39999, 'dropped', 'TWILIO_39999'],
    ['canceled', undefined, 'dropped', 'DELIVERY_FAILED'],
  ] as const) {
    test(`with ${status} ${errorCode ?? ''} means ${state}`, async () => {
      await using world = await open()
      const attempt = someAttempt()
      await world.provider.send(attempt, NEVER_ABORTED)
      const { sid = '' } = world.fake.messages[0] ?? {}
      const read = await world.provider.readCallback(world.fake.report(sid, status, errorCode))
      const [receipt] = read === 'forged' ? [] : read
      assert.deepEqual(
        [receipt?.ref, receipt?.state, receipt?.code, receipt?.reportId],
        [attempt.ref, state, code, `${sid}:${state}`],
      )
    })
  }

  test('about an unknown message or with an unknown status is ignored', async () => {
    await using world = await open({}, 'https://pombo.example/elsewhere?attempt=nonsense&ours')
    await world.provider.send(someAttempt(), NEVER_ABORTED)
    const { sid = '' } = world.fake.messages[0] ?? {}
    assert.deepEqual(await world.provider.readCallback(world.fake.report(sid, 'delivered')), [])
    await using known = await open()
    await known.provider.send(someAttempt(), NEVER_ABORTED)
    const [message] = known.fake.messages
    assert.deepEqual(await known.provider.readCallback(known.fake.report(message?.sid ?? '', 'receiving')), [])
  })
})

describe('a lookup at Twilio', () => {
  test('finds a message by its SID', async () => {
    await using world = await open()
    const attempt = someAttempt()
    const sent = await world.provider.send(attempt, NEVER_ABORTED)
    assert.ok(sent.kind === 'accepted')
    const { providerMessageId } = sent
    world.fake.report(providerMessageId, 'delivered')
    const found = await world.provider.lookup?.(attempt.ref, attempt.id, { providerMessageId })
    const reportId = `${providerMessageId}:delivered`
    assert.deepEqual(found, {
      kind: 'found',
      receipt: { ref: attempt.ref, providerMessageId, state: 'delivered', reportId },
    })
  })

  test('does not mistake an equal message for one whose answer was lost', async () => {
    await using world = await open()
    const { content } = someAttempt()
    assert.equal((await world.provider.send(someAttempt({ content }), NEVER_ABORTED)).kind, 'accepted')
    const lost = someAttempt({ content })
    for (const conduct of ['hang up', { raw: '' }] as const) {
      world.fake.behave(conduct)
      assert.equal((await world.provider.send(lost, NEVER_ABORTED)).kind, 'unknown')
      world.fake.behave('well')
      const { length } = world.fake.requests
      assert.deepEqual(await world.provider.lookup?.(lost.ref, lost.id), { kind: 'undetermined' })
      assert.equal(world.fake.requests.length, length, 'there is no SID to look up')
    }
  })

  test('never reports a message as absent, and finds nothing while Twilio is unreachable', async () => {
    await using world = await open()
    const { ref, id } = someAttempt()
    const known = { providerMessageId: `SM${'0'.repeat(32)}` }
    for (const conduct of ['well', refusal(500, 20500), refusal(404, 20404), { status: 200, body: '{}' }] as const) {
      world.fake.behave(conduct)
      assert.deepEqual(await world.provider.lookup?.(ref, id, known), { kind: 'undetermined' })
    }
    await world.fake.stop()
    assert.deepEqual(await world.provider.lookup?.(ref, id, known), { kind: 'undetermined' })
  })
})
