/**
 * The writer thread of the embedded profile: the only writer of the database file. It seals contents and projects the
 * index, so that none of this delays the thread that answers HTTP.
 */
import { openSealer } from '../engines/crypto/sealer.ts'
import { openSqlite } from '../engines/sqlite/sqlite.ts'
import type { StoreMethods } from '../engines/sqlite/store.ts'
import { serveDriver } from '../engines/sqlite/thread-driver.ts'
import { followClock } from '../lib/clock.ts'
import { reasonOf } from '../ports/unavailable.ts'
import { Projector } from '../workers/projector.ts'

/** `clock` is the shared process clock, for `followClock`. */
export type StoreThreadData = Readonly<{
  path: string
  masterKey: Uint8Array
  indexBodies: boolean
  clock: SharedArrayBuffer
}>

await serveDriver<StoreMethods>(async ({ path, masterKey, indexBodies, clock }: StoreThreadData) => {
  const engine = openSqlite({ path, clock: followClock(clock), sealer: openSealer(masterKey), indexBodies })
  const projector = new Projector(engine, (error) =>
    process.emitWarning(`projector: update of the index failed: ${reasonOf(error)}`),
  )
  return {
    driver: engine.writer,
    async [Symbol.asyncDispose]() {
      await projector[Symbol.asyncDispose]()
      await engine[Symbol.asyncDispose]()
    },
  }
})
