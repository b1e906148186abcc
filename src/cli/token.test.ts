import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { jwtVerify } from 'jose'
import { loadSecrets } from '../config/secrets.ts'
import { SCOPES } from '../domain/access/scope.ts'
import { NOON, openTestGateway, run } from './test-world.ts'

function someFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-token-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

const verify = (token: string, secret: Uint8Array) =>
  jwtVerify(token, secret, { algorithms: ['HS256'], currentDate: new Date(NOON) })

describe('token', () => {
  test('prints only a token, signed with the secret of the data folder', async (t) => {
    const dataDir = someFolder(t)
    const { jwtSecret = new Uint8Array() } = loadSecrets({ dataDir })
    const { code, out, err } = await run(['token', '--scope', 'sms:send, messages:read', '--days', '1'], {
      env: { POMBO_DATA_DIR: dataDir },
    })
    assert.deepEqual([code, err], [0, ''])
    const { payload } = await verify(out.trim(), jwtSecret)
    assert.deepEqual([payload['tenant_id'], payload['account_id']], ['demo', 'default'])
    assert.equal(payload['scope'], 'sms:send messages:read')
    assert.equal(payload.exp, NOON / 1000 + 86_400)
  })

  test('refuses scopes that do not exist, and names those that do', async () => {
    const { code, out, err } = await run(['token', '--scope', 'sms:send,sms:sent,all'])
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, /^pombo: --scope has no sms:sent, all; the scopes are sms:send, email:send, .*operator\n/)
  })

  test('names who uses it, for the audit log', async (t) => {
    const env = { POMBO_DATA_DIR: someFolder(t) }
    const { jwtSecret = new Uint8Array() } = loadSecrets({ dataDir: env.POMBO_DATA_DIR })
    const subjectOf = async (...options: string[]) => {
      const { out } = await run(['token', ...options], { env })
      return (await verify(out.trim(), jwtSecret)).payload.sub
    }
    assert.equal(await subjectOf(), 'cli')
    assert.equal(await subjectOf('--subject', 'nightly export'), 'nightly export')
    for (const subject of ['', 'x'.repeat(201), 'a\u0000b']) {
      const { code, err } = await run(['token', '--subject', subject], { env })
      assert.deepEqual([code, err.split('\n')[0]], [2, 'pombo: --subject must be 1 to 200 printable characters'])
    }
  })

  test('can be of test mode', async (t) => {
    const dataDir = someFolder(t)
    const { jwtSecret = new Uint8Array() } = loadSecrets({ dataDir })
    const claimsOf = async (...options: string[]) => {
      const { out } = await run(['token', ...options], { env: { POMBO_DATA_DIR: dataDir } })
      return (await verify(out.trim(), jwtSecret)).payload
    }
    assert.equal((await claimsOf('--test'))['test'], true)
    assert.equal('test' in (await claimsOf()), false)
  })

  test('lives no longer than the gateway accepts', async (t) => {
    const dataDir = someFolder(t)
    const { jwtSecret = new Uint8Array() } = loadSecrets({ dataDir })
    const lifetimeOf = async (seconds: string, ...options: string[]) => {
      const env = { POMBO_DATA_DIR: dataDir, POMBO_JWT_MAX_LIFETIME_SECONDS: seconds }
      const { code, out, err } = await run(['token', ...options], { env })
      if (code !== 0) return err
      const { exp = 0, iat = 0 } = (await verify(out.trim(), jwtSecret)).payload
      return exp - iat
    }
    assert.equal(await lifetimeOf('7776000'), 30 * 86_400)
    assert.equal(await lifetimeOf('7776000', '--days', '90'), 7_776_000)
    assert.equal(await lifetimeOf('3600'), 3600)
    assert.match(String(await lifetimeOf('3600', '--days', '1')), /^pombo: --days 1 is longer .* allows 3600 seconds\n/)
  })

  test('explains how to create a missing secret, and creates none', async (t) => {
    const dataDir = someFolder(t)
    const { code, err } = await run(['token'], { env: { POMBO_DATA_DIR: dataDir } })
    assert.equal(code, 1)
    assert.match(err, /has no secret yet; start the gateway once/)
  })

  test('lists all scopes in its help', async () => {
    const { out } = await run(['token', '--help'])
    for (const scope of SCOPES) assert.match(out, new RegExp(`\\b${scope}\\b`))
  })

  test('explains who signs tokens when a JWKS verifies them', async () => {
    const { err } = await run(['token'], { env: { POMBO_JWKS_URL: 'https://example.com/jwks' } })
    assert.match(err, /verifies tokens with a JWKS/)
  })
})

describe('a command without a token', () => {
  test('signs one for the demo tenant with the secret of the data folder', async (t) => {
    const dataDir = someFolder(t)
    const { jwtSecret = new Uint8Array() } = loadSecrets({ dataDir })
    await using gateway = await openTestGateway(() => ({ items: [] }))
    const env = { POMBO_DATA_DIR: dataDir, POMBO_URL: gateway.url, POMBO_JWT_ISSUER: 'us' }
    assert.equal((await run(['search'], { env })).code, 0)
    const [, token = ''] = gateway.requests[0]?.headers.authorization?.split(' ') ?? []
    const { payload } = await verify(token, jwtSecret)
    const { tenant_id: tenant, scope, iss, sub } = payload
    assert.deepEqual([tenant, scope, iss, sub], ['demo', 'operator', 'us', 'cli'])
  })

  test('explains where a token can come from when there is no secret', async (t) => {
    const { code, err } = await run(['search'], { env: { POMBO_DATA_DIR: someFolder(t) } })
    assert.equal(code, 1)
    assert.match(err, /^pombo: no token: pass --token, set POMBO_TOKEN, or run this command where the gateway runs/)
  })
})
