import assert from 'node:assert/strict'
import { generateKeyPairSync } from 'node:crypto'
import { describe, test } from 'node:test'
import { Compile } from 'typebox/compile'
import { Settings, toTlsMode, toWarnings } from './settings.ts'

const check = Compile(Settings)
const LEAST = { host: 'mx.example', from: 'Acme <no-reply@acme.example>' }
const keyOf = (type: 'rsa' | 'ed25519'): string => {
  const { privateKey } =
    type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ed25519')
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
}
const dkim = { domain: 'acme.example', selector: 'pombo', private_key: keyOf('rsa') }

test('requires a host and a sender', () => {
  assert.ok(check.Check(LEAST))
  assert.ok(!check.Check({ host: 'mx.example' }))
  assert.ok(!check.Check({ from: LEAST.from }))
})

test('accepts every setting', () => {
  const all = {
    ...LEAST,
    port: 2525,
    tls: 'implicit',
    ca: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n',
    user: 'pombo',
    password: 'a-secret',
    connections: 20,
    max_per_second: 0.5,
    mails_per_connection: 1,
    ehlo_name: 'gw.acme.example',
    connect_seconds: 5,
    answer_seconds: 60,
    idle_seconds: 10,
    dkim,
    bounce_secret: 'another-secret',
  }
  assert.ok(check.Check(all))
})

for (const [what, settings] of [
  ['an invalid sender', { from: 'nobody' }],
  ['an unknown TLS mode', { tls: 'maybe' }],
  ['too many connections', { connections: 1000 }],
  ['a user without a password', { user: 'pombo' }],
  ['a password without a user', { password: 'a-secret' }],
  ['an invalid key', { dkim: { ...dkim, private_key: 'trust me' } }],
  ['a key that is not RSA', { dkim: { ...dkim, private_key: keyOf('ed25519') } }],
  ['a selector that is not a name', { dkim: { ...dkim, selector: 'a; d=evil.example' } }],
  ['an EHLO name with a line break', { ehlo_name: 'a\r\nMAIL' }],
  ['an unknown setting', { pool: true }],
] as const) {
  test(`refuses ${what}`, () => assert.ok(!check.Check({ ...LEAST, ...settings })))
}

test('accepts a password with spaces on one line', () => {
  const isValid = (password: string) => check.Check({ ...LEAST, user: 'pombo', password })
  for (const password of ['abcd efgh ijkl mnop', ' ', 'é"<>']) assert.ok(isValid(password), password)
  for (const password of ['', 'a\nb', 'a\r', 'a\0b', 'x'.repeat(501)]) assert.ok(!isValid(password), password)
})

test('requires TLS by default, except for localhost', () => {
  const hosts = ['mx.example', '10.0.0.1', '127.0.0.1.evil.example', 'localhost', '127.0.0.1', '::1']
  assert.deepEqual(
    hosts.map((host) => toTlsMode({ host })),
    ['starttls', 'starttls', 'starttls', 'opportunistic', 'opportunistic', 'opportunistic'],
  )
  assert.equal(toTlsMode({ host: 'localhost', tls: 'implicit' }), 'implicit')
})

describe('a password', () => {
  const LOGIN = { ...LEAST, user: 'pombo', password: 'a-secret' }

  for (const [what, settings, warning] of [
    ['none', { tls: 'none' }, /the password is sent unencrypted/],
    ['none on localhost', { tls: 'none', host: 'localhost' }, undefined],
    ['opportunistic', { tls: 'opportunistic' }, /TLS_REQUIRED/],
    ['the default of localhost', { host: '127.0.0.1' }, /TLS_REQUIRED/],
    ['starttls', { tls: 'starttls' }, undefined],
    ['implicit', { tls: 'implicit' }, undefined],
    ['the default', {}, undefined],
  ] as const) {
    test(`with ${what} causes ${warning === undefined ? 'no warning' : 'a warning'}`, () => {
      const [found, ...others] = toWarnings({ ...LOGIN, ...settings })
      assert.deepEqual(others, [])
      if (warning === undefined) assert.equal(found, undefined)
      else assert.match(found ?? '', warning)
      assert.ok(!found?.includes(LOGIN.password))
    })
  }

  test('that is missing causes no warning', () => {
    for (const tls of ['none', 'opportunistic'] as const) assert.deepEqual(toWarnings({ ...LEAST, tls }), [])
  })
})
