import assert from 'node:assert/strict'
import { createHash, createSecretKey } from 'node:crypto'
import { createRequire } from 'node:module'
import { parse } from 'node:querystring'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { SignJWT } from 'jose'
import { instant } from '../../lib/time.ts'
import type { CallbackRequest } from '../../ports/provider.ts'
import { isSigned, JWT_HEADER, SIGNATURE_HEADER, TIMESTAMP_HEADER, toSignature, toSortedQuery } from './signature.ts'

type Request = { headers: Record<string, string>; query: object; body: string }
type Legacy = Readonly<{
  generate: (request: Request, key: string) => Buffer
  isValid: (request: Request, signature: Buffer) => boolean
}>
type ByJwt = Readonly<{
  verify: (url: string, payload: Buffer, jwt: string, key: unknown, options?: object) => Promise<true>
}>
const require = createRequire(import.meta.url)
const legacy = require('messagebird/lib/signature.js') as Legacy
const byJwt = require('messagebird/lib/webhook-signature-jwt.js') as ByJwt

const KEY = 'PlLrKaqvZNRR5zAjm42ZT6q1SQxgbbGd'
const sha256 = (data: string | Uint8Array): string => createHash('sha256').update(data).digest('hex')

const toRequest = (url: string, headers: Record<string, string>, body: string | Uint8Array = ''): CallbackRequest => ({
  method: 'GET',
  url,
  headers: new Headers(headers),
  body: Buffer.from(body),
})

const headersOf = (timestamp: number, signature: string) => ({
  [TIMESTAMP_HEADER]: `${timestamp}`,
  [SIGNATURE_HEADER]: signature,
})

const NOW = 1_700_000_000
const now = instant(NOW * 1000)

async function toJwt(url: string, body: string, claims: Readonly<Record<string, unknown>> = {}, alg = 'HS256') {
  const hashes = { url_hash: sha256(url), ...(body === '' ? {} : { payload_hash: sha256(body) }) }
  return new SignJWT({ iss: 'MessageBird', nbf: NOW, exp: NOW + 60, jti: 'j', ...hashes, ...claims })
    .setProtectedHeader({ alg })
    .sign(new TextEncoder().encode(KEY))
}

describe("MessageBird's examples", () => {
  const url =
    'https://pombo.example/v1/callbacks/m?id=eef0ab57a9e049be946f3821568c2b2e&mccmnc=20408&ported=1&recipient=31612345678' +
    '&reference=FOO&status=delivered&statusDatetime='

  test('over the sorted query, also with the plus sign decoded as a space', async () => {
    const headers = headersOf(1547198231, 'KVBdcVdz2lYMwcBLZCRITgxUfA/WkwSi+T3Wxl2HL6w=')
    for (const time of [
      '2019-01-11T09:17:11+00:00',
      '2019-01-11T09%3A17%3A11%2B00%3A00',
      '2019-01-11T09:17:11%2000:00',
    ]) {
      assert.ok(await isSigned(KEY, toRequest(url + time, headers), instant(1547198231_000)), time)
    }
    assert.ok(!(await isSigned(KEY, toRequest(`${url}x`, headers), instant(1547198231_000))))
  })

  test('over the URL', async () => {
    const headers = headersOf(NOW, 'IUSbld5w273pL93g4esWfomTk/dV4pcUu22e/IbVkS0=')
    assert.ok(await isSigned('secureSigningKey', toRequest('https://domain.com/webhook/bird', headers, '{"a":1}'), now))
  })

  test('by JWT', async () => {
    const secret = '36efdd1aace2e26cd490f0d951138253bef2f7c6d34d18981da781555cc4cebb'
    const claims =
      '{"iss":"MessageBird","nbf":1625479200,"exp":1625479260,"jti":"59a244dc-e9ad-4e23-9778-371faa238f72",' +
      '"url_hash":"0f115db062b7c0dd030b16878c99dea5c354b49dc37b38eb8846179c7783e9d7"}'
    const text = ['{"alg":"HS256","typ":"JWT"}', claims]
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.')
    const jwt = `${text}.6Fp0rVOsRr1fj9S2GidXAfkmPVofKr8_RTffC6G6r2E`
    const request = toRequest('https://example.com/', { [JWT_HEADER]: jwt })
    assert.ok(await isSigned(secret, request, instant(1625479230_000)))
    assert.ok(!(await isSigned(secret, request, instant(1625479330_000))), 'too late')
    assert.ok(!(await isSigned(secret, request, instant(1625479100_000))), 'too early')
  })
})

const anyText = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((text) => text.isWellFormed())
const anyQuery = fc
  .array(fc.tuple(fc.constantFrom('id', 'reference', 'status', 'Z', '_', 'recipient'), anyText), { maxLength: 6 })
  .map((pairs) => new URLSearchParams([...new Map(pairs), ['statusDatetime', '2019-01-11T09:17:11+00:00']]))

