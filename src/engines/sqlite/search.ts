/** Queries of the message index. They run on a connection of their own, so a long one delays no write. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { EmailStatus } from '../../domain/email/pipeline.ts'
import { instant } from '../../lib/time.ts'
import type {
  ErrorCount,
  ErrorQuery,
  Filter,
  OverdueQuery,
  Query,
  StatsBucket,
  StatsQuery,
} from '../../ports/message-index.ts'
import type { RecipientQuery } from '../../ports/recipients.ts'
import type { SuppressionQuery } from '../../ports/suppressions.ts'
import type { WebhookDeliveryQuery } from '../../ports/webhook-deliveries.ts'
import { countErrors, countStats } from './figures.ts'
import { RECIPIENTS } from './listing-tables.ts'
import { NUMBERED } from './message-numbers.ts'
import { UNCHECKED } from './recipient-check.ts'
import { searchRecipients } from './recipient-search.ts'
import type { RecipientRow } from './recipient-table.ts'
import { listSuppressions } from './suppression-list.ts'
import type { SuppressionRow } from './suppression-table.ts'
import { toBytes } from './uuid.ts'
import { listWebhookDeliveries } from './webhook-delivery-list.ts'
import type { WebhookDeliveryRow } from './webhook-delivery-table.ts'

/** Facts and state as shared/codec.ts decodes them; searchable is JSON. */
export type StateRow = readonly [facts: string, state: string]
export type FoundRow = readonly [createdAt: number, n: number, ...StateRow, searchable: string | null]
export type OverdueRow = readonly [since: number, n: number, ...StateRow]

export function openSearch(db: DatabaseSync) {
  return {
    search(query: Query): readonly FoundRow[] {
      const { sql, values } = toSearch(query)
      return db
        .prepare(`select created_at, n, facts, state, searchable ${sql}`)
        .all(...values)
        .map((row) => [
          Number(row['created_at']),
          Number(row['n']),
          String(row['facts']),
          String(row['state']),
          typeof row['searchable'] === 'string' ? row['searchable'] : null,
        ])
    },

    overdue({ kind, after = LONG_AGO, through, limit, cursor }: OverdueQuery): readonly OverdueRow[] {
      const since = kind === 'silent' ? 'silent_since' : 'stalled_since'
      // After `after`, or after the last row of the previous page.
      const [from, n] = cursor === undefined ? [after, Number.MAX_SAFE_INTEGER] : parseCursor(cursor)
      return db
        .prepare(`
          select ${since} as since, n, facts, state from listing
          where (${since}, n) > (?, ?) and ${since} <= ? order by ${since}, n limit ?
        `)
        .all(from, n, through, limit)
        .map((row) => [Number(row['since']), Number(row['n']), String(row['facts']), String(row['state'])])
    },

    stats: (query: StatsQuery): readonly StatsBucket[] => countStats(db, query),

    errors: (query: ErrorQuery): readonly ErrorCount[] => countErrors(db, query),

    searchRecipients: (query: RecipientQuery): readonly RecipientRow[] => searchRecipients(db, query),

    listSuppressions: (query: SuppressionQuery): readonly SuppressionRow[] => listSuppressions(db, query),

    listWebhookDeliveries: (query: WebhookDeliveryQuery): readonly WebhookDeliveryRow[] =>
      listWebhookDeliveries(db, query),
  }
}

/** Which rows match, in which order; the index that has the order covers all conditions. */
export function toSearch({
  tenantId,
  filter,
  limit,
  cursor,
}: Query): Readonly<{ sql: string; values: SQLInputValue[] }> {
  const where = new Conditions()
  where.add('tenant = ?', tenantId)
  addFilter(where, filter, tenantId)
  if (cursor !== undefined) where.add('(created_at, n) < (?, ?)', ...parseCursor(cursor))
  const sql = `from listing where ${where.sql} order by created_at desc, n desc limit ?`
  return { sql, values: [...where.values, limit] }
}

/** Before every `since`. */
const LONG_AGO = instant(-1)

