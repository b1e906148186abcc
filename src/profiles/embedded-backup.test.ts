import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { type Config, loadConfig } from '../config/config.ts'
import { DataDirError } from '../config/data-dir.ts'
import { loadSecrets, SecretsError } from '../config/secrets.ts'
import { frameSealing } from '../engines/crypto/frame-sealer.ts'
import { openSealer } from '../engines/crypto/sealer.ts'
import { UnusableBackup } from '../engines/sqlite/backup.ts'
import { DatabaseDamaged } from '../engines/sqlite/damage.ts'
import { DataFolderInUse, lockDataFolder } from '../engines/sqlite/database.ts'
import { checkFile } from '../engines/sqlite/file-check.ts'
import { openSqlite } from '../engines/sqlite/sqlite.ts'
import { createdEntry, stopped } from '../ports/samples.contract.ts'
import { backupEmbedded } from './embedded-backup.ts'
import { restoreEmbedded } from './embedded-restore.ts'

const PLAIN = { force: false, withKeys: false }
const FORCED = { force: true, withKeys: false }
const WITH_KEYS = { force: false, withKeys: true }

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-backup-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

const configFor = (dataDir: string, env: Record<string, string> = {}): Config =>
  loadConfig({ POMBO_DATA_DIR: dataDir, ...env }, () => '')

function open(config: Config) {
  const { masterKey } = loadSecrets(config)
  return openSqlite({
    path: join(config.dataDir, 'pombo.db'),
    clock: stopped,
    sealer: openSealer(masterKey),
    sealing: frameSealing(masterKey),
    indexBodies: false,
  })
}

/** A data folder with two messages, and a path for its backup. */
async function someFolder(t: TestContext, env: Record<string, string> = {}) {
  const folder = newFolder(t)
  const config = configFor(join(folder, 'data'), env)
  await using engine = await open(config)
  const entry = createdEntry()
  await engine.log.append(entry)
  await engine.log.append(createdEntry())
  return { config, folder, file: join(folder, 'backup.db'), id: entry.event.state.id, content: entry.content }
}

/** The files in a data folder, without the lock. */
const namesIn = ({ dataDir }: Config): string[] => readdirSync(dataDir).filter((name) => name !== 'pombo.lock')

const target = (t: TestContext, env?: Record<string, string>): Config => configFor(join(newFolder(t), 'data'), env)

function giveKey(from: Config, to: Config): void {
  mkdirSync(to.dataDir, { recursive: true })
  writeFileSync(join(to.dataDir, 'master.key'), readFileSync(join(from.dataDir, 'master.key')))
}

test('a backup without keys is readable by its owner only, lists the missing keys, and restores with the right key', async (t) => {
  const { config, file, id, content } = await someFolder(t)
  const { messages, events, included, apart } = backupEmbedded(config, file, PLAIN)
  assert.deepEqual([messages, events, included, apart], [2, 2, [], ['master.key', 'jwt.secret']])
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(readFileSync(file).includes(readFileSync(join(config.dataDir, 'master.key'), 'utf8').trim()), false)

  const into = target(t)
  assert.throws(() => restoreEmbedded(into, file, PLAIN), SecretsError)
  assert.deepEqual(namesIn(into), [], 'a refused restore leaves no files')
  giveKey(config, into)
  const restored = restoreEmbedded(into, file, PLAIN)
  assert.deepEqual([restored.messages, restored.events, restored.keys, restored.aside], [2, 2, [], undefined])
  await using engine = await open(into)
  assert.deepEqual((await engine.log.load(id))?.content, content)
})

test('a backup with keys restores on its own, and the restored database does not contain them', async (t) => {
  const { config, file, id, content } = await someFolder(t)
  assert.deepEqual(backupEmbedded(config, file, WITH_KEYS).included, ['master.key', 'jwt.secret'])
  const into = target(t)
  assert.deepEqual(restoreEmbedded(into, file, PLAIN).keys, ['master.key', 'jwt.secret'])
  for (const name of ['master.key', 'jwt.secret']) {
    const key = readFileSync(join(config.dataDir, name), 'utf8')
    assert.equal(readFileSync(join(into.dataDir, name), 'utf8'), key)
    assert.equal(statSync(join(into.dataDir, name)).mode & 0o777, 0o600)
    assert.equal(readFileSync(join(into.dataDir, 'pombo.db')).includes(key.trim()), false)
  }
  await using engine = await open(into)
  assert.deepEqual((await engine.log.load(id))?.content, content)
})

