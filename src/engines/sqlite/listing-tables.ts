/** The message index in tables, as the projector writes it. */
import type { DatabaseSync } from 'node:sqlite'
import type { MessageId } from '../../domain/ids.ts'
import type { Searchable } from '../../domain/message/message.ts'
import { silentSince, stalledSince } from '../../domain/message/overdue.ts'
import { isForgotten } from '../../domain/message/searchable.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { toStatus } from '../../domain/message/states.ts'
import type { Projection } from '../../ports/message-index.ts'
import { encodeMessage, encodeState } from '../shared/codec.ts'
import { LateIndex } from './late-index.ts'
import { RecipientCheck, UNCHECKED } from './recipient-check.ts'

/** The row of `progress` for the filing of recipients. */
export const RECIPIENTS = 'recipients'

/** The index refers to messages by number, whether the log has them or not. */
type NumberOf = (id: MessageId) => number

export class ListingTables {
  readonly #db: DatabaseSync
  readonly #sql: ReturnType<typeof prepare>
  readonly #numberOf: NumberOf
  readonly #check: RecipientCheck
  #recipients: LateIndex

  constructor(db: DatabaseSync, numberOf: NumberOf) {
    this.#db = db
    this.#sql = prepare(db)
    this.#numberOf = numberOf
    this.#check = new RecipientCheck(db)
    this.#recipients = this.recall()
  }

