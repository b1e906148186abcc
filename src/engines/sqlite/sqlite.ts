/** The embedded engine: event log, queue and index on one file, in this thread. */
import type { Instant } from '../../lib/time.ts'
import type { Engines } from '../../ports/engines.ts'
import { sqliteAuditLog } from './access/audit-log.ts'
import { sqliteUsage } from './access/usage.ts'
import { sqliteCarrierReferences } from './carrier-references.ts'
import { openReader } from './database.ts'
import { type Driver, remote } from './driver.ts'
import { sqliteEndpoints } from './endpoints.ts'
import type { Journal } from './journal/journal.ts'
import { JournalProgress } from './journal/progress.ts'
import { LocalDriver } from './local-driver.ts'
import { type EngineOptions, openJournaledEngine } from './log/engine.ts'
import { type SearchMethods, sqliteMessageIndex } from './message-index.ts'
import { ReaderDriver } from './reader-driver.ts'
import { sqliteRetention } from './retention.ts'
import { openSearch } from './search.ts'
import { sqliteSinkPositions } from './sink-positions.ts'
import { openStore, type StoreMethods, type StoreOptions } from './store.ts'
import { sqliteSuppressions } from './suppressions.ts'
import { sqliteUsageRecords } from './usage-records.ts'
import { sqliteWebhookDeliveries } from './webhook-deliveries.ts'

export type SqliteEngine = Pick<
  Engines,
  | 'log'
  | 'feed'
  | 'queue'
  | 'index'
  | 'challenges'
  | 'carrierReferences'
  | 'recipients'
  | 'suppressions'
  | 'templates'
  | 'endpoints'
  | 'webhookDeliveries'
  | 'webhookAttempts'
  | 'receiptDeliveries'
  | 'partialMessages'
  | 'erasures'
  | 'retention'
  | 'auditLog'
  | 'users'
  | 'sessions'
  | 'usage'
  | 'usageRecords'
  | 'raisedAlerts'
  | 'providerResults'
  | 'limitedSends'
  | 'sinkPositions'
>

export type SqliteOptions = Omit<StoreOptions, 'progress'>

/** Everything in this thread. */
export async function openSqlite(
  options: SqliteOptions,
): Promise<SqliteEngine & AsyncDisposable & Readonly<{ writer: Driver<StoreMethods> }>> {
  const progress = new JournalProgress()
  const writer = new LocalDriver(openStore({ ...options, progress }))
  const db = openReader(options.path)
  const reader = new ReaderDriver(db, openSearch(db))
  const engine = await openEngine(writer, reader, { ...options, database: options.path, progress })
  return {
    ...engine,
    writer,
    async [Symbol.asyncDispose]() {
      await reader[Symbol.asyncDispose]()
      await engine[Symbol.asyncDispose]()
    },
  }
}

/** The engine over two drivers. Disposing it files everything and closes the writer. */
export async function openEngine(
  writer: Driver<StoreMethods>,
  reader: Driver<SearchMethods>,
  options: EngineOptions,
): Promise<SqliteEngine & AsyncDisposable & Readonly<{ journal: Journal; newestAt: Instant | undefined }>> {
  const { log, feed, deleteMessages, queue, waiting, journal, newestAt, ...opened } = await openJournaledEngine(
    writer,
    reader,
    options,
  )
  return {
    log,
    feed,
    queue,
    journal,
    newestAt,
    index: sqliteMessageIndex(writer, reader),
    challenges: remote(writer, 'challenges'),
    carrierReferences: sqliteCarrierReferences(writer),
    recipients: { ...remote(writer, 'recipients'), ...remote(reader, 'recipients') },
    suppressions: sqliteSuppressions(writer, reader),
    templates: { ...remote(writer, 'templates'), ...remote(reader, 'templates') },
    endpoints: sqliteEndpoints(writer),
    webhookDeliveries: sqliteWebhookDeliveries(writer, reader),
    webhookAttempts: { ...remote(writer, 'webhookAttempts'), ...remote(reader, 'webhookAttempts') },
    receiptDeliveries: remote(writer, 'receiptDeliveries'),
    partialMessages: remote(writer, 'partialMessages'),
    erasures: remote(writer, 'erasures'),
    retention: sqliteRetention(writer, deleteMessages),
    auditLog: sqliteAuditLog(writer, reader),
    users: remote(writer, 'users'),
    sessions: remote(writer, 'sessions'),
    usage: sqliteUsage(writer, waiting),
    usageRecords: sqliteUsageRecords(writer, reader),
    raisedAlerts: remote(writer, 'raisedAlerts'),
    providerResults: remote(writer, 'providerResults'),
    limitedSends: remote(writer, 'limitedSends'),
    sinkPositions: sqliteSinkPositions(writer, log),
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  }
}
