/** All tables, as used by the one thread that writes them. */
import type { DatabaseSync } from 'node:sqlite'
import type { MessageId, TenantId } from '../../domain/ids.ts'
import type { Lane } from '../../domain/message/message.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Sealer } from '../../ports/sealer.ts'
import { CARRIER_REFERENCE_CALLS, carrierReferenceTables } from './carrier-reference-tables.ts'
import { CHALLENGE_CALLS, challengeTable } from './challenge-table.ts'
import { BUSY_TIMEOUT_MS, openWriter } from './database.ts'
import { ENDPOINT_CALLS, endpointTable } from './endpoint-table.ts'
import { ERASURE_CALLS, erasureTable } from './erasure-table.ts'
import { EventTables, type LoadedRow } from './event-tables.ts'
import { eventTimes } from './event-times.ts'
import { JobTable } from './job-table.ts'
import { LIMIT_CALLS, limitTables } from './limit-tables.ts'
import { ListingTables } from './listing-tables.ts'
import { MessageNumbers } from './message-numbers.ts'
import { RECIPIENT_CALLS, recipientTable } from './recipient-table.ts'
import { ROUTE_CALLS, routeTable } from './route-table.ts'
import { SUPPRESSION_CALLS, suppressionTable } from './suppression-table.ts'
import { TEMPLATE_CALLS, templateTable } from './template-table.ts'
import { WalSync } from './wal-sync.ts'
import { DELIVERY_CALLS, webhookDeliveryTable } from './webhook-delivery-table.ts'
import { WriteProof } from './write-proof.ts'

export type StoreOptions = Readonly<{ path: string; clock: Clock; sealer: Sealer; indexBodies: boolean }>

export type Store = ReturnType<typeof openStore>
export type StoreMethods = Store['methods']

export function openStore({ path, clock, sealer, indexBodies }: StoreOptions) {
  const db = openWriter(path)
  checkKey(db, sealer.mark, path)
  const wal = new WalSync(path)
  const numbers = new MessageNumbers(db)
  const jobs = new JobTable(db, clock)
  const events = new EventTables(db, numbers, jobs, { sealer, indexBodies })
  const listing = new ListingTables(db, (id) => events.ensureNumber(id))
  const endpoints = endpointTable(db)
  const proof = new WriteProof(db, clock)
  let proven = (): void => undefined

  const methods = {
    proveWritable: proof.prove.bind(proof),
    ...toMethods(events, jobs, listing),
    ...eventTimes(db, () => events.tip()),
    ...separateTables(db, clock),
    ...endpoints.methods,
    ...webhookDeliveryTable(db, endpoints.hasAny),
  }

  return {
    path,
    methods,
    nextDue: () => jobs.nextDue(),
    promote: () => jobs.promote(),

    /** Whether an index has entries to file; `file` files a few. */
    isFilingDue: () => numbers.isFilingDue() || listing.isFilingDue(),
    file(): void {
      if (numbers.isFilingDue()) numbers.file()
      else listing.file()
    },

    now: clock,
    signals: () => ({ tip: events.tip(), readied: jobs.readied() }),

    begin(): void {
      db.exec('begin immediate')
      proof.begun()
    },
    commit(): void {
      db.exec('commit')
      proven = proof.committed()
    },

    /** Undoes everything since `begin`, in the tables and in memory. */
    rollback(): void {
      proof.failed()
      if (db.isTransaction) db.exec('rollback')
      for (const tables of [numbers, events, jobs, listing, endpoints]) tables.recall()
    },

    /** Moves the write-ahead log into the file and truncates it; false while a reader blocks it. */
    truncateWal: (): boolean => withoutWaiting(db, () => isDone(db.prepare('pragma wal_checkpoint(truncate)').get())),

    /** Calls back once everything committed so far is on disk. */
    whenDurable(done: () => void): void {
      const prove = proven
      wal.after(() => {
        prove()
        done()
      })
    },

    close(): void {
      wal[Symbol.dispose]()
      db.close()
    },
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

function toMethods(events: EventTables, jobs: JobTable, listing: ListingTables) {
  const ofMessage = (id: MessageId, act: (n: number) => void): void => {
    const n = events.numberOf(id)
    if (n !== undefined) act(n)
  }

  /** An unreadable message must not prevent the others from being taken: loading it reports the error. */
  const peek = (id: MessageId): LoadedRow | undefined => {
    try {
      return events.peek(id)
    } catch {
      return undefined
    }
  }

  return {
    append: events.append.bind(events),
    shred: events.shred.bind(events),
    done: (id: MessageId, leaseToken: number): void => ofMessage(id, (n) => jobs.done(n, leaseToken)),
    release: (
      id: MessageId,
      leaseToken: number,
      lane: Lane,
      tenant: TenantId,
      dueAt: number,
      gate: string | null,
    ): void => ofMessage(id, (n) => jobs.release(n, leaseToken, lane, tenant, dueAt, gate)),
    unpark: jobs.unpark.bind(jobs),
    put: (id: MessageId, lane: Lane, tenant: TenantId, dueAt: number | null): boolean =>
      jobs.put(events.ensureNumber(id), lane, tenant, dueAt),
    latest: events.latest.bind(events),
    load: events.load.bind(events),
    read: events.read.bind(events),
    page: events.page.bind(events),
    changes: events.changes.bind(events),
    tip: events.tip.bind(events),
    /** Each job comes with its message, which the worker loads next. */
    take: (max: number) => jobs.take(max).map((taken) => ({ taken, loaded: peek(taken[0]) })),
    depth: jobs.depth.bind(jobs),
    position: listing.position.bind(listing),
    apply: listing.apply.bind(listing),
    tombstone: listing.tombstone.bind(listing),
    clear: listing.clear.bind(listing),
  }
}

/** Writes share a transaction, reads come after it, and the index has transactions of its own. */
export type CallKind = 'write' | 'read' | 'background'

export const CALL_KINDS: Readonly<Record<keyof StoreMethods, CallKind>> = {
  proveWritable: 'write',
  append: 'write',
  shred: 'write',
  done: 'write',
  release: 'write',
  unpark: 'write',
  put: 'write',
  latest: 'read',
  load: 'read',
  read: 'read',
  positionBefore: 'read',
  page: 'read',
  changes: 'read',
  tip: 'read',
  take: 'read',
  depth: 'read',
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
