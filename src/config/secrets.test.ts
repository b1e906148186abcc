import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { jwtVerify } from 'jose'
import { createOnce, DataDirError } from './data-dir.ts'
import { loadSecrets, mintToken, readJwtSecret, SecretsError } from './secrets.ts'

function someFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-secrets-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('generated secrets', () => {
  test('are created once, readable by their owner only, and reused', (t) => {
    const dataDir = join(someFolder(t), 'deep', 'data')
    const first = loadSecrets({ dataDir })
    assert.equal(first.masterKey.length, 32)
    assert.equal(statSync(dataDir).mode & 0o777, 0o700)
    assert.deepEqual(readdirSync(dataDir), ['jwt.secret', 'master.key'])
    for (const name of readdirSync(dataDir)) assert.equal(statSync(join(dataDir, name)).mode & 0o777, 0o600)

    assert.deepEqual(loadSecrets({ dataDir }), first)
  })

  test('differ between folders', (t) => {
    const [one, other] = [loadSecrets({ dataDir: someFolder(t) }), loadSecrets({ dataDir: someFolder(t) })]
    assert.notDeepEqual(one.masterKey, other.masterKey)
    assert.notDeepEqual(one.jwtSecret, other.jwtSecret)
  })

  test('can be set in the environment as they are in their files', (t) => {
    const dataDir = someFolder(t)
    const first = loadSecrets({ dataDir })
    const read = (name: string): string => readFileSync(join(dataDir, name), 'utf8').trim()
    const given = { dataDir: someFolder(t), jwtSecret: read('jwt.secret'), masterKey: read('master.key') }
    assert.deepEqual(loadSecrets(given), first)
  })

  test('are never replaced by a second process', (t) => {
    const path = join(someFolder(t), 'x')
    assert.equal(createOnce(path, 'first'), true)
    assert.equal(createOnce(path, 'second'), false)
    assert.equal(readFileSync(path, 'utf8'), 'first')
  })
})

describe('secrets in the environment', () => {
  test('create no files', (t) => {
    const dataDir = someFolder(t)
    const hex = 'ab'.repeat(32)
    const secrets = loadSecrets({ dataDir, jwtSecret: 's'.repeat(32), masterKey: hex })
    assert.equal(Buffer.from(secrets.masterKey).toString('hex'), hex)
    assert.deepEqual(readdirSync(dataDir), [])
  })

  test('with a JWKS, a secret left in the data folder is ignored', (t) => {
    const dataDir = someFolder(t)
    loadSecrets({ dataDir })
    assert.equal(loadSecrets({ dataDir, jwksUrl: 'https://example.com/jwks' }).jwtSecret, undefined)
  })
})

describe('an error explains', () => {
  test('a secret that is too short', (t) => {
    const dataDir = someFolder(t)
    writeFileSync(join(dataDir, 'jwt.secret'), 'short')
    assert.throws(() => readJwtSecret({ dataDir }), {
      exitCode: 78,
      message: /jwt.secret is shorter than 32 bytes; remove/,
    })
  })

  test('a malformed master key', (t) => {
    const dataDir = someFolder(t)
    writeFileSync(join(dataDir, 'master.key'), 'nonsense')
    assert.throws(() => loadSecrets({ dataDir }), {
      exitCode: 78,
      message: /master.key is not 32 bytes .*; restore it/,
    })
  })

  test('a database without its key, because a new key would lose every message', (t) => {
    const dataDir = someFolder(t)
    writeFileSync(join(dataDir, 'pombo.db'), '')
    assert.throws(() => loadSecrets({ dataDir }), SecretsError)
    assert.deepEqual(readdirSync(dataDir), ['pombo.db'])
  })

  test('a data folder that is a file', (t) => {
    const dataDir = join(someFolder(t), 'data')
    writeFileSync(dataDir, '')
    assert.throws(() => loadSecrets({ dataDir }), {
      exitCode: 73,
      message: /data is not writable \(EEXIST\); .*POMBO_DATA_DIR/,
    })
  })

  test('a data folder that cannot be created', (t) => {
    const parent = someFolder(t)
    writeFileSync(join(parent, 'file'), '')
    assert.throws(() => loadSecrets({ dataDir: join(parent, 'file', 'data') }), DataDirError)
  })

  test('a data folder that is not writable', { skip: process.getuid?.() === 0 && 'root may write anywhere' }, (t) => {
    const dataDir = someFolder(t)
    chmodSync(dataDir, 0o500)
    assert.throws(() => loadSecrets({ dataDir }), { exitCode: 73, message: /is not writable \(EACCES\)/ })
  })
})

describe('a token', () => {
  const secret = Buffer.from('s'.repeat(32))
  const claims = { tenantId: 'demo', accountId: 'default', scopes: ['sms:send', 'messages:read'], expiresInSeconds: 60 }

  test('verifies with the secret and has all claims', async () => {
    const token = await mintToken(secret, { ...claims, issuer: 'us', audience: 'you' }, 1_000_000)
    const options = { issuer: 'us', audience: 'you', algorithms: ['HS256'], currentDate: new Date(1_000_030_000) }
    const { payload } = await jwtVerify(token, secret, options)
    assert.deepEqual(payload, {
      tenant_id: 'demo',
      account_id: 'default',
      scope: 'sms:send messages:read',
      iss: 'us',
      aud: 'you',
      iat: 1_000_000,
      exp: 1_000_060,
    })
  })

  test('expires', async () => {
    const token = await mintToken(secret, claims, 1_000_000)
    await assert.rejects(jwtVerify(token, secret, { currentDate: new Date(1_000_061_000) }), {
      code: 'ERR_JWT_EXPIRED',
    })
  })
})
