/**
 * The writer thread of the embedded profile: the only writer of the database file. It seals contents and projects the
 * index, so that none of this delays the thread that answers HTTP.
 */
import { parentPort, workerData } from 'node:worker_threads'
import { openSealer } from '../engines/crypto/sealer.ts'
import { openSqlite } from '../engines/sqlite/sqlite.ts'
import type { StoreMethods } from '../engines/sqlite/store.ts'
import { serveThread } from '../engines/sqlite/thread-driver.ts'
import { followClock } from '../lib/clock.ts'
import { Projector } from '../workers/projector.ts'

/** `clock` is the shared process clock, for `followClock`. */
export type StoreThreadData = Readonly<{
  path: string
  masterKey: Uint8Array
  indexBodies: boolean
  clock: SharedArrayBuffer
}>

const { path, masterKey, indexBodies, clock: shared } = workerData as StoreThreadData

await serveThread<StoreMethods>(parentPort, async () => {
  const clock = followClock(shared)
  const engine = openSqlite({ path, clock, sealer: openSealer(masterKey), indexBodies })
  const projector = new Projector(engine, reportFault)
  return {
    driver: engine.writer,
    async [Symbol.asyncDispose]() {
      await projector[Symbol.asyncDispose]()
      await engine[Symbol.asyncDispose]()
    },
  }
})

function reportFault(error: unknown): void {
  process.emitWarning(
    `projector: update of the index failed: ${error instanceof Error ? error.message : String(error)}`,
  )
}