class Conditions {
  readonly values: SQLInputValue[] = []
  readonly #terms: string[] = []

  add(term: string, ...values: SQLInputValue[]): void {
    this.#terms.push(term)
    this.values.push(...values)
  }

  get sql(): string {
    return this.#terms.join(' and ')
  }
}

/** Uses the index of recipients, and scans where it is not filled or not repaired yet. */
const TO = `n in (
  select n from listing_to where to_key = ?
  union all select n from listing where n > coalesce((select position from progress where name = ?), 0) and to_key = ?
  union all select n from listing where n <= coalesce((select position from progress where name = ?), 0) and to_key = ?
)`

/** Uses the index of ids, and scans where it is not filled yet. */
const ID = `n in (
  select n from message_ids where id = ?
  union all select n from messages where n > coalesce((select position from progress where name = ?), 0) and id = ?
)`

/** Only mail is indexed by the provider's message id: for SMS the index would cost more than it saves. */
const NAMED = `n in (select n from listing where channel = 'email' and provider_message_id = ?)`

const PHASE = `state ->> '$[3]'`
const OF_STATUS: Readonly<Record<EmailStatus, string>> = {
  RECEIVED: `handoff_state = 'queued'`,
  SENT_ATTEMPT: `handoff_state = 'sending' and ${PHASE} <> 'closed'`,
  RETRY_SCHEDULED: `handoff_state = 'sending' and ${PHASE} = 'closed'`,
  SENT: `handoff_state = 'handed_off'`,
  FAILED: `handoff_state = 'failed'`,
}

function addFilter(where: Conditions, filter: Filter, tenant: string): void {
  const equal = {
    channel: filter.channel,
    status: filter.status,
    handoff_state: filter.handoffState,
    provider_state: filter.providerState,
    provider: filter.provider,
    lane: filter.lane,
    dead: filter.dead === undefined ? undefined : Number(filter.dead),
    outcome_unknown: filter.unknown === undefined ? undefined : Number(filter.unknown),
  }
  for (const [column, value] of Object.entries(equal)) if (value !== undefined) where.add(`${column} = ?`, value)
  if (filter.createdFrom !== undefined) where.add('created_at >= ?', filter.createdFrom)
  if (filter.createdTo !== undefined) where.add('created_at < ?', filter.createdTo)
  addMailFilter(where, filter)
  if (filter.toKey !== undefined) addRecipient(where, filter.toKey)
  if (filter.tag !== undefined) {
    where.add('n in (select n from listing_tags where tenant = ? and tag = ?)', tenant, filter.tag)
  }
  const match = filter.text === undefined ? undefined : toMatch(filter.text)
  if (match !== undefined) where.add('n in (select rowid from listing_words where listing_words match ?)', match)
}

const addRecipient = (where: Conditions, key: string): void => where.add(TO, key, RECIPIENTS, key, UNCHECKED, key)

/** Filters of mail; the ids also apply to SMS. */
function addMailFilter(where: Conditions, { id, channel, providerMessageId: name, emailStatus }: Filter): void {
  if (id !== undefined) where.add(ID, toBytes(id), NUMBERED, toBytes(id))
  if (name !== undefined) where.add(channel === 'email' ? NAMED : 'provider_message_id = ?', name)
  if (emailStatus !== undefined) where.add(OF_STATUS[emailStatus])
}

/** Every word is quoted, so that no input is an operator; the last one is a prefix. Without words there is no condition. */
function toMatch(text: string): string | undefined {
  const words = text.match(/[\p{L}\p{N}]+/gu) ?? []
  return words.length === 0 ? undefined : `${words.map((word) => `"${word}"`).join(' ')}*`
}

export const toCursor = (at: number, n: number): string => `${at.toString(36)}.${n.toString(36)}`

/** A malformed cursor matches no page. */
function parseCursor(cursor: string): [number, number] {
  const [at = Number.NaN, n = Number.NaN] = cursor.split('.').map((part) => Number.parseInt(part, 36))
  return Number.isSafeInteger(at) && Number.isSafeInteger(n) ? [at, n] : [0, 0]
}
