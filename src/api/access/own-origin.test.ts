import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Refusal } from '../../flows/errors.ts'
import { readCookie, sessionCookies, toSetCookie } from './cookies.ts'
import { originCheck } from './own-origin.ts'

const isOurs = (options: Parameters<typeof originCheck>[0], headers: Readonly<Record<string, string>>): boolean => {
  try {
    originCheck(options)({ headers })
    return true
  } catch (error) {
    assert.ok(error instanceof Refusal && error.code === 'FORBIDDEN')
    return false
  }
}

test('a page is ours if it comes from the public URL or from the host that was called, by the same scheme', () => {
  const secure = { publicUrl: 'https://pombo.example/sub', isSecure: true }
  const host = 'inside:8080'
  assert.equal(isOurs(secure, { host }), true)
  assert.equal(isOurs(secure, { host, origin: 'https://pombo.example' }), true)
  assert.equal(isOurs(secure, { host, origin: 'https://inside:8080' }), true)
  for (const origin of ['http://inside:8080', 'http://pombo.example', 'https://pombo.example.evil', 'null', ''])
    assert.equal(isOurs(secure, { host, origin }), false, origin)
  assert.equal(isOurs({ isSecure: false }, { host, origin: 'http://inside:8080' }), true)
})

test('over https only our own host can set the cookies', () => {
  assert.deepEqual(sessionCookies(true), {
    session: '__Host-pombo_session',
    oidc: '__Host-pombo_oidc',
    isSecure: true,
  })
  assert.equal(
    toSetCookie('__Host-x', 'v', { isSecure: true, sameSite: 'Strict', maxAgeSeconds: 60 }),
    '__Host-x=v; Path=/; HttpOnly; SameSite=Strict; Max-Age=60; Secure',
  )
})

test('reads a cookie among others, and none with other characters', () => {
  const headers = { cookie: 'a=1; pombo_session=to-k.en_; b=2; bad="x"; xpombo_session=no' }
  assert.equal(readCookie({ headers }, 'pombo_session'), 'to-k.en_')
  assert.equal(readCookie({ headers }, 'bad'), undefined)
  assert.equal(readCookie({ headers }, 'session'), undefined)
  assert.equal(readCookie({ headers: {} }, 'a'), undefined)
})
