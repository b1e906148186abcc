import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { openFakeHttp } from '../../../test/support/fake-http.ts'
import { selfSigned } from '../../../test/support/self-signed.ts'
import { openWorld } from '../../../test/support/ses-world.ts'
import {
  altered,
  CERTIFICATE_URL,
  fakeSns,
  jsonOf,
  SUBSCRIBE_URL,
  TOPIC,
  toRequest,
} from '../../../test/support/sns.ts'
import { type Instant, instant, later, millis, seconds } from '../../lib/time.ts'
import type { CallbackRequest } from '../../ports/provider.ts'
import { Unavailable } from '../../ports/unavailable.ts'
import { openHttp } from '../http.ts'
import { Certificates, type Get, getter, parseSnsUrl } from './certificates.ts'
import { parseEnvelope, toSigned } from './sns-signature.ts'

const NOW = instant(Date.UTC(2026, 6, 1, 12))
const DAY = seconds(24 * 60 * 60)

/** A provider at a fixed time, and an SNS whose certificate is valid then. */
const open = (clock = () => NOW) => openWorld({ at: NOW, context: { clock } })

describe('a genuine SNS message', () => {
  for (const version of ['1', '2']) {
    test(`is accepted with signature version ${version}`, async () => {
      await using world = await open()
      const request = world.sns.notify('hello\nworld "é"', { SignatureVersion: version, Subject: 'Amazon SES' })
      assert.deepEqual(await world.provider.readCallback(request), [])
      assert.deepEqual(world.visited, [CERTIFICATE_URL])
    })
  }

  test('is signed over exactly these lines', () => {
    const sns = fakeSns(NOW)
    const more = { MessageId: 'm', Timestamp: 't', TopicArn: 'a', UnsubscribeURL: 'https://sns.example/?x' }
    const lines = (request: CallbackRequest) => {
      const envelope = parseEnvelope(request.body)
      return envelope && toSigned(envelope).split('\n')
    }
    const notification = ['Message', 'hi', 'MessageId', 'm', 'Timestamp', 't', 'TopicArn', 'a', 'Type', 'Notification']
    assert.deepEqual(lines(sns.notify('hi', more)), [...notification, ''])
    assert.deepEqual(lines(sns.notify('hi', { ...more, Subject: '' })), [
      ...notification.slice(0, 4),
      'Subject',
      '',
      ...notification.slice(4),
      '',
    ])
    for (const type of ['SubscriptionConfirmation', 'UnsubscribeConfirmation'] as const) {
      assert.deepEqual(lines(sns.confirm(type, { ...more, Message: 'hi' })), [
        ...notification.slice(0, 4),
        ...['SubscribeURL', SUBSCRIBE_URL, 'Timestamp', 't', 'Token', 'a-token', 'TopicArn', 'a', 'Type', type, ''],
      ])
    }
  })

  test('is accepted for an hour, with some clock skew', async () => {
    for (const [age, isAccepted] of [
      [seconds(3_900), true],
      [seconds(3_901), false],
      [seconds(-300), true],
      [seconds(-301), false],
    ] as const) {
      await using world = await open(() => later(NOW, age))
      const read = await world.provider.readCallback(world.sns.notify('hi'))
      assert.equal(read !== 'forged', isAccepted, `${age}`)
    }
  })
})