test('a master key set in the environment is not part of the backup', async (t) => {
  const env = { POMBO_MASTER_KEY: randomBytes(32).toString('hex') }
  const { config, file } = await someFolder(t, env)
  assert.deepEqual(backupEmbedded(config, file, WITH_KEYS).included, ['jwt.secret'])
  assert.throws(() => restoreEmbedded(target(t), file, PLAIN), /contains no keys.*POMBO_MASTER_KEY/)
  assert.throws(() => restoreEmbedded(target(t, { POMBO_MASTER_KEY: '5'.repeat(64) }), file, PLAIN), /POMBO_MASTER_KEY/)
  const into = target(t, env)
  assert.equal(restoreEmbedded(into, file, PLAIN).messages, 2)
  assert.equal(existsSync(join(into.dataDir, 'master.key')), false)
})

test('a backup overwrites a file only with --force, and never a file of the gateway', async (t) => {
  const { config, file } = await someFolder(t)
  writeFileSync(file, 'the last one')
  assert.throws(() => backupEmbedded(config, file, PLAIN), /already exists/)
  assert.equal(readFileSync(file, 'utf8'), 'the last one')
  assert.equal(backupEmbedded(config, file, FORCED).messages, 2)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  for (const name of ['pombo.db', 'pombo.db-wal', 'master.key', 'simulator.db']) {
    assert.throws(() => backupEmbedded(config, join(config.dataDir, name), FORCED), /belongs to the gateway/)
  }
})

test('a failed backup leaves no files', async (t) => {
  const { config, folder, file } = await someFolder(t)
  writeFileSync(join(config.dataDir, 'master.key'), `${randomBytes(32).toString('base64')}\n`)
  assert.throws(() => backupEmbedded(config, file, WITH_KEYS), SecretsError)
  assert.throws(() => backupEmbedded(config, join(folder, 'nowhere', 'b.db'), PLAIN), /nowhere does not exist/)
  assert.throws(() => backupEmbedded(configFor(join(folder, 'other')), file, PLAIN), /pombo\.db does not exist/)
  writeFileSync(join(config.dataDir, 'pombo.db'), '')
  assert.throws(() => backupEmbedded(config, file, PLAIN), DatabaseDamaged)
  assert.deepEqual(readdirSync(folder), ['data'])
})

test('a restore refuses a folder that has a database or is in use', async (t) => {
  const { config, file } = await someFolder(t)
  backupEmbedded(config, file, PLAIN)
  const before = readFileSync(join(config.dataDir, 'pombo.db'))
  assert.throws(() => restoreEmbedded(config, file, PLAIN), /already has a database/)
  const lock = lockDataFolder(config.dataDir)
  assert.throws(() => restoreEmbedded(config, file, FORCED), DataFolderInUse)
  lock[Symbol.dispose]()
  assert.deepEqual(readFileSync(join(config.dataDir, 'pombo.db')), before)
})

test('--force moves the database aside, with its write-ahead log and a key that does not match', async (t) => {
  const { config, file } = await someFolder(t)
  backupEmbedded(config, file, WITH_KEYS)
  const { config: other } = await someFolder(t)
  assert.throws(() => restoreEmbedded(other, file, PLAIN), /already has a database/)
  writeFileSync(join(other.dataDir, 'pombo.db-wal'), 'a log that must not meet another database')
  const oldKey = readFileSync(join(other.dataDir, 'master.key'), 'utf8')
  const { aside = '', keys } = restoreEmbedded(other, file, FORCED)
  assert.deepEqual(keys, ['master.key', 'jwt.secret'])
  assert.deepEqual(readdirSync(aside).toSorted(), ['jwt.secret', 'master.key', 'pombo.db', 'pombo.db-wal'])
  assert.equal(readFileSync(join(aside, 'master.key'), 'utf8'), oldKey)
  assert.equal(existsSync(join(other.dataDir, 'pombo.db-wal')), false)
  await using engine = await open(other)
  assert.equal(await engine.log.tip(), 2)
})

test('a key that does not match is refused before anything is moved', async (t) => {
  const { config, file } = await someFolder(t)
  backupEmbedded(config, file, PLAIN)
  const { config: other } = await someFolder(t)
  const before = namesIn(other)
  assert.throws(() => restoreEmbedded(other, file, FORCED), SecretsError)
  assert.deepEqual(namesIn(other), before)
})

test('a damaged backup is refused before anything is moved', async (t) => {
  const { config, file } = await someFolder(t)
  backupEmbedded(config, file, PLAIN)
  const whole = readFileSync(file)
  const before = namesIn(config)
  for (const bytes of [Buffer.alloc(0), Buffer.alloc(9000, 'x'), whole.subarray(0, whole.length - 4096)]) {
    writeFileSync(file, bytes)
    const isRefused = (error: unknown): boolean => error instanceof UnusableBackup && error.message.includes(file)
    assert.throws(() => restoreEmbedded(config, file, FORCED), isRefused)
  }
  assert.throws(() => restoreEmbedded(config, `${file}.none`, FORCED), DataDirError)
  writeFileSync(file, whole)
  writeFileSync(`${file}-wal`, 'what the copy lacks')
  assert.throws(() => restoreEmbedded(config, file, FORCED), /raw copy/)
  assert.deepEqual(namesIn(config), before)
})