describe("we agree with MessageBird's client", () => {
  test('on signatures over the sorted query', async () => {
    await fc.assert(
      fc.asyncProperty(anyQuery, anyText, async (query, body) => {
        const url = `https://pombo.example/v1/callbacks/m?${query}`
        const theirs = { headers: { [TIMESTAMP_HEADER]: `${NOW}` }, query: { ...parse(`${query}`) }, body }
        const signature = legacy.generate(theirs, KEY)
        assert.ok(await isSigned(KEY, toRequest(url, headersOf(NOW, signature.toString('base64')), body), now))
        const ours = toSignature(KEY, { timestamp: `${NOW}`, target: toSortedQuery(url), body: Buffer.from(body) })
        assert.ok(legacy.isValid({ ...theirs, headers: headersOf(NOW, ours) }, signature))
      }),
      { numRuns: 200 },
    )
  })

  test('on valid and invalid JWTs', async () => {
    const options = {
      validateUrl: true,
      validatePayload: true,
      jwtVerifyOptions: {
        issuer: 'MessageBird',
        algorithms: ['HS256', 'HS384', 'HS512'],
        clockTolerance: 5,
        currentDate: new Date(now),
      },
      jwtVerifyJti: () => true,
    }
    const url = 'https://pombo.example/v1/callbacks/m?id=1'
    const verdicts = async (jwt: string, body: string) => {
      const verified = byJwt.verify(url, Buffer.from(body), jwt, createSecretKey(Buffer.from(KEY)), options)
      const theirs = await verified.catch(() => false)
      return [theirs, await isSigned(KEY, toRequest(url, { [JWT_HEADER]: jwt }, body), now)]
    }
    for (const alg of ['HS256', 'HS384', 'HS512']) {
      for (const body of ['', '{"a":1}'])
        assert.deepEqual(await verdicts(await toJwt(url, body, {}, alg), body), [true, true])
    }
    for (const claims of [
      { iss: 'Somebody' },
      { exp: NOW - 6 },
      { nbf: NOW + 6 },
      { jti: undefined },
      { url_hash: undefined },
      { url_hash: sha256('https://pombo.example/') },
      { payload_hash: sha256('another body') },
      { payload_hash: undefined },
    ]) {
      const verdict = await verdicts(await toJwt(url, '{"a":1}', claims), '{"a":1}')
      assert.deepEqual(verdict, [false, false], JSON.stringify(claims))
    }
    const none = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${(await toJwt(url, '')).split('.')[1]}.`
    assert.deepEqual(await verdicts(none, ''), [false, false])
  })
})

describe('S1-P16 a callback that MessageBird did not sign is refused', () => {
  const url = 'https://pombo.example/v1/callbacks/m?id=1&reference=0190a0b0-0000-7000-8000-000000000000.1.1&status=sent'
  const targets = { jwt: '', address: url, query: toSortedQuery(url) }
  const sign = (how: 'address' | 'query') =>
    toSignature(KEY, { timestamp: `${NOW}`, target: targets[how], body: Buffer.of() })

  for (const how of ['jwt', 'address', 'query'] as const) {
    test(`with any change (signed by ${how})`, async () => {
      const headers: Record<string, string> =
        how === 'jwt' ? { [JWT_HEADER]: await toJwt(url, '') } : headersOf(NOW, sign(how))
      assert.ok(await isSigned(KEY, toRequest(url, headers), now))
      const character = fc.constantFrom(...'abcXYZ019')
      const header = fc.constantFrom(...Object.keys(headers))
      const query = url.indexOf('?') + 1
      await fc.assert(
        fc.asyncProperty(fc.nat(1000), character, header, anyText, async (position, by, name, body) => {
          const replaced = (text: string, from = 0) => {
            const at = from + (position % (text.length - from))
            return text.slice(0, at) + by + text.slice(at + 1)
          }
          const address = replaced(url, query)
          if (address !== url) assert.ok(!(await isSigned(KEY, toRequest(address, headers), now)), address)
          const given = headers[name] ?? ''
          // The last digit of base64 may contain unused bits.
          const proof = replaced(given.slice(0, -2)) + given.slice(-2)
          if (proof !== given)
            assert.ok(!(await isSigned(KEY, toRequest(url, { ...headers, [name]: proof }), now)), proof)
          const { [name]: _, ...fewer } = headers
          assert.ok(!(await isSigned(KEY, toRequest(url, fewer), now)))
          assert.ok(!(await isSigned(KEY, toRequest(url, headers, `x${body}`), now)))
          assert.ok(!(await isSigned('another key', toRequest(url, headers), now)))
        }),
        { numRuns: 200 },
      )
    })
  }

  test('when it is too old or from the future', async () => {
    const request = toRequest(url, headersOf(NOW, sign('query')))
    for (const [after, isAccepted] of [
      [99, true],
      [100, false],
      [-99, true],
      [-100, false],
    ] as const) {
      assert.equal(await isSigned(KEY, request, instant((NOW + after) * 1000)), isAccepted, `${after} s`)
    }
  })

  test('when its JWT is invalid, even if the older signature is valid', async () => {
    const headers = { ...headersOf(NOW, sign('query')), [JWT_HEADER]: 'a.b.c' }
    assert.ok(!(await isSigned(KEY, toRequest(url, headers), now)))
  })
})
