import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, loadConfig } from './config.ts'
import { isLocalConsole } from './sign-in-conflicts.ts'

const load = (env: Readonly<Record<string, string>>) =>
  loadConfig(env, () => {
    throw new Error('no file')
  })

const problemsOf = (env: Readonly<Record<string, string>>): string => {
  try {
    load(env)
    return ''
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.message
  }
}

const OIDC = {
  POMBO_OIDC_ISSUER: 'https://idp.example',
  POMBO_OIDC_CLIENT_ID: 'pombo',
  POMBO_PUBLIC_URL: 'https://pombo.example',
}

test('an identity provider needs a client and a public URL, over https unless it is on this machine', () => {
  assert.equal(problemsOf(OIDC), '')
  assert.equal(problemsOf({ ...OIDC, POMBO_OIDC_ISSUER: 'http://127.0.0.1:9000' }), '')
  assert.match(problemsOf({ ...OIDC, POMBO_OIDC_ISSUER: 'http://idp.example' }), /ISSUER begins with http/)
  assert.match(problemsOf({ ...OIDC, POMBO_OIDC_CLIENT_ID: '' }), /CLIENT_ID is not set/)
  assert.match(problemsOf({ ...OIDC, POMBO_PUBLIC_URL: '' }), /PUBLIC_URL is not set/)
  assert.match(problemsOf({ POMBO_OIDC_CLIENT_ID: 'pombo' }), /ISSUER is not set/)
  assert.match(problemsOf({ ...OIDC, POMBO_OIDC_SCOPE: 'email' }), /openid among them/)
})

test('passwords can be turned off only where there is another way', () => {
  assert.match(problemsOf({ POMBO_PASSWORD_SIGN_IN: 'off' }), /nobody could sign in/)
  assert.equal(problemsOf({ ...OIDC, POMBO_PASSWORD_SIGN_IN: 'off' }), '')
})

test('cookies do without https only on this machine', () => {
  assert.equal(isLocalConsole({ host: '127.0.0.1' }), true)
  assert.equal(isLocalConsole({ host: '0.0.0.0' }), false)
  assert.equal(isLocalConsole({ host: '0.0.0.0', publicUrl: 'http://localhost:8080' }), true)
  assert.equal(isLocalConsole({ host: '127.0.0.1', publicUrl: 'https://pombo.example' }), false)
  assert.equal(isLocalConsole({ host: '127.0.0.1', publicUrl: 'https://localhost' }), false)
  assert.equal(isLocalConsole({ host: '127.0.0.1', publicUrl: 'http://pombo.example' }), false)
})
