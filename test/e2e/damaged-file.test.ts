/** A database file that is empty, cut off, overwritten or alone: no gateway starts on it, and none answers from it. */
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
const PAGE_BYTES = 4096

const databaseOf = (folder: string): string => join(dataDirOf(folder), 'pombo.db')

const MESSAGES = 60
const opened = new AsyncDisposableStack()
after(() => opened.disposeAsync())

type Used = Readonly<{ path: string; firstId: string }>
/** Folders that were used by a gateway, by how that ended. */
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

/** Of all that is kept: locks, and what readers share among themselves, come and go. */
async function digestsOf(folder: string): Promise<object> {
  const names = (await readdir(folder)).filter((name) => !/^pombo\.lock|-shm$/.test(name))
  const digest = async (name: string) =>
    createHash('sha256')
      .update(await readFile(join(folder, name)))
      .digest('hex')
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await digest(name)])))
}

type Harm = (path: string) => Promise<void>
const HARMS: Readonly<Record<string, Readonly<{ end: 'SIGTERM' | 'SIGKILL'; harm: Harm; says: RegExp }>>> = {
  'that is empty': { end: 'SIGTERM', harm: (path) => writeFile(path, ''), says: /is damaged \(it is empty\)/ },
  'that was cut off': { end: 'SIGTERM', harm: (path) => truncate(path, 3 * PAGE_BYTES), says: /is damaged/ },
  'of other bytes': { end: 'SIGTERM', harm: (path) => overwrite(path, 0), says: /not a database/ },
  'of other bytes, with a log beside it': { end: 'SIGKILL', harm: (path) => overwrite(path, 0), says: /is damaged/ },
  'whose header is fine and nothing else': {
    end: 'SIGTERM',
    harm: (path) => overwrite(path, PAGE_BYTES),
    says: /is damaged/,
  },
  'that is gone, with its log still there': {
    end: 'SIGKILL',
    harm: (path) => rm(path),
    says: /is missing and its write-ahead log/,
  },
}

describe('a database', () => {
  for (const [which, { end, harm, says }] of Object.entries(HARMS)) {
    test(`${which} stops the start, with its name and the remedy, and is not touched`, async () => {
      await using folder = await openUsed(end)
      const path = databaseOf(folder.path)
      await harm(path)
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

  test('that is gone with its key, while its log is there, gets no new key', async () => {
    await using folder = await openUsed('SIGKILL')
    const key = join(dataDirOf(folder.path), 'master.key')
    await Promise.all([rm(key), rm(databaseOf(folder.path))])
    const { code, err } = await runPombo(['serve'], await settingsFor({ folder: folder.path }))
    assert.equal(code, BAD_CONFIG)
    assert.match(err, /master\.key/)
    assert.equal(existsSync(key), false)
  })

  test('that goes bad under a running gateway is a fault that names it, and the gateway is not ready', async () => {
    await using folder = await openUsed('SIGTERM')
    await using gateway = await startGateway({ folder: folder.path })
    const ready = () => gateway.call<{ dependencies: { log: { ok: boolean } } }>('GET', '/health/ready')
    assert.equal((await ready()).status, 200)
    await overwrite(databaseOf(folder.path), PAGE_BYTES)
    const { status, text } = await gateway.call('GET', `/v1/messages/${used.SIGTERM.firstId}`)
    assert.equal(status, 500, 'a page that cannot be read is not a message that is not there')
    assert.doesNotMatch(text, /pombo\.db/)
    await until('the fault in the log', () => gateway.err().includes(`${databaseOf(folder.path)} is damaged`))
    const found = await ready()
    assert.equal(found.status, 503)
    assert.equal(found.body.dependencies.log.ok, false)
    assert.ok(!found.text.includes(folder.path), 'whoever asks is not told where')
  })
})
