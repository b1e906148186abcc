/** The embedded engine: event log, queue and index on one file, in this thread. */

import type { Engines } from '../../ports/engines.ts'
import { sqliteCarrierReferences } from './carrier-references.ts'
import { sqliteChallenges } from './challenges.ts'
import { openReader } from './database.ts'
import type { Driver } from './driver.ts'
import { sqliteEndpoints } from './endpoints.ts'
import { sqliteErasures } from './erasures.ts'
import { sqliteEventLog } from './event-log.ts'
import { LocalDriver } from './local-driver.ts'
import { type SearchMethods, sqliteMessageIndex } from './message-index.ts'
import { type Prefetched, sqliteQueue } from './queue.ts'
import { ReaderDriver } from './reader-driver.ts'
import { sqliteRecipients } from './recipients.ts'
import { openSearch } from './search.ts'
import { openStore, type StoreMethods, type StoreOptions } from './store.ts'
import { sqliteSuppressions } from './suppressions.ts'
import { sqliteTemplates } from './templates.ts'
import { sqliteWebhookDeliveries } from './webhook-deliveries.ts'

export type SqliteEngine = Pick<
  Engines,
  | 'log'
  | 'queue'
  | 'index'
  | 'challenges'
  | 'carrierReferences'
  | 'recipients'
  | 'suppressions'
  | 'templates'
  | 'endpoints'
  | 'webhookDeliveries'
  | 'erasures'
>

export function openSqlite(options: StoreOptions): SqliteEngine & AsyncDisposable & { writer: Driver<StoreMethods> } {
  const writer = new LocalDriver(openStore(options))
  const db = openReader(options.path)
  const reader = new ReaderDriver(db, openSearch(db))
  return {
    ...toEngine(writer, reader),
    writer,
    async [Symbol.asyncDispose]() {
      await reader[Symbol.asyncDispose]()
      await writer[Symbol.asyncDispose]()
    },
  }
}

export function toEngine(writer: Driver<StoreMethods>, reader: Driver<SearchMethods>): SqliteEngine {
  const prefetched: Prefetched = new Map()
  return {
    log: sqliteEventLog(writer, prefetched),
    queue: sqliteQueue(writer, prefetched),
    index: sqliteMessageIndex(writer, reader),
    challenges: sqliteChallenges(writer),
    carrierReferences: sqliteCarrierReferences(writer),
    recipients: sqliteRecipients(writer, reader),
    suppressions: sqliteSuppressions(writer, reader),
    templates: sqliteTemplates(writer),
    endpoints: sqliteEndpoints(writer),
    webhookDeliveries: sqliteWebhookDeliveries(writer, reader),
    erasures: sqliteErasures(writer),
  }
}
