/** The embedded engine as a gateway opens it: sealed, in one thread or with threads of its own for tables and searches. */

import type { MessageState } from '../../src/domain/message/state.ts'
import { frameSealing } from '../../src/engines/crypto/frame-sealer.ts'
import { openSealer } from '../../src/engines/crypto/sealer.ts'
import { JournalProgress } from '../../src/engines/sqlite/journal/progress.ts'
import type { SearchMethods } from '../../src/engines/sqlite/message-index.ts'
import type { OnTakeOver } from '../../src/engines/sqlite/messages/take-over.ts'
import { openEngine, openSqlite, type SqliteEngine } from '../../src/engines/sqlite/sqlite.ts'
import type { StoreMethods } from '../../src/engines/sqlite/store.ts'
import { openThread } from '../../src/engines/sqlite/thread-driver.ts'
import { openClock } from '../../src/lib/clock.ts'
import { instant } from '../../src/lib/time.ts'
import { type Position, START } from '../../src/ports/event-log.ts'
import { append, createdEntry, jobOf, someContent, someMessage, tenant } from '../../src/ports/samples.contract.ts'
import type { StoreThreadData } from '../../src/profiles/store-thread.ts'

export type PoweredEngine = SqliteEngine & AsyncDisposable

export const MASTER_KEY = Buffer.alloc(32, 7)
const PAGE = 1_000

export type OneThreadOptions = Readonly<{ masterKey?: Uint8Array; onTakeOver?: OnTakeOver }>

export const openInOneThread = (path: string, { masterKey = MASTER_KEY, ...options }: OneThreadOptions = {}) =>
  openSqlite({
    path,
    clock: () => instant(Date.now()),
    sealer: openSealer(masterKey),
    sealing: frameSealing(masterKey),
    indexBodies: false,
    ...options,
  })

export async function openWithThreads(path: string): Promise<PoweredEngine> {
  await using opened = new AsyncDisposableStack()
  const [time, progress] = [openClock(() => undefined), new JournalProgress()]
  const data: StoreThreadData = {
    path,
    masterKey: MASTER_KEY,
    indexBodies: false,
    clock: time.shared,
    progress: progress.shared,
  }
  const store = new URL('../../src/profiles/store-thread.ts', import.meta.url)
  const writer = opened.use(await openThread<StoreMethods>(store, data))
  const search = new URL('../../src/engines/sqlite/reader-thread.ts', import.meta.url)
  const reader = opened.use(await openThread<SearchMethods>(search, { path }))
  const sealing = frameSealing(MASTER_KEY)
  const engine = opened.use(await openEngine(writer, reader, { database: path, clock: time.now, sealing, progress }))
  const all = opened.move()
  return { ...engine, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

/** A message as the log has it: the ids of its events, and the position and state of the newest. */
export type Stored = Readonly<{ events: readonly string[]; last: Position; state: MessageState }>

/** The tenant of messages that mark the end of the log. */
const LAST = tenant('last')

/** Without the messages of `readLog` itself. */
export const isOurs = ({ state }: Stored): boolean => state.tenantId !== LAST

/** All messages of the log. The newest event may have been deleted, so another one is added to know where it ends. */
export async function readLog({ log }: PoweredEngine): Promise<ReadonlyMap<string, Stored>> {
  const last = someMessage({ tenantId: LAST })
  await append(log, createdEntry(last, someContent(), jobOf(last)))
  const found = new Map<string, Stored>()
  const stop = new AbortController()
  for await (const page of log.follow(START, PAGE, stop.signal)) {
    for (const { messageId, position, event } of page) {
      const events = [...(found.get(messageId)?.events ?? []), event.id]
      found.set(messageId, { events, last: position, state: event.state })
      if (messageId === last.id) stop.abort()
    }
  }
  return found
}
