/**
 * The tests every provider must pass, over a real socket against a fake of its wire format. Above all: it never reports
 * as unsent what may have been sent, and never sends anything twice by itself.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { FakeHttp, FakeResponse } from '../../test/support/fake-http.ts'
import type { AttemptId, MessageId, TenantId, TraceId } from '../domain/ids.ts'
import type { PhoneNumber } from '../domain/message/phone-number.ts'
import { instant } from '../lib/time.ts'
import type { Attempt, CallbackRequest, Provider, SmsAttempt } from './provider.ts'

export type ProviderWorld = AsyncDisposable &
  Readonly<{
    provider: Provider
    fake: Pick<FakeHttp, 'behave' | 'requests' | 'stop'>
    /** The callback that reports an accepted attempt as delivered. */
    callback: (attempt: Attempt, providerMessageId: string) => CallbackRequest
    /** Whether the signature of a callback covers its URL. */
    signsAddress: boolean
  }>

export type OpenProviderWorld = () => Promise<ProviderWorld>

const PATIENT = (): AbortSignal => AbortSignal.timeout(10_000)
const IMPATIENT = (): AbortSignal => AbortSignal.timeout(100)

type Given = Partial<Omit<SmsAttempt, 'content'>> & Readonly<{ content?: Partial<SmsAttempt['content']> }>

/** An attempt that the provider would accept. */
export function someAttempt(given: Given = {}): SmsAttempt {
  const { content, ...rest } = given
  return {
    id: randomUUID().replaceAll('-', '').repeat(2) as AttemptId,
    ref: { messageId: randomUUID() as MessageId, cycle: 1, attempt: 2 },
    tenantId: 'acme' as TenantId,
    channel: 'sms',
    content: {
      channel: 'sms',
      kind: 'sms',
      to: '+15551234567' as PhoneNumber,
      body: 'Seu código é 402718 & não conte a ninguém',
      metadata: {},
      tags: [],
      ...content,
    },
    encoding: 'gsm7',
    segments: 1,
    traceId: '0af7651916cd43dd8448eb211c80319c' as TraceId,
    ...rest,
  }
}

const said = (status: number, headers: Readonly<Record<string, string>> = {}): FakeResponse => ({
  status,
  headers,
  body: '{}',
})

