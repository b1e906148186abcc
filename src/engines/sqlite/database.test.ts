import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { test } from 'node:test'
import { DataFolderInUse, lockDataFolder, openReader, openWriter } from './database.ts'
import { newFolder } from './store.fixture.ts'

const isRefused = (folder: string) => (error: unknown) => {
  assert.ok(error instanceof DataFolderInUse)
  assert.equal(error.exitCode, 73)
  assert.ok(error.message.includes(folder) && error.message.includes('POMBO_DATA_DIR'))
  return true
}

test('creates a missing data folder, and locks it until disposed', (t) => {
  const folder = join(newFolder(t), 'not', 'there', 'yet')
  const first = lockDataFolder(folder)
  assert.throws(() => lockDataFolder(folder), isRefused(folder))
  assert.throws(() => lockDataFolder(folder), isRefused(folder))
  first[Symbol.dispose]()
  lockDataFolder(folder)[Symbol.dispose]()
})

test('two folders can be locked side by side', (t) => {
  const folder = newFolder(t)
  using _one = lockDataFolder(join(folder, 'one'))
  using _two = lockDataFolder(join(folder, 'two'))
})

test('respects the lock of another process while it lives, and leaves nothing behind when it is killed', async (t) => {
  const folder = newFolder(t)
  const module = new URL('./database.ts', import.meta.url).href
  const script = `
    const { lockDataFolder } = await import(${JSON.stringify(module)})
    globalThis.held = lockDataFolder(${JSON.stringify(folder)})
    console.log('held')
    setInterval(() => undefined, 1000)
  `
  const holder = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(holder.stdout, 'data')
  assert.throws(() => lockDataFolder(folder), isRefused(folder))
  holder.kill('SIGKILL')
  await once(holder, 'exit')
  lockDataFolder(folder)[Symbol.dispose]()
})

test('the writer syncs until the store is open, overwrites deleted data, and creates its folder', (t) => {
  const db = openWriter(join(newFolder(t), 'new', 'pombo.db'))
  const settingOf = (name: string): unknown => Object.values(db.prepare(`pragma ${name}`).get() ?? {})[0]
  const FULL = 2
  assert.deepEqual([settingOf('journal_mode'), settingOf('synchronous'), settingOf('secure_delete')], ['wal', FULL, 1])
  db.close()
})

test('the reader sees what the writer has committed, and cannot write', (t) => {
  const path = join(newFolder(t), 'pombo.db')
  const writer = openWriter(path)
  const reader = openReader(path)
  const count = (): unknown => reader.prepare('select count(*) as count from progress').get()?.['count']
  writer.exec(`begin; insert into progress (name, position) values ('x', 1)`)
  assert.equal(count(), 0)
  writer.exec('commit')
  assert.equal(count(), 1)
  assert.throws(() => reader.exec('delete from progress'), /readonly/)
  reader.close()
  writer.close()
})
