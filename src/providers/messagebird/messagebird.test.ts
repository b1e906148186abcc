import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  GENERATIONS,
  openFakeMessageBird,
  refusal,
  MESSAGEBIRD as SETTINGS,
} from '../../../test/support/fake-messagebird.ts'
import type { SenderId } from '../../domain/message/sender-id.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { instant, later, millis, seconds } from '../../lib/time.ts'
import { providerContract, someAttempt } from '../../ports/provider.contract.ts'
import { someContext } from '../context.fixture.ts'
import { MESSAGEBIRD } from './messagebird.ts'

const CALLBACK_URL = 'https://pombo.example/v1/callbacks/bird'
const now = () => instant(Date.now())
const NEVER_ABORTED = new AbortController().signal

async function open(generation = GENERATIONS[0], more: Partial<Parameters<typeof MESSAGEBIRD.open>[0]> = {}) {
  const fake = await openFakeMessageBird()
  const settings = { ...SETTINGS, originator: 'Pombo', base_url: `${fake.url}/`, ...more }
  const provider = MESSAGEBIRD.open(settings, someContext({ callbackUrl: CALLBACK_URL }))
  return {
    fake,
    provider,
    callback: (_attempt: unknown, id: string) => fake.report(id, omitUndefined({ status: 'delivered', generation })),
    signsAddress: true,
    async [Symbol.asyncDispose]() {
      await provider[Symbol.asyncDispose]()
      await fake[Symbol.asyncDispose]()
    },
  }
}

for (const generation of GENERATIONS) providerContract(`MessageBird, signing by ${generation}`, () => open(generation))

describe('a request to MessageBird', () => {
  const requestOf = async (world: Awaited<ReturnType<typeof open>>, attempt = someAttempt()) => {
    const outcome = await world.provider.send(attempt, NEVER_ABORTED)
    assert.equal(outcome.kind, 'accepted', JSON.stringify(outcome))
    return world.fake.messages.at(-1)?.order
  }

  test('contains the message, our reference and the callback URL', async () => {
    await using world = await open()
    const attempt = someAttempt()
    assert.deepEqual(await requestOf(world, attempt), {
      originator: 'Pombo',
      recipients: ['15551234567'],
      body: attempt.content.body,
      type: 'sms',
      datacoding: 'plain',
      reference: `${attempt.ref.messageId}.1.2`,
      reportUrl: CALLBACK_URL,
    })
  })

  test('has a callback URL without a query, to which MessageBird appends one', async () => {
    await using world = await open()
    const request = await requestOf(world, someAttempt({ worker: 'c0ffee' }))
    assert.equal(request?.reportUrl, CALLBACK_URL)
  })

  test('is flash, Unicode and from another number if the message is', async () => {
    await using world = await open()
    const content = { kind: 'flash_sms', from: '+4712345678' as SenderId } as const
    const request = await requestOf(world, someAttempt({ content, encoding: 'ucs2' }))
    assert.deepEqual([request?.type, request?.datacoding, request?.originator], ['flash', 'unicode', '4712345678'])
  })

  test('has the remaining validity, and is not made after the deadline', async () => {
    await using world = await open()
    const request = await requestOf(world, someAttempt({ expiresAt: later(now(), seconds(300.5)) }))
    assert.equal(request?.validity, 300)
    const outcome = await world.provider.send(someAttempt({ expiresAt: later(now(), millis(900)) }), NEVER_ABORTED)
    assert.ok(outcome.kind === 'rejected' && outcome.blame === 'message' && outcome.code === 'EXPIRED')
    assert.equal(world.fake.requests.length, 1)
  })

  test('is not made without a sender', async () => {
    await using world = await open()
    const context = someContext()
    await using provider = MESSAGEBIRD.open({ ...SETTINGS, base_url: world.fake.url }, context)
    const outcome = await provider.send(someAttempt(), NEVER_ABORTED)
    assert.ok(outcome.kind === 'rejected' && outcome.blame === 'provider')
    const sent = await provider.send(someAttempt({ content: { from: 'Pombo' as SenderId } }), NEVER_ABORTED)
    assert.equal(sent.kind, 'accepted')
    assert.equal(world.fake.messages[0]?.order.reportUrl, undefined)
  })
})