export function providerContract(name: string, open: OpenProviderWorld): void {
  describe(`sending by ${name}`, { timeout: 120_000 }, () => {
    const outcomeOf = async (behave: (world: ProviderWorld) => unknown, signal = PATIENT()) => {
      await using world = await open()
      await behave(world)
      const { content, ...attempt } = someAttempt()
      const outcome = await world.provider.send({ ...attempt, content }, signal)
      const text = JSON.stringify(outcome)
      for (const private_ of [content.to, content.to.slice(1), content.body]) assert.ok(!text.includes(private_), text)
      assert.ok(world.fake.requests.length <= 1, 'the call was repeated')
      return outcome
    }
    const kindOf = async (...given: Parameters<typeof outcomeOf>) => (await outcomeOf(...given)).kind

    test('an accepted message has a provider message id', async () => {
      const outcome = await outcomeOf(() => {})
      assert.ok(outcome.kind === 'accepted' && outcome.providerMessageId.length > 0)
    })

    test('waits for a slow response', async () => {
      assert.equal(await kindOf(({ fake }) => fake.behave('slowly')), 'accepted')
    })

    test('a refused connection means that the message was certainly not sent', async () => {
      assert.equal(await kindOf(({ fake }) => fake.stop()), 'deferred')
    })

    for (const conduct of ['hang', 'hang half-way'] as const) {
      test(`the outcome is unknown when the call is aborted while the provider hangs (${conduct})`, async () => {
        assert.equal(await kindOf(({ fake }) => fake.behave(conduct), IMPATIENT()), 'unknown')
      })
    }

    for (const [what, conduct] of [
      ['closes the connection', 'hang up'],
      ['does not speak HTTP', 'babble'],
      ['is behind a proxy that timed out', said(504)],
      ['returns no message id', said(201)],
      ['returns an empty body', { status: 201, body: '' }],
      ['returns HTML', { status: 200, body: '<html>' }],
    ] as const) {
      test(`the outcome is unknown when the provider ${what}`, async () => {
        assert.equal(await kindOf(({ fake }) => fake.behave(conduct)), 'unknown')
      })
    }

    for (const status of [500, 502, 503]) {
      test(`HTTP ${status} means that it was not sent, and may be retried after Retry-After`, async () => {
        const outcome = await outcomeOf(({ fake }) => fake.behave(said(status, { 'retry-after': '7' })))
        assert.deepEqual([outcome.kind, 'retryAfter' in outcome && outcome.retryAfter], ['deferred', 7000])
      })
    }

    test('a rate-limited request was not sent, and may be retried after Retry-After', async () => {
      const outcome = await outcomeOf(({ fake }) => fake.behave(said(429, { 'retry-after': '7' })))
      assert.deepEqual([outcome.kind, 'retryAfter' in outcome && outcome.retryAfter], ['deferred', 7000])
      const without = await outcomeOf(({ fake }) => fake.behave(said(429)))
      assert.deepEqual([without.kind, 'retryAfter' in without && without.retryAfter], ['deferred', 0])
    })

    test('an authentication failure is a failure of the provider', async () => {
      const outcome = await outcomeOf(({ fake }) => fake.behave(said(401)))
      assert.deepEqual([outcome.kind, 'blame' in outcome && outcome.blame], ['rejected', 'provider'])
    })

    test('the outcome is unknown when a kept-alive connection breaks during a call, and the call is not repeated', async () => {
      await using world = await open()
      assert.equal((await world.provider.send(someAttempt(), PATIENT())).kind, 'accepted')
      world.fake.behave('hang up')
      assert.equal((await world.provider.send(someAttempt(), PATIENT())).kind, 'unknown')
      assert.equal(world.fake.requests.length, 2)
    })

    test('does not send after the deadline', async () => {
      await using world = await open()
      const outcome = await world.provider.send(someAttempt({ expiresAt: instant(Date.now() - 1) }), PATIENT())
      assert.notEqual(outcome.kind, 'accepted')
    })
  })

  describe(`callbacks of ${name}`, { timeout: 120_000 }, () => {
    const deliver = async ({ provider, callback }: ProviderWorld) => {
      const attempt = someAttempt()
      const outcome = await provider.send(attempt, PATIENT())
      assert.ok(outcome.kind === 'accepted')
      const { providerMessageId } = outcome
      return { attempt, providerMessageId, request: callback(attempt, providerMessageId) }
    }

    test('a genuine callback yields the receipt of its attempt, and the same one when repeated', async () => {
      await using world = await open()
      const { attempt, providerMessageId, request } = await deliver(world)
      const read = await world.provider.readCallback(request)
      assert.ok(read !== 'forged')
      const [receipt, ...others] = read
      assert.ok(receipt !== undefined && others.length === 0)
      assert.deepEqual(
        [receipt.ref, receipt.providerMessageId, receipt.state],
        [attempt.ref, providerMessageId, 'delivered'],
      )
      assert.deepEqual(await world.provider.readCallback(request), read)
    })

    test('a forged callback is rejected', async () => {
      await using world = await open()
      const { request } = await deliver(world)
      for (const [what, forged] of forgeries(request, world.signsAddress)) {
        assert.equal(await world.provider.readCallback(forged), 'forged', what)
      }
    })
  })
}

/** The callback with one part changed. */
function forgeries(request: CallbackRequest, signsAddress: boolean): readonly (readonly [string, CallbackRequest])[] {
  const proofs = [...request.headers.keys()].filter((name) => name !== 'content-type')
  const changed = (name: string, change: (value: string) => string): CallbackRequest => {
    const headers = new Headers(request.headers)
    headers.set(name, change(headers.get(name) ?? ''))
    return { ...request, headers }
  }
  const without = (names: readonly string[]): CallbackRequest => {
    const headers = [...request.headers].filter(([name]) => !names.includes(name))
    return { ...request, headers: new Headers(headers) }
  }
  const body = Buffer.from(request.body)
  return [
    ['without any signature header', without(proofs)],
    ...proofs.flatMap((name) => [
      [`${name} is missing`, without([name])] as const,
      [`${name} is empty`, changed(name, () => '')] as const,
      [`${name} is truncated`, changed(name, (value) => value.slice(0, -3))] as const,
      [`${name} differs`, changed(name, other)] as const,
    ]),
    ['its body is longer', { ...request, body: Buffer.concat([body, Buffer.from('&a=b')]) }],
    ...(body.length === 0 ? [] : [['its body is shorter', { ...request, body: body.subarray(0, -1) }] as const]),
    ...(signsAddress ? [['its URL differs', { ...request, url: `${request.url}&a=b` }] as const] : []),
  ]
}

const other = (text: string): string => `${text.startsWith('1') ? '2' : '1'}${text.slice(1)}`
