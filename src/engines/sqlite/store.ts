/** All tables, as used by the one thread that writes them. */
import type { DatabaseSync } from 'node:sqlite'
import type { Clock } from '../../lib/clock.ts'
import type { OpenFrameSealer, Sealer } from '../../ports/sealer.ts'
import { apiKeyTable } from './access/api-keys.ts'
import { auditTable } from './access/audit-log.ts'
import { domainTable } from './access/domains.ts'
import { tenantTable } from './access/tenants.ts'
import { usageTable } from './access/usage.ts'
import { sessionTable, userTable } from './access/users.ts'
import { breakerTable } from './breakers.ts'
import { carrierReferenceTable } from './carrier-references.ts'
import { challengeTable } from './challenges.ts'
import { asFileFault, BUSY_TIMEOUT_MS, MOST_UNSYNCED, openWriter } from './database.ts'
import type { Remote } from './driver.ts'
import { endpointTable } from './endpoints.ts'
import { erasureTable } from './erasures.ts'
import { JournalReader, journalPathOf } from './journal/journal-file.ts'
import { JournalOpening } from './journal/journal-opening.ts'
import type { JournalProgress } from './journal/progress.ts'
import { limitCountTable } from './limit-counts.ts'
import { limitRuleTable } from './limit-rules.ts'
import { limitedSendTable } from './limited-sends.ts'
import { messageTables } from './message-tables.ts'
import { FiledMessages } from './messages/filed-messages.ts'
import { Filer } from './messages/filer.ts'
import { IdFilters } from './messages/id-filters.ts'
import { Pruning } from './messages/pruning.ts'
import { type OnTakeOver, takeOver } from './messages/take-over.ts'
import { partialMessageTable } from './partial-messages.ts'
import { providerResultTable } from './provider-results.ts'
import { raisedAlertTable } from './raised-alerts.ts'
import { receiptDeliveryTable } from './receipt-deliveries.ts'
import { recipientTable } from './recipients.ts'
import { routeTable } from './routes.ts'
import { sinkPositionTable } from './sink-positions.ts'
import { suppressionTable } from './suppressions.ts'
import type { MethodsOf } from './tables.ts'
import { templateTable } from './templates.ts'
import { WalSync } from './wal-sync.ts'
import { webhookAttemptTable } from './webhook-attempts.ts'
import { webhookDeliveryTable } from './webhook-deliveries.ts'
import { WriteProof } from './write-proof.ts'

export type StoreOptions = Readonly<{
  path: string
  clock: Clock
  sealer: Sealer
  /** Opens the frames of the journal. */
  sealing: OpenFrameSealer
  progress: JournalProgress
  indexBodies: boolean
  onTakeOver?: OnTakeOver
}>

export type Store = ReturnType<typeof open>
export type StoreMethods = MethodsOf<Store['tables']>

/** The log in the tables, as the thread that writes the journal uses it. */
export type FiledLog = Remote<StoreMethods, 'log'>

/** Opens the tables and files what the journal still holds. */
export function openStore(options: StoreOptions): Store {
  return naming(options.path, () => open(options))
}

function naming<Result>(path: string, act: () => Result): Result {
  try {
    return act()
  } catch (error) {
    throw asFileFault(path, error)
  }
}

function open(options: StoreOptions) {
  const { path, clock, progress } = options
  const db = openWriter(path)
  checkKey(db, options.sealer.mark, path)
  takeOver(db, options)
  const opening = new JournalOpening(db, path)
  const journal = new JournalReader(journalPathOf(path), options.sealing)
  const wal = new WalSync(path, MOST_UNSYNCED)
  const opened = openTables(db, journal, options)
  const { filer, messages, endpoints } = opened
  const proof = new WriteProof(db, clock)
  let proven = (): void => undefined

  const store = {
    path,
    now: clock,
    tables: {
      ...messageTables({ ...opened, opening }),
      ...otherTables(opened, clock),
      health: { writes: { prove: () => proof.prove() } },
    },

    ...toFiling(opened, journal),

    begin(): void {
      db.exec('begin immediate')
      proof.begun()
    },
    commit(): void {
      db.exec('commit')
      wal.committed()
      proven = proof.committed()
      filer.committed()
    },

    /** Undoes everything since `begin`, in the tables and in memory. */
    rollback(): void {
      proof.failed()
      if (db.isTransaction) db.exec('rollback')
      for (const table of [messages, filer, endpoints]) table.recall()
    },

    /** Moves the write-ahead log into the file and truncates it; false while a reader blocks it. */
    truncateWal: (): boolean => withoutWaiting(db, () => isDone(db.prepare('pragma wal_checkpoint(truncate)').get())),

    /** Calls back once everything committed so far is on disk. */
    whenDurable(done: () => void): void {
      const [prove, frame] = [proven, filer.filedFrame]
      wal.after(() => {
        prove()
        progress.filed = frame
        done()
      })
    },

    /** Files everything. */
    close(): void {
      naming(path, () => transact(store, () => filer.fileAll()))
      if (filer.filedFrame === progress.durable) naming(path, () => opening.close())
      wal[Symbol.dispose]()
      progress.filed = filer.filedFrame
      journal[Symbol.dispose]()
      db.close()
    },
  }
  progress.durable = filer.last
  transact(store, () => filer.fileAll())
  progress.filed = filer.filedFrame
  db.exec('pragma synchronous = normal')
  return store
}

