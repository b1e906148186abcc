/** Deletes messages that are no longer kept, some at a time, and gives the space back to the file system. */
import type { DatabaseSync } from 'node:sqlite'
import type { MessageId, TenantId } from '../../../domain/ids.ts'
import type { Channel } from '../../../domain/message/message.ts'
import { isPrunable, type RetentionPolicy, retentionOf } from '../../../domain/message/retention.ts'
import type { Instant } from '../../../lib/time.ts'
import { SPANS } from '../../shared/figures.ts'
import { decodeState } from './event-codec.ts'
import type { FiledMessages } from './filed-messages.ts'
import type { Filings } from './filings.ts'
import type { IdFilters } from './id-filters.ts'
import { toMessageRow } from './message-table.ts'

type PruningDeps = Readonly<{ db: DatabaseSync; messages: FiledMessages; filings: Filings; ids: IdFilters }>

/** A message, and its newest event. */
export type Prunable = readonly [id: MessageId, seq: number]

/** Pages of the file that are given back in one transaction. */
const PAGES = 1024
const MESSAGES_PER_PAGE = 256

export class Pruning {
  readonly #deps: PruningDeps
  readonly #sql: ReturnType<typeof prepare>

  constructor(deps: PruningDeps) {
    this.#deps = deps
    this.#sql = prepare(deps.db)
  }

  /** Up to `limit` messages that the policy no longer keeps. Everything must be filed. */
  find(policy: RetentionPolicy, now: Instant, limit: number): readonly Prunable[] {
    const found: Prunable[] = []
    for (const { shape, tenant, channel } of this.#sql.shapes.all()) {
      const kept = retentionOf(policy, tenant as TenantId, channel as Channel)
      if (kept === undefined) continue
      for (const row of this.#createdBefore(Number(shape), now - kept)) {
        if (found.length >= limit) return found
        const { seq, facts, events } = toMessageRow(row)
        const state = decodeState(facts, events)
        if (isPrunable(policy, state, now)) found.push([state.id, seq])
      }
    }
    return found
  }

  /** Deletes those of the messages that have not changed since. In a transaction; everything must be filed. */
  delete(prunable: readonly Prunable[]): number {
    const { messages } = this.#deps
    let deleted = 0
    for (const [id, seq] of prunable) {
      const row = messages.find(id)
      if (row?.seq !== seq) continue
      messages.delete(row)
      this.#sql.deleteDeliveries.run(id)
      this.#sql.deleteAttempts.run(id)
      this.#sql.deleteReceipts.run(id)
      deleted += 1
    }
    messages.flush()
    this.#forgetBefore(Number(this.#sql.first.get()?.['n']))
    this.#sql.giveBack.all()
    return deleted
  }

  stored(): Readonly<{ messages: number; oldest: number | undefined }> {
    const oldest = this.#sql.shapes.all().flatMap(({ shape }) => this.#sql.oldest.get(Number(shape))?.['at'] ?? [])
    const messages = Number(this.#sql.count.get(SPANS[2])?.['count'] ?? 0)
    return { messages, oldest: oldest.length === 0 ? undefined : Math.min(...oldest.map(Number)) }
  }

  /** Oldest first. Those that wait for a worker are left out. */
  *#createdBefore(shape: number, before: number) {
    for (let [at, n] = [-1, 0]; ; ) {
      const rows = this.#sql.created.all(shape, at, n, before, MESSAGES_PER_PAGE)
      yield* rows
      const last = rows.at(-1)
      if (last === undefined) return
      ;[at, n] = [Number(last['created_at']), Number(last['n'])]
    }
  }

  /** What is stored about many messages at once is deleted with the last of them. */
  #forgetBefore(first: number): void {
    const { messages, filings, ids } = this.#deps
    messages.forgetNamesBefore(first)
    filings.removeBefore(first)
    ids.removeBefore(first)
  }
}

const prepare = (db: DatabaseSync) => ({
  shapes: db.prepare('select shape, tenant, channel from shapes'),
  created: db.prepare(`
    select created_at, n, seq, facts, events, searchable, checksum from messages
    where shape = ? and (created_at, n) > (?, ?) and created_at < ? and stalled_since is null
    order by created_at, n limit ?
  `),
  oldest: db.prepare('select min(created_at) as at from messages where shape = ?'),
  count: db.prepare('select sum(count) as count from counts where span = ?'),
  /** Numbers of deleted messages are not used again. */
  first: db.prepare('select coalesce((select min(n) from messages), (select max(last) + 1 from filings), 1) as n'),
  deleteDeliveries: db.prepare('delete from webhook_deliveries where message = ?'),
  deleteAttempts: db.prepare('delete from webhook_attempts where message = ?'),
  deleteReceipts: db.prepare('delete from receipt_deliveries where message = ?'),
  giveBack: db.prepare(`pragma incremental_vacuum(${PAGES})`),
})
