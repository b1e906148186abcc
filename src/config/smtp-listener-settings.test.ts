import assert from 'node:assert/strict'
import { test } from 'node:test'
import { selfSigned } from '../../test/support/self-signed.ts'
import { ConfigError, loadConfig } from './config.ts'
import { smtpListenerOf } from './smtp-listener-settings.ts'

const [ONE, OTHER] = [selfSigned('127.0.0.1'), selfSigned('127.0.0.1')]
const FILES: Readonly<Record<string, string>> = { 'cert.pem': ONE.cert, 'key.pem': ONE.key, 'other.pem': OTHER.key }
const TLS = { POMBO_TLS_CERTIFICATE_FILE: 'cert.pem', POMBO_TLS_KEY_FILE: 'key.pem' }

const load = (env: Readonly<Record<string, string>>) =>
  loadConfig(env, (path) => {
    const text = FILES[path]
    if (text === undefined) throw new Error('no such file')
    return text
  })

function problemOf(env: Readonly<Record<string, string>>): string {
  try {
    load(env)
    return ''
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message
  }
}

test('without a port there is no listener, and on loopback one needs no certificate', () => {
  assert.equal(smtpListenerOf(load({})), undefined)
  const { ports, host, maxBytes } = smtpListenerOf(load({ POMBO_SMTP_PORT: '2525' })) ?? assert.fail()
  assert.deepEqual([ports, host, maxBytes], [[{ port: 2525, isImplicitTls: false }], '127.0.0.1', 10 * 1024 * 1024])
})

test('passwords are never taken from other machines in the clear', () => {
  const open = { POMBO_SMTP_PORT: '587', POMBO_SMTP_HOST: '0.0.0.0' }
  assert.match(problemOf(open), /without a certificate/)
  assert.match(problemOf({ POMBO_SMTPS_PORT: '465' }), /POMBO_SMTPS_PORT needs a certificate/)
  assert.equal(problemOf({ ...open, ...TLS, POMBO_SMTPS_PORT: '465' }), '')
  assert.match(problemOf({ ...open, ...TLS, POMBO_SMTPS_PORT: '587' }), /are the same/)
})

test('a certificate needs its own key, and both must be readable', () => {
  assert.match(problemOf({ POMBO_TLS_KEY_FILE: 'key.pem' }), /POMBO_TLS_CERTIFICATE_FILE is not set/)
  assert.match(problemOf({ POMBO_TLS_CERTIFICATE_FILE: 'cert.pem' }), /POMBO_TLS_KEY_FILE is not set/)
  assert.match(problemOf({ ...TLS, POMBO_TLS_KEY_FILE: 'other.pem' }), /is not the key/)
  assert.match(
    problemOf({ ...TLS, POMBO_TLS_KEY_FILE: 'gone.pem' }),
    /POMBO_TLS_KEY_FILE is "gone.pem", which is not a/,
  )
  assert.match(problemOf({ ...TLS, POMBO_TLS_CERTIFICATE_FILE: 'key.pem' }), /CERTIFICATE_FILE is "key.pem", which is/)
})

test('the domain of bounces is a domain', () => {
  assert.equal(load({ POMBO_BOUNCE_DOMAIN: 'bounces.acme.example' }).bounceDomain, 'bounces.acme.example')
  for (const wrong of ['Acme.example', 'a@b.example', 'localhost', '10.0.0.1']) {
    assert.match(problemOf({ POMBO_BOUNCE_DOMAIN: wrong }), /POMBO_BOUNCE_DOMAIN must be a domain/)
  }
})
