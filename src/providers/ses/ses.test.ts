import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import PostalMime from 'postal-mime'
import { deliveryOf, openFakeSes, refusal, SES as SETTINGS } from '../../../test/support/fake-ses.ts'
import { abortAfterRequest, openWorld, type SesWorld } from '../../../test/support/ses-world.ts'
import { jsonOf, TOPIC, toRequest } from '../../../test/support/sns.ts'
import { until } from '../../../test/support/until.ts'
import { toReference } from '../../domain/message/attempt-reference.ts'
import type { SendOutcome } from '../../domain/message/outcome.ts'
import { omitUndefined } from '../../lib/omit-undefined.ts'
import { instant, seconds } from '../../lib/time.ts'
import { providerContract, someAttempt } from '../../ports/provider.contract.ts'
import type { Attempt, CallbackRequest } from '../../ports/provider.ts'
import { someContext } from '../context.fixture.ts'
import { address, someMailAttempt } from '../mail.fixture.ts'
import { openSes } from './ses.ts'

const NEVER_ABORTED = new AbortController().signal

const SIGNATURE = 'x-signature'

/**
 * The contract sends SMS and expects the signature in a header. Here a mail with the same ids replaces each SMS, and the
 * signature is moved from the body to a header and back.
 */
async function openForContract() {
  const world = await openWorld()
  const { provider, fake, sns } = world
  const send = (sms: Attempt, signal: AbortSignal): Promise<SendOutcome> => {
    const { id, ref, expiresAt } = sms
    const mail = omitUndefined({ ...someMailAttempt(), id, ref, expiresAt })
    return provider.send(mail, abortAfterRequest(world, signal))
  }
  const callback = (_attempt: unknown, id: string): CallbackRequest => {
    const mail = fake.mails.find((one) => one.id === id)
    assert.ok(mail !== undefined)
    const { Signature: signature, ...body } = jsonOf(sns.notify(deliveryOf(mail)))
    const headers = new Headers({ 'content-type': 'text/plain', [SIGNATURE]: signature })
    return { ...toRequest(body), headers }
  }
  const readCallback = (request: CallbackRequest) => {
    const Signature = request.headers.get(SIGNATURE)
    const body = Buffer.from(request.body).toString()
    const joined = Signature === null ? body : body.replace('{', `{"Signature":${JSON.stringify(Signature)},`)
    return provider.readCallback({ ...request, body: Buffer.from(joined) })
  }
  return {
    fake,
    provider: { ...provider, send, readCallback },
    callback,
    signsAddress: false,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

providerContract('SES', openForContract)

/** Keeps the AWS SDK from finding credentials. */
const WITHOUT_CREDENTIALS = {
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_SHARED_CREDENTIALS_FILE: '/nowhere',
  AWS_CONFIG_FILE: '/nowhere',
  AWS_ACCESS_KEY_ID: '',
  AWS_WEB_IDENTITY_TOKEN_FILE: '',
  AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: '',
  AWS_CONTAINER_CREDENTIALS_FULL_URI: '',
}

describe('a request to SES', () => {
  const mailOf = async ({ provider, fake }: SesWorld, attempt = someMailAttempt()) => {
    const outcome = await provider.send(attempt, NEVER_ABORTED)
    assert.equal(outcome.kind, 'accepted', JSON.stringify(outcome))
    const mail = fake.mails.at(-1)
    assert.ok(mail !== undefined)
    return mail
  }

  test('contains the mail, with our reference in a tag', async () => {
    await using world = await openWorld({ settings: { configuration_set: 'acme' } })
    const attempt = someMailAttempt({
      attachments: [{ filename: 'a.txt', contentType: 'text/plain', content: 'aGk=' }],
    })
    const mail = await mailOf(world, attempt)
    assert.deepEqual(
      [mail.from, mail.to, mail.tags, mail.configurationSet],
      ['no-reply@acme.example', [attempt.content.to], { attempt: [toReference(attempt.ref)] }, 'acme'],
    )
    const read = await PostalMime.parse(mail.raw)
    assert.deepEqual(
      [read.from, read.to, read.subject, read.messageId],
      [
        { name: 'Acme', address: 'no-reply@acme.example' },
        [{ name: '', address: attempt.content.to }],
        attempt.content.subject,
        `<${toReference(attempt.ref)}@acme.example>`,
      ],
    )
    assert.deepEqual([read.html?.trim(), read.text?.trim()], [attempt.content.html, attempt.content.text])
    const [attached] = read.attachments
    assert.equal(Buffer.from(attached?.content as ArrayBuffer).toString(), 'hi')
  })

  test('has the sender of the mail, and Bcc recipients only in the destination', async () => {
    await using world = await openWorld()
    const hidden = address('hidden@elsewhere.example')
    const content = { from: { address: address('a@shop.example') }, cc: [{ address: address('copy@b.example') }] }
    const mail = await mailOf(world, someMailAttempt({ ...content, bcc: [{ address: hidden }] }))
    assert.equal(mail.from, 'a@shop.example')
    assert.deepEqual(mail.to, ['maria.silva@example.org', 'copy@b.example', hidden])
    assert.ok(!mail.raw.toString('latin1').includes('hidden'))
  })

  test('is signed, and carries the span of the attempt', async () => {
    await using world = await openWorld()
    const attempt = someMailAttempt()
    await mailOf(world, attempt)
    assert.equal(world.fake.requests[0]?.headers['traceparent'], `00-${attempt.traceId}-${attempt.id.slice(0, 16)}-01`)
    await using other = await openWorld({ settings: { secret_access_key: 'another', endpoint: world.fake.url } })
    const outcome = await other.provider.send(attempt, NEVER_ABORTED)
    assert.equal(outcome.kind === 'rejected' && outcome.code, 'AUTHENTICATION_FAILED')
    assert.equal(world.fake.mails.length, 1)
  })

  test('is not made after the deadline, nor for an SMS', async () => {
    await using world = await openWorld()
    const late = await world.provider.send(
      { ...someMailAttempt(), expiresAt: instant(Date.now() + 900) },
      NEVER_ABORTED,
    )
    assert.equal(late.kind === 'rejected' && late.code, 'EXPIRED')
    const sms = await world.provider.send(someAttempt(), NEVER_ABORTED)
    assert.equal(sms.kind === 'rejected' && sms.blame, 'provider')
    assert.equal(world.fake.requests.length, 0)
  })

  test('is deferred without credentials', async () => {
    await using world = await openWorld()
    const logged: unknown[] = []
    const { access_key_id: _key, secret_access_key: _secret, ...settings } = SETTINGS
    const before = { ...process.env }
    Object.assign(process.env, WITHOUT_CREDENTIALS)
    try {
      const context = someContext({ log: (...line) => logged.push(line) })
      await using provider = openSes({ ...settings, endpoint: world.fake.url }, context)
      const outcome = await provider.send(someMailAttempt(), NEVER_ABORTED)
      assert.equal(outcome.kind === 'deferred' && outcome.code, 'SES_CREDENTIALS_UNAVAILABLE')
    } finally {
      for (const name of Object.keys(WITHOUT_CREDENTIALS)) delete process.env[name]
      Object.assign(process.env, before)
    }
    assert.equal(world.fake.requests.length, 0)
    assert.deepEqual(logged, [['warn', 'ses: request could not be signed', { reason: 'CredentialsProviderError' }]])
  })
})

describe('the send rate', () => {
  test('is enforced, and leaves no room while a mail waits', async () => {
    await using world = await openWorld({ settings: { max_per_second: 1 } })
    const bcc = Array.from({ length: 29 }, (_, index) => ({ address: address(`copy${index}@b.example`) }))
    assert.equal((await world.provider.send(someMailAttempt({ bcc }), NEVER_ABORTED)).kind, 'accepted')
    const controller = new AbortController()
    const next = world.provider.send(someMailAttempt(), controller.signal)
    await until('the room to be gone', () => world.provider.hasRoom?.() === false)
    controller.abort()
    const outcome = await next
    assert.equal(outcome.kind === 'deferred' && outcome.code, 'SES_MAX_SEND_RATE_EXCEEDED')
    assert.equal(world.provider.hasRoom?.(), true)
    assert.equal(world.fake.requests.length, 1)
  })

  test('pauses after SES throttles, for as long as it says', async () => {
    await using world = await openWorld()
    world.fake.behave({ ...refusal(429, 'TooManyRequestsException'), headers: { 'retry-after': '60' } })
    const outcome = await world.provider.send(someMailAttempt(), NEVER_ABORTED)
    assert.equal(outcome.kind === 'deferred' && outcome.retryAfter, seconds(60))
    world.fake.behave('well')
    const controller = new AbortController()
    const next = world.provider.send(someMailAttempt(), controller.signal)
    await until('the room to be gone', () => world.provider.hasRoom?.() === false)
    controller.abort()
    assert.equal((await next).kind, 'deferred')
    assert.equal(world.fake.requests.length, 1)
  })
})

describe('delivery reports of SES', () => {
  test('are accepted only from configured topics', async () => {
    await using world = await openWorld()
    assert.deepEqual(world.provider.capabilities, { channels: ['email'], reports: 'callback' })
    await using without = await openWorld({ settings: { topics: [] } })
    assert.equal(without.provider.capabilities.reports, 'never')
    assert.equal(await without.provider.readCallback(without.sns.notify('{}')), 'forged')
  })

  test('are not expected without topics', async () => {
    for (const [topics, noDeliveryReports] of [
      [undefined, true],
      [[], true],
      [[TOPIC], undefined],
    ] as const) {
      await using fake = await openFakeSes()
      const settings = omitUndefined({ ...SETTINGS, endpoint: fake.url, topics: topics && [...topics] })
      await using provider = openSes(settings, someContext())
      const outcome = await provider.send(someMailAttempt(), NEVER_ABORTED)
      assert.equal(outcome.kind === 'accepted' ? outcome.noDeliveryReports : outcome.kind, noDeliveryReports)
    }
  })

  test('identify the attempt of a mail whose answer was lost', async () => {
    await using world = await openWorld()
    world.fake.behave('hang up')
    const attempt = someMailAttempt()
    assert.equal((await world.provider.send(attempt, NEVER_ABORTED)).kind, 'unknown')
    const [mail] = world.fake.mails
    assert.ok(mail !== undefined)
    const read = await world.provider.readCallback(world.sns.notify(deliveryOf(mail)))
    const [receipt] = read === 'forged' ? [] : read
    assert.deepEqual([receipt?.ref, receipt?.providerMessageId], [attempt.ref, mail.id])
  })
})