for (const [said, kind, blame, code] of [
  [refusal(422, 9, 'recipients'), 'rejected', 'message', 'INVALID_NUMBER'],
  [refusal(422, 10, 'originator'), 'rejected', 'provider', 'INVALID_SENDER_ID'],
  [refusal(402, 25), 'rejected', 'provider', 'INSUFFICIENT_FUNDS'],
  [refusal(401, 2, 'access_key'), 'rejected', 'provider', 'AUTHENTICATION_FAILED'],
  [refusal(500, 99), 'deferred', undefined, 'INTERNAL_ERROR'],
] as const) {
  test(`MessageBird's ${said.body} is ${kind} ${code}, without private data`, async () => {
    await using world = await open()
    world.fake.behave(said)
    const outcome = await world.provider.send(someAttempt(), NEVER_ABORTED)
    assert.ok(outcome.kind === kind && outcome.code === code, JSON.stringify(outcome))
    assert.equal('blame' in outcome ? outcome.blame : undefined, blame)
    assert.ok(!outcome.detail.includes('5551234567'))
  })
}

describe('a callback of MessageBird', () => {
  for (const [reported, state, code] of [
    [{ status: 'sent' }, 'accepted', undefined],
    [{ status: 'buffered' }, 'accepted', undefined],
    [{ status: 'delivered' }, 'delivered', undefined],
    [{ status: 'expired' }, 'dropped', 'EXPIRED'],
    [{ status: 'expired', reason: 'DLR not received' }, 'dropped', 'RECEIPT_MISSING'],
    [{ status: 'delivery_failed', reason: 'unknown subscriber', code: 1 }, 'bounced', 'INVALID_NUMBER'],
    [{ status: 'delivery_failed', code: 27 }, 'bounced', 'UNREACHABLE'],
    [{ status: 'delivery_failed' }, 'bounced', 'DELIVERY_FAILED'],
  ] as const) {
    test(`with ${JSON.stringify(reported)} means ${state}`, async () => {
      await using world = await open()
      const attempt = someAttempt()
      await world.provider.send(attempt, NEVER_ABORTED)
      const { id = '' } = world.fake.messages[0] ?? {}
      const read = await world.provider.readCallback(world.fake.report(id, reported))
      const [receipt] = read === 'forged' ? [] : read
      assert.deepEqual(
        [receipt?.ref, receipt?.state, receipt?.code, receipt?.reportId],
        [attempt.ref, state, code, `${id}:${state}`],
      )
    })
  }

  test('with an unknown status is ignored', async () => {
    await using world = await open()
    await world.provider.send(someAttempt(), NEVER_ABORTED)
    const { id = '' } = world.fake.messages[0] ?? {}
    assert.deepEqual(await world.provider.readCallback(world.fake.report(id, { status: 'pondering' })), [])
  })
})

describe('a lookup at MessageBird', () => {
  test('finds a message whose answer was lost by our reference, and its state by its id', async () => {
    await using world = await open()
    const attempt = someAttempt()
    world.fake.behave('hang up')
    assert.equal((await world.provider.send(attempt, NEVER_ABORTED)).kind, 'unknown')
    world.fake.behave('well')
    await world.provider.send(someAttempt(), NEVER_ABORTED)
    const [message] = world.fake.messages
    assert.ok(message)
    const found = await world.provider.lookup?.(attempt.ref, attempt.id)
    assert.ok(found?.kind === 'found')
    assert.deepEqual([found.receipt.providerMessageId, found.receipt.state], [message.id, 'accepted'])
    world.fake.report(message.id, { status: 'delivered' })
    const later = await world.provider.lookup?.(attempt.ref, attempt.id, { providerMessageId: message.id })
    assert.equal(later?.kind === 'found' && later.receipt.state, 'delivered')
  })

  test('never reports a message as absent, and finds nothing while MessageBird is unreachable', async () => {
    await using world = await open()
    const { ref, id } = someAttempt()
    const known = { providerMessageId: 'x' }
    for (const conduct of ['well', refusal(500, 99), { status: 200, body: '{}' }] as const) {
      world.fake.behave(conduct)
      assert.deepEqual(await world.provider.lookup?.(ref, id), { kind: 'undetermined' })
      assert.deepEqual(await world.provider.lookup?.(ref, id, known), { kind: 'undetermined' })
    }
    await world.fake.stop()
    assert.deepEqual(await world.provider.lookup?.(ref, id), { kind: 'undetermined' })
  })
})
