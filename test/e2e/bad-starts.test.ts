/** Starts that must fail with one sentence and the right exit code, without changing any data. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { type Ended, type Env, runPombo } from '../support/command.ts'
import { openFolder } from '../support/folder.ts'
import { dataDirOf, settingsFor, startGateway } from '../support/gateway.ts'
import { send, untilIndexed, untilStatus } from '../support/sms.ts'
import { mountDisk, skipUnmounted } from '../support/tmpfs.ts'

const CANNOT_LISTEN = 69
const CANNOT_CREATE = 73
const BAD_CONFIG = 78

async function serve(folder: string, env: Env = {}): Promise<Ended> {
  return runPombo(['serve'], await settingsFor({ folder, env }))
}

function assertRefused({ code, out, err }: Ended, exitCode: number, ...sentence: readonly (string | RegExp)[]): void {
  assert.equal(code, exitCode, err)
  assert.equal(out, '')
  assert.match(err, /^pombo: .+\n$/, 'exactly one sentence')
  for (const part of sentence) assert(typeof part === 'string' ? err.includes(part) : part.test(err), err)
}

/** The digest of each file in a folder. */
async function contentsOf(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(folder)).toSorted()
  const digest = async (name: string) =>
    createHash('sha256')
      .update(await readFile(join(folder, name)))
      .digest('hex')
  return new Map(await Promise.all(names.map(async (name) => [name, await digest(name)] as const)))
}

const used = await openFolder()
after(() => used[Symbol.asyncDispose]())
{
  const gateway = await startGateway({ folder: used.path })
  await untilStatus(gateway, await send(gateway), 'delivered')
  await untilIndexed(gateway)
  assert.equal((await gateway.kill('SIGTERM')).code, 0)
}

/** Copies the data of a gateway that was stopped gracefully. */
const fillFolder = (folder: string): Promise<void> => cp(used.path, folder, { recursive: true })

describe('a data folder', () => {
  test('below a regular file is refused', async () => {
    await using folder = await openFolder()
    const file = join(folder.path, 'file')
    await writeFile(file, 'not a folder')
    const path = join(file, 'data')
    assertRefused(await serve(folder.path, { POMBO_DATA_DIR: path }), CANNOT_CREATE, path, 'ENOTDIR', 'POMBO_DATA_DIR')
    assert.equal(await readFile(file, 'utf8'), 'not a folder')
  })

  test('on a read-only disk is refused', async (t) => {
    await using folder = await openFolder()
    await using disk = await mountDisk(dataDirOf(folder.path), 'size=1m,ro')
    if (disk === undefined) return skipUnmounted(t)
    assertRefused(await serve(folder.path), CANNOT_CREATE, disk.path, 'EROFS', 'POMBO_DATA_DIR')
  })

  test('in use by another gateway is refused', async () => {
    await using folder = await openFolder()
    await using first = await startGateway({ folder: folder.path })
    const id = await send(first)
    const path = dataDirOf(folder.path)
    assertRefused(await serve(folder.path), CANNOT_CREATE, 'another Pombo', path, 'POMBO_DATA_DIR')
    const rebuild = await runPombo(['rebuild'], await settingsFor({ folder: folder.path }))
    assertRefused(rebuild, CANNOT_CREATE, 'another Pombo', path)
    await untilStatus(first, id, 'delivered')
    await untilStatus(first, await send(first), 'delivered')
  })

  test('of a newer release is refused and unchanged', async () => {
    await using folder = await openFolder()
    await fillFolder(folder.path)
    const path = join(dataDirOf(folder.path), 'pombo.db')
    {
      using db = new DatabaseSync(path)
      db.exec('pragma user_version = 999')
    }
    const before = await contentsOf(dataDirOf(folder.path))
    assertRefused(await serve(folder.path), BAD_CONFIG, path, 'newer release', '999', 'backup')
    assert.deepEqual(await contentsOf(dataDirOf(folder.path)), before)
  })

  test('without its master key is refused and unchanged', async () => {
    await using folder = await openFolder()
    await fillFolder(folder.path)
    await rm(join(dataDirOf(folder.path), 'master.key'))
    const before = await contentsOf(dataDirOf(folder.path))
    assertRefused(await serve(folder.path), BAD_CONFIG, 'POMBO_MASTER_KEY', 'master.key')
    assert.deepEqual(await contentsOf(dataDirOf(folder.path)), before)
  })

  test('with an invalid database file is refused and unchanged', async () => {
    await using folder = await openFolder()
    await fillFolder(folder.path)
    const path = join(dataDirOf(folder.path), 'pombo.db')
    await writeFile(path, 'x'.repeat(8192))
    const before = await contentsOf(dataDirOf(folder.path))
    const ended = await serve(folder.path)
    assert.deepEqual(await contentsOf(dataDirOf(folder.path)), before)
    assertRefused(ended, BAD_CONFIG, path, 'not a database')
  })

  test('encrypted with another master key is refused and unchanged', async () => {
    await using folder = await openFolder()
    await fillFolder(folder.path)
    const before = await contentsOf(dataDirOf(folder.path))
    await using gateway = await startGateway({
      folder: folder.path,
      env: { POMBO_MASTER_KEY: '5'.repeat(64) },
    }).catch(() => undefined)
    assert.equal(gateway, undefined, 'it started with the wrong key')
    assert.deepEqual(await contentsOf(dataDirOf(folder.path)), before)
    assertRefused(await serve(folder.path, { POMBO_MASTER_KEY: '5'.repeat(64) }), BAD_CONFIG, 'POMBO_MASTER_KEY')
  })

  test('on a full disk is reported as full, not as in use', async (t) => {
    await using folder = await openFolder()
    await using disk = await mountDisk(dataDirOf(folder.path), 'size=4m,mode=700')
    if (disk === undefined) return skipUnmounted(t)
    await fillFolder(folder.path)
    await writeFile(join(disk.path, 'filler'), Buffer.alloc(4 * 1024 * 1024)).catch(() => undefined)
    const before = await contentsOf(disk.path)
    const ended = await serve(folder.path)
    assert.deepEqual(await contentsOf(disk.path), before)
    assertRefused(ended, CANNOT_CREATE, disk.path, /full|no space|ENOSPC/i)
  })
})

