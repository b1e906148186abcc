import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { exportJWK, exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { openMemoryEngine } from '../../../test/memory/memory.ts'
import { openIds } from '../../engines/crypto/ids.ts'
import { type Instant, instant, later, seconds } from '../../lib/time.ts'
import { FULL, openFixture, SECRET, sign } from '../server.fixture.ts'
import { openTokenVerifier } from './jwt.ts'

const NOW = instant(Date.parse('2030-01-31T12:00:00Z'))
const world = { openEngine: openMemoryEngine, ids: openIds() }
const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
const claims = { ...FULL, exp: NOW / 1000 + 60 }

/** Signed right, with a header of one's choice. */
function forge(header: object, body: object, key: string | Uint8Array): string {
  const signed = `${base64(header)}.${base64(body)}`
  return `${signed}.${createHmac('sha256', key).update(signed).digest('base64url')}`
}

test('S1-P15 a guarded call without a valid token is 401', async () => {
  await using api = await openFixture(world)
  const good = await sign(FULL, NOW)
  const [head = '', body = '', signature = ''] = good.split('.')
  const flip = (text: string, at: number): string => {
    const index = at % text.length
    return text.slice(0, index) + (text[index] === 'A' ? 'B' : 'A') + text.slice(index + 1)
  }
  const garbled = fc.oneof(
    fc.constant(undefined),
    fc.string({ unit: 'grapheme-ascii' }).map((text) => `Bearer ${text}`),
    fc.stringMatching(/^[\w-]{0,40}\.[\w-]{0,80}\.[\w-]{0,43}$/).map((token) => `Bearer ${token}`),
    // The last character holds bits that do not count.
    fc.nat({ max: signature.length - 2 }).map((at) => `Bearer ${head}.${body}.${flip(signature, at)}`),
    fc.nat().map((at) => `Bearer ${head}.${flip(body, at)}.${signature}`),
    fc.nat({ max: good.length - 2 }).map((length) => `Bearer ${good.slice(0, length)}`),
    fc.constantFrom(good, `Basic ${good}`, `Bearer${good}`, `Bearer ${good} x`, `Bearer ${head}.${body}.`),
    fc.uint8Array({ minLength: 32, maxLength: 64 }).map((other) => `Bearer ${forge({ alg: 'HS256' }, claims, other)}`),
    fc
      .constantFrom('none', 'None', 'HS384', 'HS512', 'RS256', 'ES256', 'EdDSA', 'hs256', '')
      .map((alg) => `Bearer ${forge({ alg }, claims, SECRET)}`),
    fc
      .integer({ min: 6, max: 1e9 })
      .map((ago) => `Bearer ${forge({ alg: 'HS256' }, { ...FULL, exp: NOW / 1000 - ago }, SECRET)}`),
    fc
      .integer({ min: 6, max: 1e9 })
      .map((ahead) => `Bearer ${forge({ alg: 'HS256' }, { ...claims, nbf: NOW / 1000 + ahead }, SECRET)}`),
  )
  const calls = fc.constantFrom<readonly ['GET' | 'POST', string]>(
    ['POST', '/v1/sms/send'],
    ['POST', '/v1/messages/batch'],
    ['GET', '/v1/messages'],
    ['POST', '/v1/erasures'],
    ['GET', '/v1/events'],
    ['POST', '/v1/dead-letters/replay'],
  )
  await fc.assert(
    fc.asyncProperty(garbled, calls, async (authorization, [method, url]) => {
      const headers = authorization === undefined ? {} : { authorization }
      const answer = await api.app.inject({ method, url, headers })
      assert.equal(answer.statusCode, 401)
      assert.equal(answer.json().error_code, 'UNAUTHENTICATED')
      assert.match(String(answer.headers['www-authenticate']), /^Bearer/)
    }),
    { numRuns: 300 },
  )
  assert.equal(await api.deps.log.tip(), 0)
})

test('a token that was verified before admits no other token with its signature', async () => {
  const verify = await openTokenVerifier({ secret: SECRET, clock: () => NOW })
  const good = forge({ alg: 'HS256' }, claims, SECRET)
  const [head = '', , signature = ''] = good.split('.')
  assert.equal((await verify(good)).tenantId, 'acme')
  const forged = `${head}.${base64({ ...claims, tenant_id: 'other' })}.${signature}`
  await assert.rejects(async () => verify(forged), { code: 'UNAUTHENTICATED' })
  assert.equal((await verify(good)).tenantId, 'acme')
})

for (const [name, bad] of [
  ['no tenant', { tenant_id: undefined }],
  ['a tenant that is no name', { tenant_id: 'a b' }],
  ['an account that is no name', { account_id: '' }],
  ['scopes in a list', { scope: ['admin'] }],
  ['no expiry', { exp: undefined }],
  ['an expiry that is no number', { exp: 'tomorrow' }],
] as const) {
  test(`a token with ${name} is 401`, async () => {
    await using api = await openFixture(world)
    const answer = await (await api.caller(bad))('GET', '/v1/messages')
    assert.equal(answer.statusCode, 401)
    assert.match(answer.json().detail, /claim/)
  })
}

for (const [method, url, scope] of [
  ['POST', '/v1/sms/send', 'sms:send'],
  ['POST', '/v1/email/send', 'email:send'],
  ['GET', '/v1/sms/x', 'messages:read'],
  ['GET', '/v1/email/x', 'messages:read'],
  ['GET', '/v1/messages', 'messages:read'],
  ['GET', '/v1/messages/x', 'messages:read'],
  ['GET', '/v1/dead-letters', 'messages:read'],
  ['GET', '/v1/stats', 'messages:read'],
  ['GET', '/v1/providers', 'messages:read'],
  ['GET', '/v1/events', 'messages:read'],
  ['POST', '/v1/messages/x/resend', 'messages:write'],
  ['POST', '/v1/messages/x/resolve', 'messages:write'],
  ['POST', '/v1/messages/x/erase', 'messages:write'],
  ['POST', '/v1/erasures', 'messages:write'],
  ['POST', '/v1/dead-letters/x/replay', 'messages:write'],
  ['POST', '/v1/dead-letters/replay', 'messages:write'],
] as const) {
  test(`${method} ${url} is 403 without ${scope}`, async () => {
    await using api = await openFixture(world)
    const others = FULL.scope.split(' ').filter((one) => one !== scope)
    const answer = await (await api.caller({ scope: others.join(' ') }))(method, url)
    assert.equal(answer.statusCode, 403)
    assert.equal(answer.json().error_code, 'FORBIDDEN')
  })
}

test('admin has every scope', async () => {
  await using api = await openFixture(world)
  const call = await api.caller({ scope: 'admin' })
  assert.equal(
    (await call('POST', '/v1/sms/send', { to: '+15005550100', message: 'x', idempotency_key: 'k' })).statusCode,
    202,
  )
  assert.equal((await call('GET', '/v1/messages')).statusCode, 200)
  assert.equal((await call('POST', '/v1/erasures', { to: '+15005550100' })).statusCode, 202)
})

const DAY = 24 * 60 * 60

for (const [name, life, isValid] of [
  ['lives as long as allowed', { iat: -5 * DAY, exp: 25 * DAY }, true],
  ['lives longer than that', { iat: -5 * DAY, exp: 25 * DAY + 60 }, false],
  ['does not say since when it lives, and ends in time', { exp: 30 * DAY }, true],
  ['does not say since when it lives, and ends too late', { exp: 30 * DAY + 60 }, false],
  ['will be issued long after now', { iat: 90 * DAY, exp: 100 * DAY }, false],
  ['was issued by a clock a little ahead', { iat: 3, exp: 30 * DAY + 3 }, true],
] as const) {
  test(`a token that ${name} is ${isValid ? 'valid' : '401'}`, async () => {
    const verify = await openTokenVerifier({ secret: SECRET, maxLifetime: seconds(30 * DAY), clock: () => NOW })
    const times = Object.fromEntries(Object.entries(life).map(([claim, after]) => [claim, NOW / 1000 + after]))
    const verifying = (async () => verify(await sign({ ...FULL, ...times }, NOW)))()
    if (isValid) assert.equal((await verifying).tenantId, 'acme')
    else {
      const refusal = {
        code: 'UNAUTHENTICATED',
        message: /lives too long: its exp claim .* 2592000 seconds after its iat/,
      }
      await assert.rejects(verifying, refusal)
    }
  })
}

test('a token lives for 90 days at most unless another life is configured', async () => {
  const verify = await openTokenVerifier({ secret: SECRET, clock: () => NOW })
  const lasting = (days: number) => sign({ ...FULL, exp: NOW / 1000 + days * DAY }, NOW)
  assert.equal((await verify(await lasting(90))).tenantId, 'acme')
  await assert.rejects(async () => verify(await lasting(91)), { code: 'UNAUTHENTICATED', message: /lives too long/ })
})

test('a token of test mode acts in the test tenant', async () => {
  const verify = await openTokenVerifier({ secret: SECRET, clock: () => NOW })
  assert.equal((await verify(await sign({ ...FULL, test: true }, NOW))).tenantId, 'acme~test')
  await assert.rejects(async () => verify(await sign({ ...FULL, test: 'yes' }, NOW)), { message: /test claim/ })
})

test('caches a verified token until it expires', async () => {
  let now: Instant = NOW
  const verify = await openTokenVerifier({ secret: SECRET, clock: () => now })
  const token = await sign({ ...FULL, exp: NOW / 1000 + 60 }, NOW)
  const first = verify(token)
  assert.ok(first instanceof Promise)
  const caller = await first
  assert.equal(verify(token), caller)
  assert.equal(caller.accountId, 'main')

  now = later(NOW, seconds(64))
  assert.equal(verify(token), caller)
  now = later(NOW, seconds(65))
  await assert.rejects(async () => verify(token), { code: 'UNAUTHENTICATED', message: /expired/ })
})

test('uses the default account when the token names none', async () => {
  const verify = await openTokenVerifier({ secret: SECRET, clock: () => NOW })
  const { accountId } = await verify(await sign({ tenant_id: 'acme' }, NOW))
  assert.equal(accountId, 'default')
})

test('checks issuer and audience when configured', async () => {
  const verify = await openTokenVerifier({ secret: SECRET, issuer: 'us', audience: 'pombo', clock: () => NOW })
  const ask = async (more: object) => verify(await sign({ ...FULL, ...more }, NOW))
  assert.equal((await ask({ iss: 'us', aud: ['pombo', 'x'] })).tenantId, 'acme')
  for (const more of [{}, { iss: 'us' }, { iss: 'them', aud: 'pombo' }, { iss: 'us', aud: 'other' }]) {
    await assert.rejects(() => ask(more), { code: 'UNAUTHENTICATED', message: /(iss|aud) claim/ })
  }
})

test('a JWKS file verifies RS256, ES256 and EdDSA, and nothing else', async (t) => {
  const pairs = await Promise.all(
    ['RS256', 'ES256', 'EdDSA'].map(async (alg) => ({ alg, ...(await generateKeyPair(alg, { extractable: true })) })),
  )
  const keys = await Promise.all(
    pairs.map(async ({ alg, publicKey }) => ({ ...(await exportJWK(publicKey)), alg, kid: alg })),
  )
  const folder = await mkdtemp(join(tmpdir(), 'pombo-jwks-'))
  t.after(() => rm(folder, { recursive: true }))
  const file = join(folder, 'jwks.json')
  await writeFile(file, JSON.stringify({ keys }))
  const verify = await openTokenVerifier({ jwks: { file }, clock: () => NOW })

  for (const { alg, privateKey, publicKey } of pairs) {
    const token = await new SignJWT(claims).setProtectedHeader({ alg, kid: alg }).sign(privateKey)
    assert.equal((await verify(token)).tenantId, 'acme')
    // Algorithm confusion: the public key, which everybody has, taken for a shared secret.
    const confused = forge({ alg: 'HS256', kid: alg }, claims, await exportSPKI(publicKey))
    await assert.rejects(async () => verify(confused), { code: 'UNAUTHENTICATED' })
  }
  const both = await openTokenVerifier({ secret: SECRET, jwks: { file }, clock: () => NOW })
  for (const { alg, privateKey } of pairs) {
    const token = await new SignJWT(claims).setProtectedHeader({ alg, kid: alg }).sign(privateKey)
    assert.equal((await both(token)).tenantId, 'acme')
  }
  assert.equal((await both(await sign(FULL, NOW))).tenantId, 'acme')

  const stranger = await generateKeyPair('ES256')
  const forged = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'ES256' }).sign(stranger.privateKey)
  await assert.rejects(async () => verify(forged), { code: 'UNAUTHENTICATED' })
})

test('fetches keys from a JWKS URL, and answers 503 while it is unreachable', async () => {
  const { publicKey, privateKey } = await generateKeyPair('EdDSA', { extractable: true })
  const body = JSON.stringify({ keys: [await exportJWK(publicKey)] })
  let status = 500
  const server = createServer((_request, response) => response.writeHead(status).end(body)).listen(0)
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  try {
    const verify = await openTokenVerifier({ jwks: { url }, clock: () => NOW })
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA' }).sign(privateKey)
    await assert.rejects(async () => verify(token), { name: 'Unavailable' })
    status = 200
    assert.equal((await verify(token)).tenantId, 'acme')
  } finally {
    server.close()
  }
  const unreachable = await openTokenVerifier({ jwks: { url }, clock: () => NOW })
  const token = await new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA' }).sign(privateKey)
  await assert.rejects(async () => unreachable(token), { name: 'Unavailable' })
})
