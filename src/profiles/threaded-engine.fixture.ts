/** For tests: the engine of the embedded profile with its tables in a thread, as in the gateway. */
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { frameSealing } from '../engines/crypto/frame-sealer.ts'
import { openReader } from '../engines/sqlite/database.ts'
import { JournalProgress } from '../engines/sqlite/journal/progress.ts'
import { ReaderDriver } from '../engines/sqlite/reader-driver.ts'
import { openSearch } from '../engines/sqlite/search.ts'
import { openEngine } from '../engines/sqlite/sqlite.ts'
import type { StoreMethods } from '../engines/sqlite/store.ts'
import { openThread } from '../engines/sqlite/thread-driver.ts'
import { openClock } from '../lib/clock.ts'
import type { StoreThreadData } from './store-thread.ts'

export async function openInThread() {
  const folder = mkdtempSync(join(tmpdir(), 'pombo-thread-'))
  const path = join(folder, 'pombo.db')
  const masterKey = randomBytes(32)
  const progress = new JournalProgress()
  const time = openClock(() => undefined)
  const data: StoreThreadData = {
    path,
    masterKey,
    indexBodies: false,
    clock: time.shared,
    progress: progress.shared,
  }
  const writer = await openThread<StoreMethods>(new URL('./store-thread.ts', import.meta.url), data)
  const db = openReader(path)
  const reader = new ReaderDriver(db, openSearch(db))
  const sealing = frameSealing(masterKey)
  const engine = await openEngine(writer, reader, { database: path, clock: time.now, sealing, progress })
  return {
    ...engine,
    async [Symbol.asyncDispose]() {
      await reader[Symbol.asyncDispose]()
      await engine[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}
