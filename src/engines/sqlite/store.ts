/** All tables, as used by the one thread that writes them. */
import type { DatabaseSync } from 'node:sqlite'
import type { MessageId } from '../../domain/ids.ts'
import type { Clock } from '../../lib/clock.ts'
import type { OpenFrameSealer, Sealer } from '../../ports/sealer.ts'
import { CARRIER_REFERENCE_CALLS, carrierReferenceTables } from './carrier-reference-tables.ts'
import { CHALLENGE_CALLS, challengeTable } from './challenge-table.ts'
import { BUSY_TIMEOUT_MS, openWriter } from './database.ts'
import { ENDPOINT_CALLS, endpointTable } from './endpoint-table.ts'
import { ERASURE_CALLS, erasureTable } from './erasure-table.ts'
import { EventTables } from './event-tables.ts'
import { eventTimes } from './event-times.ts'
import { Filer } from './filer.ts'
import { JournalReader, journalPathOf } from './journal/journal-file.ts'
import { JournalOpening } from './journal/journal-opening.ts'
import type { JournalProgress } from './journal/progress.ts'
import { LIMIT_CALLS, limitTables } from './limit-tables.ts'
import { ListingTables } from './listing-tables.ts'
import { MessageNumbers } from './message-numbers.ts'
import { RECIPIENT_CALLS, recipientTable } from './recipient-table.ts'
import { recovery } from './recovery.ts'
import { ROUTE_CALLS, routeTable } from './route-table.ts'
import { SUPPRESSION_CALLS, suppressionTable } from './suppression-table.ts'
import { TEMPLATE_CALLS, templateTable } from './template-table.ts'
import { WalSync } from './wal-sync.ts'
import { DELIVERY_CALLS, webhookDeliveryTable } from './webhook-delivery-table.ts'
import { WriteProof } from './write-proof.ts'

export type StoreOptions = Readonly<{
  path: string
  clock: Clock
  sealer: Sealer
  /** Opens the frames of the journal. */
  sealing: OpenFrameSealer
  progress: JournalProgress
  indexBodies: boolean
}>

export type Store = ReturnType<typeof openStore>
export type StoreMethods = Store['methods']

/** Opens the tables and files what the journal still holds. */
export function openStore(options: StoreOptions) {
  const { path, clock, progress } = options
  const db = openWriter(path)
  checkKey(db, options.sealer.mark, path)
  const opening = new JournalOpening(db, path)
  const journal = new JournalReader(journalPathOf(path), options.sealing)
  const wal = new WalSync(path)
  const tables = openTables(db, journal, options)
  const { filer, numbers, listing, endpoints } = tables
  const proof = new WriteProof(db, clock)
  let proven = (): void => undefined

  const store = {
    path,
    now: clock,
    methods: {
      ...toMethods(db, tables, opening),
      ...separateTables(db, clock),
      proveWritable: proof.prove.bind(proof),
      truncateJournal: () => journal.truncate(),
    },

    ...toFiling(tables),
    checkpointJournal: () => journal.checkpoint(),

    begin(): void {
      db.exec('begin immediate')
      proof.begun()
    },
    commit(): void {
      db.exec('commit')
      proven = proof.committed()
      filer.committed()
    },

    /** Undoes everything since `begin`, in the tables and in memory. */
    rollback(): void {
      proof.failed()
      if (db.isTransaction) db.exec('rollback')
      for (const table of [numbers, filer, listing, endpoints]) table.recall()
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
      transact(store, () => filer.fileAll())
      if (filer.filedFrame === progress.durable) opening.close()
      wal[Symbol.dispose]()
      progress.filed = filer.filedFrame
      journal[Symbol.dispose]()
      db.close()
    },
  }
  progress.durable = filer.last
  transact(store, () => filer.fileAll())
  wal.force()
  progress.filed = filer.filedFrame
  return store
}

type Tables = ReturnType<typeof openTables>

/** The tables that the journal is filed in. */
function openTables(db: DatabaseSync, journal: JournalReader, { sealer, progress, indexBodies }: StoreOptions) {
  const numbers = new MessageNumbers(db)
  const events = new EventTables(db, sealer)
  const listing = new ListingTables(db, (id) => numbers.find(id) ?? numbers.add(id, null))
  const endpoints = endpointTable(db)
  const deliveries = webhookDeliveryTable(db, endpoints.hasAny)
  const webhooks = { hasEndpoints: endpoints.hasAny, enqueue: deliveries.enqueueDeliveries }
  const filer = new Filer({ db, journal, progress, numbers, events, listing, sealer, indexBodies, webhooks })
  return { numbers, listing, endpoints, deliveries, filer }
}

const toFiling = ({ filer, numbers, listing }: Tables) => ({
  /** Reads what is new in the journal. Whether it or an index has entries to file; `file` files some. */
  isFilingDue(): boolean {
    filer.ingest()
    return filer.isDue() || numbers.isFilingDue() || listing.isFilingDue()
  },
  file(): void {
    if (filer.isDue()) filer.file()
    else if (numbers.isFilingDue()) numbers.file()
    else listing.file()
  },
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

/** Tables that are independent of each other. */
const separateTables = (db: DatabaseSync, clock: Clock) => ({
  ...challengeTable(db),
  ...erasureTable(db),
  ...directoryTables(db, clock),
  ...limitTables(db),
  ...carrierReferenceTables(db, clock),
  ...routeTable(db),
})

/** Tables of the directory. */
const directoryTables = (db: DatabaseSync, clock: Clock) => ({
  ...recipientTable(db, clock),
  ...suppressionTable(db),
  ...templateTable(db),
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

function toMethods(db: DatabaseSync, { filer, listing, endpoints, deliveries }: Tables, opening: JournalOpening) {
  return {
    shred: (id: MessageId, keep?: 'searchable'): void => filer.shred(id, keep),
    load: (id: MessageId) => filer.events.load(id),
    content: (id: MessageId) => filer.events.content(id),
    read: (id: MessageId) => filer.events.read(id),
    page: (after: number, limit: number) => filer.events.page(after, limit),
    changes: (after: number, limit: number) => filer.events.changes(after, limit),
    ...eventTimes(db, filer),
    ...recovery(db, filer, opening),
    position: () => listing.position(),
    apply: listing.apply.bind(listing),
    tombstone: listing.tombstone.bind(listing),
    clear: listing.clear.bind(listing),
    ...endpoints.methods,
    ...deliveries,
  }
}

/** Writes share a transaction, reads come after it, and the index has transactions of its own. */
export type CallKind = 'write' | 'read' | 'background'

export const CALL_KINDS: Readonly<Record<keyof StoreMethods, CallKind>> = {
  proveWritable: 'write',
  shred: 'write',
  load: 'read',
  content: 'read',
  read: 'read',
  positionBefore: 'write',
  page: 'read',
  changes: 'read',
  truncateJournal: 'read',
  recovered: 'read',
  waitingJobs: 'read',
  ids: 'read',
  position: 'read',
  apply: 'background',
  tombstone: 'background',
  clear: 'background',
  ...CHALLENGE_CALLS,
  ...ERASURE_CALLS,
  ...RECIPIENT_CALLS,
  ...SUPPRESSION_CALLS,
  ...TEMPLATE_CALLS,
  ...LIMIT_CALLS,
  ...CARRIER_REFERENCE_CALLS,
  ...ROUTE_CALLS,
  ...ENDPOINT_CALLS,
  ...DELIVERY_CALLS,
}
