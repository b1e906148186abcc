/**
 * The thread that answers searches, and makes checkpoints in the background: pages it moves from the write-ahead log
 * into the file, the writer need not.
 */
import type { DatabaseSync } from 'node:sqlite'
import { openReader } from './database.ts'
import type { SearchMethods } from './message-index.ts'
import { ReaderDriver } from './reader-driver.ts'
import { openSearch } from './search.ts'
import { serveDriver } from './thread-driver.ts'

const CHECKPOINT_EVERY_MS = 250

/** Of several such threads one makes the checkpoints. */
type ReaderThreadData = Readonly<{ path: string; checkpoints?: boolean }>

await serveDriver<SearchMethods>(async ({ path, checkpoints = true }: ReaderThreadData) => {
  const db = openReader(path)
  const driver = new ReaderDriver(db, openSearch(db))
  const timer = checkpoints ? setInterval(() => checkpoint(db), CHECKPOINT_EVERY_MS) : undefined
  return {
    driver,
    async [Symbol.asyncDispose]() {
      clearInterval(timer)
      await driver[Symbol.asyncDispose]()
    },
  }
})

function checkpoint(db: DatabaseSync): void {
  try {
    db.exec('pragma wal_checkpoint(passive)')
  } catch {
    // For example a full disk: nothing is lost, and the next round tries again.
  }
}
