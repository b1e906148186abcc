/**
 * The filer of the embedded profile: the only thread that writes the tables. It files the journal into them, seals
 * contents and keeps the index, so that none of this delays the thread that answers HTTP.
 */
import { frameSealing } from '../engines/crypto/frame-sealer.ts'
import { openSealer } from '../engines/crypto/sealer.ts'
import { JournalProgress } from '../engines/sqlite/journal/progress.ts'
import { LocalDriver } from '../engines/sqlite/local-driver.ts'
import { TakeOverProgress } from '../engines/sqlite/messages/take-over-progress.ts'
import { openStore, type StoreMethods } from '../engines/sqlite/store.ts'
import { serveDriver } from '../engines/sqlite/thread-driver.ts'
import { followClock } from '../lib/clock.ts'

/**
 * `clock` is the shared process clock, for `followClock`; `progress` is that of the journal, and `takeOver` that of the
 * take-over of an earlier release.
 */
export type StoreThreadData = Readonly<{
  path: string
  masterKey: Uint8Array
  indexBodies: boolean
  clock: SharedArrayBuffer
  progress: SharedArrayBuffer
  takeOver?: SharedArrayBuffer
}>

await serveDriver<StoreMethods>(async (data: StoreThreadData) => {
  const { path, masterKey, indexBodies, clock, progress, takeOver } = data
  const store = openStore({
    path,
    clock: followClock(clock),
    sealer: openSealer(masterKey),
    sealing: frameSealing(masterKey),
    progress: new JournalProgress(progress),
    indexBodies,
    onTakeOver: new TakeOverProgress(takeOver).advance,
  })
  const driver = new LocalDriver(store)
  return { driver, [Symbol.asyncDispose]: () => driver[Symbol.asyncDispose]() }
})