test('an interrupted restore keeps the gateway from starting, and can be repeated', async (t) => {
  const { config, file } = await someFolder(t)
  backupEmbedded(config, file, WITH_KEYS)
  const into = target(t)
  mkdirSync(into.dataDir)
  const path = join(into.dataDir, 'pombo.db')
  writeFileSync(`${path}.restoring`, 'as far as it had come')
  assert.throws(() => checkFile(path), DatabaseDamaged)
  assert.throws(() => loadSecrets(into), SecretsError)
  assert.equal(existsSync(join(into.dataDir, 'master.key')), false)
  assert.equal(restoreEmbedded(into, file, PLAIN).messages, 2)
  assert.equal(checkFile(path), 'sound')
})

test('a failed restore after an interrupted one still keeps the gateway from starting', async (t) => {
  const { config, folder, file } = await someFolder(t)
  backupEmbedded(config, file, PLAIN)
  const damaged = join(folder, 'damaged.db')
  writeFileSync(damaged, readFileSync(file).subarray(0, 9000))
  const { config: into } = await someFolder(t)
  const path = join(into.dataDir, 'pombo.db')
  rmSync(path)
  writeFileSync(`${path}.restoring`, 'as far as it had come')
  const before = namesIn(into)
  for (const [given, refusal] of [
    [damaged, UnusableBackup],
    [join(folder, 'mistyped.db'), DataDirError],
    [folder, DataDirError],
    [file, SecretsError],
  ] as const) {
    assert.throws(() => restoreEmbedded(into, given, FORCED), refusal)
    assert.deepEqual(namesIn(into), before)
    assert.equal(readFileSync(`${path}.restoring`, 'utf8'), 'as far as it had come')
    assert.throws(() => checkFile(path), DatabaseDamaged)
  }
})

test('a restore refuses the draft of an interrupted restore as a backup', async (t) => {
  const { config, folder, file } = await someFolder(t)
  backupEmbedded(config, file, WITH_KEYS)
  const into = target(t)
  mkdirSync(into.dataDir)
  const link = join(folder, 'link.db')
  for (const end of ['.restoring', '.restoring.new']) {
    const left = join(into.dataDir, `pombo.db${end}`)
    writeFileSync(left, readFileSync(file))
    symlinkSync(left, link)
    for (const given of [left, link]) {
      assert.throws(() => restoreEmbedded(into, given, FORCED), /was left by an interrupted restore/)
      assert.deepEqual(readFileSync(left), readFileSync(file))
    }
    rmSync(link)
  }
  restoreEmbedded(into, file, PLAIN)
  assert.deepEqual(namesIn(into).toSorted(), ['jwt.secret', 'master.key', 'pombo.db'])
})

test('a different jwt.secret is replaced only with --force, and moved aside', async (t) => {
  const { config, file } = await someFolder(t)
  backupEmbedded(config, file, WITH_KEYS)
  const into = target(t)
  giveKey(config, into)
  const path = join(into.dataDir, 'jwt.secret')
  const [own, packed] = ['o'.repeat(43), readFileSync(join(config.dataDir, 'jwt.secret'), 'utf8')]
  writeFileSync(path, own)
  const first = restoreEmbedded(into, file, PLAIN)
  assert.deepEqual([first.keys, first.skipped, readFileSync(path, 'utf8')], [[], ['jwt.secret'], own])
  const second = restoreEmbedded(into, file, FORCED)
  assert.deepEqual([second.keys, second.skipped, readFileSync(path, 'utf8')], [['jwt.secret'], [], packed])
  assert.equal(readFileSync(join(second.aside ?? '', 'jwt.secret'), 'utf8'), own)
  const third = restoreEmbedded(into, file, FORCED)
  assert.deepEqual([third.keys, third.skipped], [[], []], 'the same secret is kept')
})

test('an empty write-ahead log counts neither as a database nor as a raw copy', async (t) => {
  const { config, file } = await someFolder(t)
  backupEmbedded(config, file, WITH_KEYS)
  writeFileSync(`${file}-wal`, '')
  const into = target(t)
  mkdirSync(into.dataDir)
  writeFileSync(join(into.dataDir, 'pombo.db-wal'), '')
  assert.equal(loadSecrets(into).masterKey.length, 32)
  rmSync(join(into.dataDir, 'master.key'))
  assert.equal(restoreEmbedded(into, file, PLAIN).messages, 2)
})