describe('a forged SNS message', () => {
  for (const [what, forge] of [
    ['a changed message', (request) => altered(request, { Message: `${jsonOf(request)['Message']} ` })],
    ['another id', (request) => altered(request, { MessageId: 'another' })],
    ['another time', (request) => altered(request, { Timestamp: '2026-07-01T12:00:01.000Z' })],
    ['an added subject', (request) => altered(request, { Subject: 'Hello' })],
    ['another type', (request) => altered(request, { Type: 'UnsubscribeConfirmation', Token: '', SubscribeURL: '' })],
    ['no signature', (request) => altered(request, { Signature: undefined })],
    ['an empty signature', (request) => altered(request, { Signature: '' })],
    ['another version', (request) => altered(request, { SignatureVersion: '1' })],
    ['an unknown version', (request) => altered(request, { SignatureVersion: '3' })],
    ['a message that is not a string', (request) => altered(request, { Message: { a: 1 } })],
    ['an invalid time', (request) => altered(request, { Timestamp: 'now' })],
    ['another method', (request) => ({ ...request, method: 'GET' })],
    ['no envelope', (request) => ({ ...request, body: Buffer.from(jsonOf(request)['Message'] ?? '') })],
    ['no JSON', (request) => ({ ...request, body: Buffer.from('{') })],
    ['a null body', () => toRequest(null)],
  ] as readonly (readonly [string, (request: CallbackRequest) => CallbackRequest])[]) {
    test(`is refused with ${what}`, async () => {
      await using world = await open()
      assert.equal(await world.provider.readCallback(forge(world.sns.notify('{"a":1}'))), 'forged')
    })
  }

  test('is refused for an unknown topic, and nothing is fetched', async () => {
    await using world = await open()
    const request = world.sns.notify('hi', { TopicArn: 'arn:aws:sns:eu-west-1:999999999999:mail' })
    assert.equal(await world.provider.readCallback(request), 'forged')
    assert.deepEqual(world.visited, [])
  })

  test('is refused with any byte of its signature changed', async () => {
    await using world = await open()
    const request = world.sns.notify('hi')
    const signature = Buffer.from(jsonOf(request)['Signature'] ?? '', 'base64')
    await fc.assert(
      fc.asyncProperty(fc.nat(signature.length - 1), fc.integer({ min: 1, max: 255 }), async (at, by) => {
        const changed = Buffer.from(signature)
        changed[at] = (changed[at] ?? 0) ^ by
        const read = await world.provider.readCallback(altered(request, { Signature: changed.toString('base64') }))
        assert.equal(read, 'forged')
      }),
    )
  })

  const PEM = 'SimpleNotificationService-0123abcd.pem'
  for (const url of [
    `https://sns.eu-west-1.amazonaws.com.evil.example/${PEM}`,
    `https://evil.example/sns.eu-west-1.amazonaws.com/${PEM}`,
    `https://sns.eu-west-1.amazonaws.com@evil.example/${PEM}`,
    `https://me:you@sns.eu-west-1.amazonaws.com/${PEM}`,
    `https://sns.eu-west-1.amazonaws.com:8443/${PEM}`,
    `https://xsns.eu-west-1.amazonaws.com/${PEM}`,
    `https://sns.s3-us-west-2.amazonaws.com/${PEM}`,
    `https://sns.s3-eu-west-1.amazonaws.com/${PEM}`,
    `https://sns.us-east-1.amazonaws.com/${PEM}`,
    `https://sns.eu-west-1.amazonaws.com.cn/${PEM}`,
    `https://bucket.s3.eu-west-1.amazonaws.com/${PEM}`,
    `https://sns.eu-west-1.amazonaws.com/x/${PEM}`,
    `https://sns.eu-west-1.amazonaws.com/${PEM}?x`,
    `https://sns.eu-west-1.amazonaws.com/${PEM}#x`,
    'https://sns.eu-west-1.amazonaws.com/x.pem',
    'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123abcd.txt',
    `https://sns.eu-west-1.amazonaws.com/?${PEM}`,
    `http://sns.eu-west-1.amazonaws.com/${PEM}`,
    'file:///etc/x.pem',
    `//sns.eu-west-1.amazonaws.com/${PEM}`,
    '',
  ]) {
    test(`is refused with a certificate at '${url}'`, async () => {
      await using world = await open()
      world.pages.set(url, world.sns.certificate)
      assert.equal(await world.provider.readCallback(world.sns.notify('hi', { SigningCertURL: url })), 'forged')
      assert.deepEqual(world.visited, [])
    })
  }

  test('is refused with a wrong, invalid, missing, non-RSA or expired certificate', async () => {
    const ecPair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    for (const [what, certificate] of [
      ['another', fakeSns(NOW).certificate],
      ['invalid', 'hello'],
      ['missing', undefined],
      ['not RSA', selfSigned('127.0.0.1', { pair: ecPair, from: NOW - DAY, until: NOW + DAY }).cert],
    ] as const) {
      await using world = await open()
      if (certificate === undefined) world.pages.delete(CERTIFICATE_URL)
      else world.pages.set(CERTIFICATE_URL, certificate)
      assert.equal(await world.provider.readCallback(world.sns.notify('hi')), 'forged', what)
    }
    for (const days of [-2, 2]) {
      const clock = (): Instant => later(NOW, millis(days * DAY))
      await using world = await open(clock)
      const request = world.sns.notify('hi', { Timestamp: new Date(clock()).toISOString() })
      assert.equal(await world.provider.readCallback(request), 'forged', `${days} days`)
      assert.deepEqual(world.visited, [CERTIFICATE_URL])
    }
  })
})