  /** Reloads the cached state from the tables. */
  recall(): LateIndex {
    this.#recipients = new LateIndex(this.#db, {
      name: RECIPIENTS,
      unfiled: 'select n, to_key as key from listing where n > ? and to_key is not null order by n',
      file: 'insert or ignore into listing_to (n, to_key) values (?, ?)',
    })
    this.#check.recall()
    return this.#recipients
  }

  isFilingDue(): boolean {
    return this.#recipients.isDue() || this.#check.isDue()
  }

  file(): void {
    if (this.#recipients.isDue()) this.#recipients.file()
    else this.#check.step()
  }

  apply(projections: readonly Projection[], through: number): void {
    for (const projection of projections) this.#write(projection)
    this.#sql.advance.run(through)
  }

  position(): number {
    return Number(this.#sql.position.get()?.['position'] ?? 0)
  }

  tombstone(id: MessageId): void {
    this.#forget(this.#numberOf(id))
  }

  clear(): void {
    this.#db.exec(`
      delete from listing; delete from listing_to; delete from listing_tags; delete from listing_words;
      delete from progress where name in ('index', '${RECIPIENTS}', '${UNCHECKED}')
    `)
    this.recall()
  }

  #write({ state, position, searchable }: Projection): void {
    const n = this.#numberOf(state.id)
    const listed = this.#sql.listed.get(n)
    if (listed !== undefined && Number(listed['seq']) >= position) return

    const fresh = isForgotten(state) || listed?.['searched'] === 1 ? undefined : searchable
    const columns = toColumns(state, position)
    const searched = [fresh?.toKey ?? null, fresh === undefined ? null : JSON.stringify(fresh)] as const
    if (listed === undefined) this.#sql.insert.run(n, ...columns, ...searched)
    else this.#sql.update.run(...columns, ...searched, n)

    if (fresh !== undefined) this.#recipients.add(n, fresh.toKey)
    // Few mails have copies, so these are filed at once.
    for (const key of fresh?.copyKeys ?? []) this.#sql.insertCopy.run(n, key)
    for (const tag of fresh?.tags ?? []) this.#sql.insertTag.run(state.tenantId, tag, n)
    const errorMoved = (listed?.['error_code'] ?? null) !== (state.errorCode ?? null)
    if (listed === undefined) this.#addWords(n, toWords(state, fresh))
    else if (fresh !== undefined || errorMoved) this.#writeWords(n, state)
    if (isForgotten(state)) this.#forget(n)
  }

  #writeWords(n: number, state: MessageState): void {
    this.#sql.deleteWords.run(n)
    this.#addWords(n, toWords(state, storedSearchable(this.#sql.searchable.get(n)?.['searchable'])))
  }

  #addWords(n: number, words: string): void {
    if (words !== '') this.#sql.insertWords.run(n, words)
  }

  #forget(n: number): void {
    this.#recipients.remove(n)
    this.#sql.deleteRecipient.run(n, n)
    this.#sql.deleteCopies.run(n, n)
    this.#sql.forget.run(n)
    this.#sql.deleteTags.run(n)
    this.#sql.deleteWords.run(n)
  }
}

/** In the order of the statements below, from `seq` to `state`. */
function toColumns(state: MessageState, position: number) {
  const status = toStatus(state)
  return [
    position,
    state.tenantId,
    state.createdAt,
    state.channel,
    state.lane,
    status,
    state.handoffState,
    state.providerState,
    state.provider ?? null,
    state.providerMessageId ?? null,
    state.errorCode ?? null,
    state.dead && status !== 'delivered' ? 1 : 0,
    state.phase === 'unknown' ? 1 : 0,
    state.handedOffAt ?? null,
    state.endedAt ?? null,
    silentSince(state) ?? null,
    stalledSince(state) ?? null,
    encodeMessage(state),
    encodeState(state),
  ] as const
}

function prepare(db: DatabaseSync) {
  return {
    listed: db.prepare('select seq, error_code, searchable is not null as searched from listing where n = ?'),
    searchable: db.prepare('select searchable from listing where n = ?'),
    insert: db.prepare(`
      insert into listing (n, seq, tenant, created_at, channel, lane, status, handoff_state, provider_state, provider,
        provider_message_id, error_code, dead, outcome_unknown, handed_off_at, ended_at, silent_since, stalled_since, facts,
        state, to_key, searchable)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    `),
    update: db.prepare(`
      update listing set seq = ?, tenant = ?, created_at = ?, channel = ?, lane = ?, status = ?, handoff_state = ?,
        provider_state = ?, provider = ?, provider_message_id = ?, error_code = ?, dead = ?, outcome_unknown = ?, handed_off_at = ?, ended_at = ?,
        silent_since = ?, stalled_since = ?, facts = ?, state = ?, to_key = coalesce(?, to_key),
        searchable = coalesce(?, searchable)
      where n = ?
    `),
    insertTag: db.prepare('insert or ignore into listing_tags (tenant, tag, n) values (?, ?, ?)'),
    insertWords: db.prepare('insert into listing_words (rowid, words) values (?, ?)'),
    deleteWords: db.prepare('delete from listing_words where rowid = ?'),
    deleteTags: db.prepare('delete from listing_tags where n = ?'),
    insertCopy: db.prepare('insert or ignore into listing_to (n, to_key) values (?, ?)'),
    deleteCopies: db.prepare(`
      delete from listing_to where n = ? and to_key in (
        select value from json_each((select searchable from listing where n = ?), '$.copyKeys')
      )
    `),
    deleteRecipient: db.prepare(
      'delete from listing_to where to_key = (select to_key from listing where n = ?) and n = ?',
    ),
    forget: db.prepare('update listing set to_key = null, searchable = null where n = ?'),
    advance: db.prepare(`
      insert into progress (name, position) values ('index', ?)
      on conflict (name) do update set position = max(position, excluded.position)
    `),
    position: db.prepare(`select position from progress where name = 'index'`),
  }
}

function toWords({ errorCode, errorDetail }: MessageState, searchable: Searchable | undefined): string {
  const { tags = [], metadata = {}, subject, body } = searchable ?? {}
  return [...tags, ...Object.values(metadata), subject, body, errorCode, errorDetail]
    .filter((word) => word !== undefined)
    .join(' ')
}

const storedSearchable = (json: unknown): Searchable | undefined =>
  typeof json === 'string' ? (JSON.parse(json) as Searchable) : undefined
