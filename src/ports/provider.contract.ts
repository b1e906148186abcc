/**
 * What every provider promises, tried over a real socket against a fake that speaks its wire format: above
 * all that it never takes for unsent what may have been sent, and never sends anything twice by itself.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { describe, test } from 'node:test'
import type { FakeHttp, Said } from '../../test/support/fake-http.ts'
import type { AttemptId, MessageId, TenantId, TraceId } from '../domain/ids.ts'
import type { PhoneNumber } from '../domain/message/phone-number.ts'
import { instant } from '../lib/time.ts'
import type { Attempt, CallbackRequest, Provider, SmsAttempt } from './provider.ts'

export type ProviderWorld = AsyncDisposable &
  Readonly<{
    provider: Provider
    fake: Pick<FakeHttp, 'behave' | 'heard' | 'stop'>
    /** What the provider would call us with about an attempt it took: that it was delivered. */
    callback: (attempt: Attempt, providerMessageId: string) => CallbackRequest
    /** Whether a callback is signed with the address it goes to. */
    signsAddress: boolean
  }>

export type OpenProviderWorld = () => Promise<ProviderWorld>

const PATIENT = (): AbortSignal => AbortSignal.timeout(10_000)
const IMPATIENT = (): AbortSignal => AbortSignal.timeout(100)

type Given = Partial<Omit<SmsAttempt, 'content'>> & Readonly<{ content?: Partial<SmsAttempt['content']> }>

/** An attempt that a provider would take. */
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

const said = (status: number, headers: Readonly<Record<string, string>> = {}): Said => ({ status, headers, body: '{}' })

export function providerContract(name: string, open: OpenProviderWorld): void {
  describe(`sending by ${name}`, { timeout: 120_000 }, () => {
    const outcomeOf = async (behave: (world: ProviderWorld) => unknown, signal = PATIENT()) => {
      await using world = await open()
      await behave(world)
      const { content, ...attempt } = someAttempt()
      const outcome = await world.provider.send({ ...attempt, content }, signal)
      const text = JSON.stringify(outcome)
      for (const private_ of [content.to, content.to.slice(1), content.body]) assert.ok(!text.includes(private_), text)
      assert.ok(world.fake.heard.length <= 1, 'a call is made once')
      return outcome
    }
    const kindOf = async (...given: Parameters<typeof outcomeOf>) => (await outcomeOf(...given)).kind

    test('a message that is taken has a name', async () => {
      const outcome = await outcomeOf(() => {})
      assert.ok(outcome.kind === 'accepted' && outcome.providerMessageId.length > 0)
    })

    test('one that takes its time is waited for', async () => {
      assert.equal(await kindOf(({ fake }) => fake.behave('slowly')), 'accepted')
    })

    test('where nothing listens it was certainly not sent', async () => {
      assert.equal(await kindOf(({ fake }) => fake.stop()), 'deferred')
    })

    for (const conduct of ['hang', 'hang half-way'] as const) {
      test(`nobody knows what becomes of a call to one that does ${conduct}`, async () => {
        assert.equal(await kindOf(({ fake }) => fake.behave(conduct), IMPATIENT()), 'unknown')
      })
    }

    for (const [what, conduct] of [
      ['hangs up', 'hang up'],
      ['does not speak HTTP', 'babble'],
      ['is behind a proxy that gave up waiting', said(504)],
      ['says nothing of a message', said(201)],
      ['says nothing at all', { status: 201, body: '' }],
      ['answers with a page', { status: 200, body: '<html>' }],
    ] as const) {
      test(`nor to one that ${what}`, async () => {
        assert.equal(await kindOf(({ fake }) => fake.behave(conduct)), 'unknown')
      })
    }

    for (const status of [500, 502, 503]) {
      test(`one that answers ${status} did not take it, and may be asked again when it says so`, async () => {
        const outcome = await outcomeOf(({ fake }) => fake.behave(said(status, { 'retry-after': '7' })))
        assert.deepEqual([outcome.kind, 'retryAfter' in outcome && outcome.retryAfter], ['deferred', 7000])
      })
    }

    test('too many requests are not processed, and may come again when it says so', async () => {
      const outcome = await outcomeOf(({ fake }) => fake.behave(said(429, { 'retry-after': '7' })))
      assert.deepEqual([outcome.kind, 'retryAfter' in outcome && outcome.retryAfter], ['deferred', 7000])
      const without = await outcomeOf(({ fake }) => fake.behave(said(429)))
      assert.deepEqual([without.kind, 'retryAfter' in without && without.retryAfter], ['deferred', 0])
    })

    test('one that does not let us in is to blame itself', async () => {
      const outcome = await outcomeOf(({ fake }) => fake.behave(said(401)))
      assert.deepEqual([outcome.kind, 'blame' in outcome && outcome.blame], ['rejected', 'provider'])
    })

    test('a kept connection that breaks under a call leaves it unknown, and the call is not repeated', async () => {
      await using world = await open()
      assert.equal((await world.provider.send(someAttempt(), PATIENT())).kind, 'accepted')
      world.fake.behave('hang up')
      assert.equal((await world.provider.send(someAttempt(), PATIENT())).kind, 'unknown')
      assert.equal(world.fake.heard.length, 2)
    })

    test('what is past its deadline is not delivered', async () => {
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

    test('a genuine one tells of its attempt, and the same when it comes again', async () => {
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

    test('a forged one is known for what it is', async () => {
      await using world = await open()
      const { request } = await deliver(world)
      for (const [what, forged] of forgeries(request, world.signsAddress)) {
        assert.equal(await world.provider.readCallback(forged), 'forged', what)
      }
    })
  })
}

/** A callback with one thing about it changed. */
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
    ['nothing proves it', without(proofs)],
    ...proofs.flatMap((name) => [
      [`${name} is missing`, without([name])] as const,
      [`${name} is empty`, changed(name, () => '')] as const,
      [`${name} is cut`, changed(name, (value) => value.slice(0, -3))] as const,
      [`${name} is another`, changed(name, other)] as const,
    ]),
    ['its body is longer', { ...request, body: Buffer.concat([body, Buffer.from('&a=b')]) }],
    ...(body.length === 0 ? [] : [['its body is shorter', { ...request, body: body.subarray(0, -1) }] as const]),
    ...(signsAddress ? [['its address is another', { ...request, url: `${request.url}&a=b` }] as const] : []),
  ]
}

const other = (text: string): string => `${text.startsWith('1') ? '2' : '1'}${text.slice(1)}`