describe('an address', () => {
  test('in use is refused, and the data is unchanged', async () => {
    await using folder = await openFolder()
    await fillFolder(folder.path)
    const before = await contentsOf(dataDirOf(folder.path))
    await using server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' ? String(address?.port) : ''
    assertRefused(await serve(folder.path, { POMBO_PORT: port }), CANNOT_LISTEN, port, 'in use', 'POMBO_PORT')
    assert.deepEqual(await contentsOf(dataDirOf(folder.path)), before)
  })

  test('of another machine is refused', async () => {
    await using folder = await openFolder()
    const env = {
      POMBO_HOST: '192.0.2.1',
      POMBO_JWT_SECRET: 'a secret of thirty-two bytes or so',
      POMBO_SIMULATOR: 'allowed',
    }
    assertRefused(await serve(folder.path, env), CANNOT_LISTEN, '192.0.2.1', 'POMBO_HOST')
  })
})

describe('a wrong setting', { concurrency: 2 }, () => {
  const SECRET = 'hush-hush'
  const cases: readonly (readonly [Env, ...string[]])[] = [
    [{ POMBO_PORT: '99999' }, 'POMBO_PORT', '99999', '65535'],
    [{ POMBO_PORT: 'http' }, 'POMBO_PORT', 'http'],
    [{ POMBO_PROFILE: 'both' }, 'POMBO_PROFILE', 'embedded'],
    [{ POMBO_HOST: '0.0.0.0', POMBO_SIMULATOR: 'allowed' }, 'POMBO_HOST', 'POMBO_JWT_SECRET'],
    [
      { POMBO_HOST: '0.0.0.0', POMBO_JWT_SECRET: 'a secret of thirty-two bytes or so' },
      'POMBO_CONFIG',
      'simulator',
      'POMBO_SIMULATOR=allowed',
    ],
    [{ POMBO_JWKS_URL: 'http://keys.example/jwks' }, 'POMBO_JWKS_URL', 'https://'],
    [{ POMBO_LOG_LEVEL: 'loud' }, 'POMBO_LOG_LEVEL', 'debug'],
    [{ POMBO_MASTER_KEY: SECRET }, 'POMBO_MASTER_KEY', 'openssl'],
    [{ POMBO_JWT_SECRET: SECRET }, 'POMBO_JWT_SECRET', '32 bytes'],
    [{ POMBO_CONFIG: '/no/such/file.json' }, 'POMBO_CONFIG', '/no/such/file.json', 'cannot read the file'],
    [{ POMBO_CONFIG: import.meta.filename }, 'POMBO_CONFIG', 'not valid JSON'],
  ]
  for (const [env, ...sentence] of cases) {
    test(`${JSON.stringify(env)} is reported with a fix, and nothing is created`, async () => {
      await using folder = await openFolder()
      const ended = await serve(folder.path, env)
      assertRefused(ended, BAD_CONFIG, ...sentence)
      assert(!ended.err.includes(SECRET), 'the secret is printed')
      assert.equal(existsSync(dataDirOf(folder.path)), false)
    })
  }

  test('is reported together with all others', async () => {
    await using folder = await openFolder()
    const { code, err } = await serve(folder.path, { POMBO_PORT: '-1', POMBO_MAX_PARTS: '0' })
    assert.equal(code, BAD_CONFIG)
    assert.match(err, /^pombo: invalid settings:\n {2}- POMBO_PORT .+\n {2}- POMBO_MAX_PARTS .+\n$/)
  })

  test('in the config file is reported with its path', async () => {
    await using folder = await openFolder()
    const routes = [{ id: 'a', channel: 'sms', providers: ['nobody'] }]
    const env = await settingsFor({ folder: folder.path, config: { routes } })
    assertRefused(await runPombo(['serve'], env), BAD_CONFIG, 'POMBO_CONFIG', 'routes/0/providers/0', 'simulator')
  })
})
