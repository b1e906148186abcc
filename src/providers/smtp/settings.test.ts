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

test('a mail server needs an address and a sender', () => {
  assert.ok(check.Check(LEAST))
  assert.ok(!check.Check({ host: 'mx.example' }))
  assert.ok(!check.Check({ from: LEAST.from }))
})

test('everything may be said', () => {
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
  ['a sender that is none', { from: 'nobody' }],
  ['a way to secure it that there is not', { tls: 'maybe' }],
  ['too many connections', { connections: 1000 }],
  ['a user without a password', { user: 'pombo' }],
  ['a password without a user', { password: 'a-secret' }],
  ['a key that is none', { dkim: { ...dkim, private_key: 'trust me' } }],
  ['a key that is not RSA', { dkim: { ...dkim, private_key: keyOf('ed25519') } }],
  ['a selector that is more than a name', { dkim: { ...dkim, selector: 'a; d=evil.example' } }],
  ['a name to greet by that is two lines', { ehlo_name: 'a\r\nMAIL' }],
  ['a setting that there is not', { pool: true }],
] as const) {
  test(`${what} is refused`, () => assert.ok(!check.Check({ ...LEAST, ...settings })))
}

test('a password may hold spaces, and is one line', () => {
  const isTaken = (password: string) => check.Check({ ...LEAST, user: 'pombo', password })
  for (const password of ['abcd efgh ijkl mnop', ' ', 'é"<>']) assert.ok(isTaken(password), password)
  for (const password of ['', 'a\nb', 'a\r', 'a\0b', 'x'.repeat(501)]) assert.ok(!isTaken(password), password)
})

test('others are secured by default, this very machine need not be', () => {
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
    ['none on this machine', { tls: 'none', host: 'localhost' }, undefined],
    ['opportunistic', { tls: 'opportunistic' }, /TLS_REQUIRED/],
    ['the default of this machine', { host: '127.0.0.1' }, /TLS_REQUIRED/],
    ['starttls', { tls: 'starttls' }, undefined],
    ['implicit', { tls: 'implicit' }, undefined],
    ['the default', {}, undefined],
  ] as const) {
    test(`by ${what} ${warning === undefined ? 'is nothing to be warned of' : 'is warned of'}`, () => {
      const [found, ...others] = toWarnings({ ...LOGIN, ...settings })
      assert.deepEqual(others, [])
      if (warning === undefined) assert.equal(found, undefined)
      else assert.match(found ?? '', warning)
      assert.ok(!found?.includes(LOGIN.password))
    })
  }

  test('that there is not is never warned of', () => {
    for (const tls of ['none', 'opportunistic'] as const) assert.deepEqual(toWarnings({ ...LEAST, tls }), [])
  })
})
