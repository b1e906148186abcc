/**
 * The thread that answers searches, and makes checkpoints in the background: pages it moves from the write-ahead log
 * into the file, the writer need not.
 */
import { openReader } from './database.ts'
import type { SearchMethods } from './message-index.ts'
import { ReaderDriver } from './reader-driver.ts'
import { openSearch } from './search.ts'
import { serveDriver } from './thread-driver.ts'

const CHECKPOINT_EVERY_MS = 250

await serveDriver<SearchMethods>(async ({ path }: { path: string }) => {
  const db = openReader(path)
  const driver = new ReaderDriver(db, openSearch(db))
  const timer = setInterval(() => {
    try {
      db.exec('pragma wal_checkpoint(passive)')
    } catch {
      // For example a full disk: nothing is lost, and the next round tries again.
    }
  }, CHECKPOINT_EVERY_MS)
  return {
    driver,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await driver[Symbol.asyncDispose]()
    },
  }
})