type OpenedTables = ReturnType<typeof openTables>

/** The tables that the journal is filed in. */
function openTables(db: DatabaseSync, journal: JournalReader, { sealer, progress, indexBodies }: StoreOptions) {
  const ids = new IdFilters(db)
  const messages = new FiledMessages(db, sealer, ids)
  const endpoints = endpointTable(db)
  const webhookDeliveries = webhookDeliveryTable(db, endpoints.hasAny)
  const webhooks = { hasEndpoints: endpoints.hasAny, enqueue: webhookDeliveries.background.enqueue }
  const { blind } = sealer
  const receiptDeliveries = receiptDeliveryTable(db)
  const { enqueue: enqueueReceipts } = receiptDeliveries.background
  const filer = new Filer({ db, journal, progress, messages, blind, indexBodies, webhooks, enqueueReceipts })
  const pruning = new Pruning({ db, messages, filings: filer.filings, ids })
  return { db, journal, ids, messages, endpoints, webhookDeliveries, receiptDeliveries, filer, pruning }
}

/** Enough to keep up with what a filing adds. */
const NAME_STEPS = 2

const toFiling = ({ filer, messages }: OpenedTables, journal: JournalReader) => ({
  /** Reads what is new in the journal. Whether it or an index has entries to file; `file` files some. */
  isFilingDue(): boolean {
    filer.ingest()
    return filer.isDue() || messages.isFilingDue()
  },
  file(): void {
    if (filer.isDue()) filer.file()
    for (let step = 0; step < NAME_STEPS && messages.isFilingDue(); step += 1) messages.fileNames()
  },
  checkpointJournal: () => journal.checkpoint(),
})

type Transactions = Readonly<Record<'begin' | 'commit' | 'rollback', () => void>>

function transact(store: Transactions, act: () => void): void {
  try {
    store.begin()
    act()
    store.commit()
  } catch (error) {
    store.rollback()
    throw error
  }
}

const otherTables = ({ db, endpoints, webhookDeliveries, receiptDeliveries }: OpenedTables, clock: Clock) => ({
  endpoints: endpoints.table,
  webhookDeliveries,
  webhookAttempts: webhookAttemptTable(db),
  receiptDeliveries,
  partialMessages: partialMessageTable(db),
  challenges: challengeTable(db),
  erasures: erasureTable(db),
  recipients: recipientTable(db, clock),
  suppressions: suppressionTable(db),
  templates: templateTable(db),
  limitRules: limitRuleTable(db),
  limitCounts: limitCountTable(db),
  carrierReferences: carrierReferenceTable(db, clock),
  routes: routeTable(db),
  sinkPositions: sinkPositionTable(db),
  tenants: tenantTable(db),
  domains: domainTable(db),
  apiKeys: apiKeyTable(db),
  auditLog: auditTable(db),
  users: userTable(db),
  sessions: sessionTable(db),
  usage: usageTable(db),
  raisedAlerts: raisedAlertTable(db),
  providerResults: providerResultTable(db),
  limitedSends: limitedSendTable(db),
  breakers: breakerTable(db),
})

/** Everything in the file was sealed with another master key. */
export class WrongMasterKey extends Error {
  readonly exitCode = 78
}

function checkKey(db: DatabaseSync, mark: string, path: string): void {
  const stored = db.prepare('select mark from identity').get()?.['mark']
  if (stored === undefined) db.prepare('insert into identity (mark) values (?)').run(mark)
  else if (stored !== mark) {
    db.close()
    throw new WrongMasterKey(
      `POMBO_MASTER_KEY, or master.key in the data folder, is not the key that ${path} was sealed with; put that one back`,
    )
  }
}

const isDone = (checkpoint: Record<string, unknown> | undefined): boolean => checkpoint?.['busy'] === 0

/** A blocking reader may take seconds, and every write would wait for it. */
function withoutWaiting<Result>(db: DatabaseSync, act: () => Result): Result {
  db.exec('pragma busy_timeout = 0')
  try {
    return act()
  } finally {
    db.exec(`pragma busy_timeout = ${BUSY_TIMEOUT_MS}`)
  }
}
