import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openFolder } from '../../test/support/folder.ts'
import { clusterStorage, diskOf, folderStorage } from './storage.ts'

test('adds up the files of each store, with their write-ahead logs', async () => {
  await using folder = await openFolder()
  const sizes = {
    'pombo.db': 100,
    'pombo.db-wal': 20,
    'pombo-journal.db': 7,
    'pombo-journal.db-wal': 3,
    'master.key': 5,
  }
  for (const [name, size] of Object.entries(sizes)) await writeFile(join(folder.path, name), Buffer.alloc(size))
  await mkdir(join(folder.path, 'replaced-1'))
  assert.deepEqual(await folderStorage(folder.path), { tables: 120, journal: 10, other: 5 })
  const { size, free } = await diskOf(folder.path)
  assert.ok(free > 0 && free <= size)
})

test('a store that is unreachable is missing', async () => {
  const away = () => Promise.reject(new Error('unreachable'))
  const streams = { log: 5, keys: 4, contents: 3, receipts: 2, jobs: 1 }
  assert.deepEqual(await clusterStorage({ streamBytes: away }, { databaseBytes: async () => 9 }), { postgres: 9 })
  assert.deepEqual(await clusterStorage({ streamBytes: async () => streams }, { databaseBytes: away }), streams)
})
