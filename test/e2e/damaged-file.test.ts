/** A gateway neither starts with nor answers from a database file that is empty, truncated, overwritten or missing. */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, open, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { runPombo } from '../support/command.ts'
import { type Folder, openFolder } from '../support/folder.ts'
import { dataDirOf, settingsFor, startGateway } from '../support/gateway.ts'
import { send, untilIndexed, untilStatus } from '../support/sms.ts'
import { until } from '../support/until.ts'

const BAD_CONFIG = 78
const PAGE_BYTES = 8192

const databaseOf = (folder: string): string => join(dataDirOf(folder), 'pombo.db')

const MESSAGES = 60
const opened = new AsyncDisposableStack()
after(() => opened.disposeAsync())

type Used = Readonly<{ path: string; firstId: string }>
/** Data folders of a gateway that was stopped or killed. */
const used: Readonly<Record<'SIGTERM' | 'SIGKILL', Used>> = {
  SIGTERM: await useFolder('SIGTERM'),
  SIGKILL: await useFolder('SIGKILL'),
}

async function useFolder(end: 'SIGTERM' | 'SIGKILL'): Promise<Used> {
  const { path } = opened.use(await openFolder())
  const gateway = await startGateway({ folder: path })
  const ids = await Promise.all(Array.from({ length: MESSAGES }, () => send(gateway)))
  for (const id of ids) await untilStatus(gateway, id, 'delivered')
  await untilIndexed(gateway)
  await gateway.kill(end)
  return { path, firstId: ids[0] ?? '' }
}

async function openUsed(end: 'SIGTERM' | 'SIGKILL'): Promise<Folder> {
  const folder = await openFolder()
  await cp(used[end].path, folder.path, { recursive: true })
  return folder
}

async function overwrite(path: string, from: number): Promise<void> {
  const file = await open(path, 'r+')
  const { size } = await file.stat()
  await file.write(Buffer.alloc(size - from, 0xa5), 0, size - from, from)
  await file.close()
}

/** The digests of all files except locks and shared memory, which are temporary. */
async function digestsOf(folder: string): Promise<object> {
  const names = (await readdir(folder)).filter((name) => !/^pombo\.lock|-shm$/.test(name))
  const digest = async (name: string) =>
    createHash('sha256')
      .update(await readFile(join(folder, name)))
      .digest('hex')
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await digest(name)])))
}

type Damage = (path: string) => Promise<void>
const DAMAGES: Readonly<Record<string, Readonly<{ end: 'SIGTERM' | 'SIGKILL'; damage: Damage; says: RegExp }>>> = {
  'that is empty': { end: 'SIGTERM', damage: (path) => writeFile(path, ''), says: /is damaged \(it is empty\)/ },
  'that is truncated': { end: 'SIGTERM', damage: (path) => truncate(path, 3 * PAGE_BYTES), says: /is damaged/ },
  'that is overwritten': { end: 'SIGTERM', damage: (path) => overwrite(path, 0), says: /not a database/ },
  'that is overwritten and has a write-ahead log': {
    end: 'SIGKILL',
    damage: (path) => overwrite(path, 0),
    says: /is damaged/,
  },
  'with only an intact header': {
    end: 'SIGTERM',
    damage: (path) => overwrite(path, PAGE_BYTES),
    says: /is damaged/,
  },
  'that is missing while its write-ahead log exists': {
    end: 'SIGKILL',
    damage: (path) => rm(path),
    says: /is missing and its write-ahead log/,
  },
}

describe('a database', () => {
  for (const [which, { end, damage, says }] of Object.entries(DAMAGES)) {
    test(`${which} prevents the start with its path and a remedy, and is unchanged`, async () => {
      await using folder = await openUsed(end)
      const path = databaseOf(folder.path)
      await damage(path)
      const before = await digestsOf(dataDirOf(folder.path))
      const { code, out, err } = await runPombo(['serve'], await settingsFor({ folder: folder.path }))
      assert.equal(code, BAD_CONFIG, err)
      assert.equal(out, '')
      assert.match(err, /^pombo: .+\n$/, 'one sentence')
      assert.ok(err.includes(path) && err.includes('pombo restore'), err)
      assert.match(err, says)
      assert.deepEqual(await digestsOf(dataDirOf(folder.path)), before)
    })
  }

  test('that is missing together with its key, while its write-ahead log exists, gets no new key', async () => {
    await using folder = await openUsed('SIGKILL')
    const key = join(dataDirOf(folder.path), 'master.key')
    await Promise.all([rm(key), rm(databaseOf(folder.path))])
    const { code, err } = await runPombo(['serve'], await settingsFor({ folder: folder.path }))
    assert.equal(code, BAD_CONFIG)
    assert.match(err, /master\.key/)
    assert.equal(existsSync(key), false)
  })

  test('that is damaged while the gateway runs is logged with its path, and the gateway is not ready', async () => {
    await using folder = await openUsed('SIGTERM')
    await using gateway = await startGateway({ folder: folder.path })
    const ready = () => gateway.call<{ dependencies: { log: { ok: boolean } } }>('GET', '/health/ready')
    assert.equal((await ready()).status, 200)
    await overwrite(databaseOf(folder.path), PAGE_BYTES)
    const { status, text } = await gateway.call('GET', `/v1/messages/${used.SIGTERM.firstId}`)
    assert.equal(status, 500, 'an unreadable page is not a missing message')
    assert.doesNotMatch(text, /pombo\.db/)
    await until('the fault in the log', () => gateway.err().includes(`${databaseOf(folder.path)} is damaged`))
    const found = await ready()
    assert.equal(found.status, 503)
    assert.equal(found.body.dependencies.log.ok, false)
    assert.ok(!found.text.includes(folder.path), 'the response contains the path')
  })
})
