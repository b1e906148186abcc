/**
 * Moves the messages of an earlier release into the tables of this one, before anything else uses them. Each
 * transaction takes the next events of the log, adds their messages and deletes what was moved: after a crash the next
 * start goes on from there. The order of the log is kept, so it can be followed from any position.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Instant } from '../../../lib/time.ts'
import type { Position } from '../../../ports/event-log.ts'
import type { Sealer } from '../../../ports/sealer.ts'
import type { ChangedMessage } from '../../../ports/webhook-deliveries.ts'
import type { MessageTuple } from '../../shared/codec.ts'
import { asDamage } from '../damage.ts'
import { endpointTable } from '../endpoints.ts'
import { compact } from '../new-database.ts'
import { webhookDeliveryTable } from '../webhook-deliveries.ts'
import {
  DROP_EARLIER_TABLES,
  type EarlierMessage,
  EarlierTables,
  EMPTY_EARLIER_TABLES,
  hasEarlierTables,
} from './earlier-tables.ts'
import { timeOf } from './event-codec.ts'
import { FiledMessages } from './filed-messages.ts'
import { Filings } from './filings.ts'
import { IdFilters } from './id-filters.ts'

/** Called with the number of events that were moved, and of all. */
export type OnTakeOver = (done: number, total: number) => void

export type TakeOverOptions = Readonly<{
  path: string
  sealer: Pick<Sealer, 'seal' | 'open'>
  onTakeOver?: OnTakeOver
  /** So many events are moved in one transaction. */
  step?: number
}>

/** The events of some hundred messages. */
const STEP = 1024

/** Does nothing if there is nothing to take over. */
export function takeOver(db: DatabaseSync, { path, sealer, onTakeOver, step = STEP }: TakeOverOptions): void {
  if (!hasEarlierTables(db)) return
  try {
    const takingOver = new TakeOver(db, sealer)
    const total = takingOver.last
    for (let done: number | undefined = 0; done !== undefined; done = takingOver.step(step)) onTakeOver?.(done, total)
    transact(db, () => db.exec(EMPTY_EARLIER_TABLES))
    compact(db, path)
    transact(db, () => db.exec(DROP_EARLIER_TABLES))
    db.exec('pragma wal_checkpoint(truncate)')
  } catch (error) {
    throw asDamage(path, error)
  }
}

class TakeOver {
  readonly #db: DatabaseSync
  readonly #earlier: EarlierTables
  readonly #messages: FiledMessages
  readonly #filings: Filings
  readonly #enqueue: (changes: readonly ChangedMessage[]) => void
  readonly #queuedThrough: number
  /** The time of the newest event that was moved. */
  #at: number

  constructor(db: DatabaseSync, sealer: TakeOverOptions['sealer']) {
    this.#db = db
    this.#earlier = new EarlierTables(db)
    this.#messages = new FiledMessages(db, sealer, new IdFilters(db))
    this.#filings = new Filings(db)
    this.#enqueue = webhookDeliveryTable(db, endpointTable(db).hasAny).background.enqueue
    this.#queuedThrough = this.#earlier.queuedThrough()
    this.#at = this.#filings.last()?.at ?? 0
  }

  get last(): number {
    return this.#earlier.last()
  }

  /** Moves up to `limit` events. The position up to which everything is moved, or undefined if that is everything. */
  step(limit: number): number | undefined {
    return transact(this.#db, () => this.#move(limit))
  }

  #move(limit: number): number | undefined {
    const events = this.#earlier.page(limit)
    const through = events.at(-1)?.seq
    if (through === undefined) return undefined
    const added: number[] = []
    const others: number[] = []
    for (const n of new Set(events.map(({ n }) => n))) {
      const found = this.#earlier.read(n)
      if (typeof found === 'number') others.push(found)
      else added.push(this.#add(n, found))
    }
    this.#messages.flush()
    while (this.#messages.isFilingDue()) this.#messages.fileNames()
    this.#earlier.deleteEvents(through)
    this.#at = events.reduce((newest, { at }) => Math.max(newest, at), this.#at)
    const range = { first: added[0] ?? 0, last: added.at(-1) ?? -1 }
    this.#filings.add({ newest: through, at: this.#at, through, added: range, others })
    return through
  }

  #add(n: number, message: EarlierMessage): number {
    const moved = this.#messages.add(message)
    this.#earlier.markMoved(n, moved)
    if (message.last > this.#queuedThrough) this.#enqueue([toChanged(message)])
    return moved
  }
}

function toChanged({ facts, events, last }: EarlierMessage): ChangedMessage {
  const [messageId, tenantId, accountId, , , , , , , , , callback] = JSON.parse(facts) as MessageTuple
  const at = timeOf(`[${events.at(-1)}]`, last) as Instant
  return { messageId, tenantId, accountId, position: last as Position, hasCallback: callback === true, at }
}

function transact<Result>(db: DatabaseSync, act: () => Result): Result {
  db.exec('begin immediate')
  try {
    const result = act()
    db.exec('commit')
    return result
  } catch (error) {
    if (db.isTransaction) db.exec('rollback')
    throw error
  }
}