describe('a subscription', () => {
  test('is confirmed and logged', async () => {
    await using world = await open()
    assert.deepEqual(await world.provider.readCallback(world.sns.confirm()), [])
    assert.deepEqual(world.visited, [CERTIFICATE_URL, SUBSCRIBE_URL])
    assert.deepEqual(world.logs, ['info: sns: topic subscription confirmed'])
  })

  test('is not confirmed for a forged request or at a foreign URL', async () => {
    await using world = await open()
    const elsewhere = ['https://evil.example', 'https://sns.s3-us-west-2.amazonaws.com'].map((origin) =>
      world.sns.confirm('SubscriptionConfirmation', { SubscribeURL: `${origin}/?Token=a` }),
    )
    for (const request of [
      altered(world.sns.confirm(), { Token: 'b' }),
      altered(world.sns.confirm(), { SubscribeURL: 'https://sns.eu-west-1.amazonaws.com/?Action=Other' }),
      world.sns.confirm('SubscriptionConfirmation', { TopicArn: 'arn:aws:sns:eu-west-1:999999999999:mail' }),
      ...elsewhere,
    ]) {
      assert.equal(await world.provider.readCallback(request), 'forged')
    }
    assert.deepEqual([world.visited, world.logs], [[CERTIFICATE_URL], []])
  })

  test('that cannot be confirmed or has ended is logged', async () => {
    await using world = await open()
    world.pages.delete(SUBSCRIBE_URL)
    assert.deepEqual(await world.provider.readCallback(world.sns.confirm()), [])
    assert.deepEqual(await world.provider.readCallback(world.sns.confirm('UnsubscribeConfirmation')), [])
    assert.deepEqual(world.logs, [
      'warn: sns: topic subscription could not be confirmed, subscribe again',
      'warn: sns: topic unsubscribed',
    ])
    assert.deepEqual(world.visited, [CERTIFICATE_URL, SUBSCRIBE_URL])
  })
})

describe('certificates', () => {
  const urlOf = (name: string) => `https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-${name}.pem`
  const { certificate: pem } = fakeSns(NOW)
  const open = (get: Get) => {
    const asked: string[] = []
    let now = NOW
    const counting: Get = (url) => {
      asked.push(url)
      return get(url)
    }
    return {
      asked,
      certificates: new Certificates({ clock: () => now, get: counting }),
      wait: (by: number) => {
        now = instant(now + by)
      },
    }
  }

  test('are fetched once, also concurrently, and again after a day', async () => {
    const { asked, certificates, wait } = open(async () => pem)
    await Promise.all([certificates.of(urlOf('a'), TOPIC), certificates.of(urlOf('a'), TOPIC)])
    wait(DAY - 1)
    assert.ok((await certificates.of(urlOf('a'), TOPIC)) !== undefined)
    assert.equal(asked.length, 1)
    wait(1)
    await certificates.of(urlOf('a'), TOPIC)
    assert.equal(asked.length, 2)
  })

  test('that could not be fetched are fetched again', async () => {
    let isDown = true
    const { asked, certificates } = open(async () => {
      if (isDown) throw new Unavailable('unavailable')
      return asked.length === 2 ? 'no certificate' : pem
    })
    await assert.rejects(certificates.of(urlOf('a'), TOPIC), Unavailable)
    isDown = false
    assert.equal(await certificates.of(urlOf('a'), TOPIC), undefined)
    assert.ok((await certificates.of(urlOf('a'), TOPIC)) !== undefined)
    assert.equal(asked.length, 3)
  })

  test('are cached in a bounded number', async () => {
    const { asked, certificates } = open(async () => pem)
    for (let name = 0; name < 17; name += 1) await certificates.of(urlOf(`${name}`), TOPIC)
    await certificates.of(urlOf('16'), TOPIC)
    assert.equal(asked.length, 17)
    await certificates.of(urlOf('0'), TOPIC)
    assert.equal(asked.length, 18)
  })

  test('are at the endpoints of the China and GovCloud partitions', () => {
    const host = (partition: string, region: string, url: string) =>
      parseSnsUrl(url, `arn:${partition}:sns:${region}:123456789012:mail`)?.host
    const china = 'sns.cn-north-1.amazonaws.com.cn'
    assert.equal(host('aws-cn', 'cn-north-1', `https://${china}/x`), china)
    assert.equal(host('aws-cn', 'cn-north-1', 'https://sns.cn-north-1.amazonaws.com/x'), undefined)
    const gov = 'sns.us-gov-west-1.amazonaws.com'
    assert.equal(host('aws-us-gov', 'us-gov-west-1', `https://${gov}:443/x`), gov)
  })

  test('are read over HTTP, where an error is not a missing page', async () => {
    await using fake = await openFakeHttp(() => ({ status: 200, body: pem }))
    using http = openHttp()
    const get = getter(http)
    assert.equal(await get(fake.url), pem)
    for (const status of [301, 403, 404]) {
      fake.behave({ status, body: '' })
      assert.equal(await get(fake.url), undefined)
    }
    for (const conduct of [{ status: 503, body: '' }, { status: 429, body: '' }, 'hang up'] as const) {
      fake.behave(conduct)
      await assert.rejects(get(fake.url), Unavailable)
    }
    await fake.stop()
    await assert.rejects(get(fake.url), Unavailable)
  })
})
