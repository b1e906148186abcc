/**
 * The tags and words by which messages are searched, in the order of lists; a metadata field, a batch and a template are
 * words. Words are numbered
 * by the time of creation, so that a search can stop after a page.
 */
import type { DatabaseSync } from 'node:sqlite'
import type { Searchable } from '../../../domain/message/message.ts'
import type { MessageState } from '../../../domain/message/state.ts'
import { toMessageTerms, toMetadataTerms } from '../../shared/index-terms.ts'

const WORD_TABLE = `
  create virtual table message_words using fts5 (words, tenant, n unindexed);
  insert into message_words (message_words, rank) values ('secure-delete', 1);
`

export const TERM_TABLES = `
  create table message_tags (
    tenant text not null,
    tag text not null,
    created_at integer not null,
    n integer not null,
    primary key (tenant, tag, created_at, n)
  ) strict, without rowid;
  ${WORD_TABLE}
`

const BITS = 18n
/** So many messages of one millisecond can have words. */
const WORDS_PER_MS = 2n ** BITS
/** The times for which the numbers of words fit into 64 bits: some centuries before and after 1970. */
const FARTHEST = 2 ** 44

/** The words of messages that were created at this time have this number, or one of the next ones. */
export const toWordsId = (createdAt: number): bigint =>
  BigInt(Math.max(-FARTHEST, Math.min(FARTHEST, createdAt))) * WORDS_PER_MS

/** In SQL, when the message of these words was created. */
export const TIME_OF_WORDS = `(message_words.rowid >> ${BITS})`

export class SearchTerms {
  readonly #db: DatabaseSync
  readonly #sql: ReturnType<typeof prepare>

  constructor(db: DatabaseSync) {
    this.#db = db
    this.#sql = prepare(db)
  }

  add(n: number, state: MessageState, searchable: Searchable | undefined): void {
    const { tenantId, createdAt } = state
    for (const tag of searchable?.tags ?? []) this.#sql.insertTag.run(tenantId, tag, createdAt, n)
    this.#addWords(n, state, searchable)
  }

  /** The error of a message is among its words. */
  replaceWords(n: number, state: MessageState, searchable: Searchable | undefined): void {
    const id = this.#findWords(n, state.createdAt)
    if (id !== undefined) this.#sql.deleteWords.run(id)
    this.#addWords(n, state, searchable, id)
  }

  /** Deletes what is personal: only the words of the error stay, the batch and the template. */
  forget(n: number, state: MessageState, searchable: Searchable | undefined): void {
    this.#removeTags(n, state, searchable)
    this.replaceWords(n, state, undefined)
  }

  remove(n: number, state: MessageState, searchable: Searchable | undefined): void {
    this.#removeTags(n, state, searchable)
    const id = this.#findWords(n, state.createdAt)
    if (id !== undefined) this.#sql.deleteWords.run(id)
  }

  /** Deleting all words takes three hundred times as long as dropping their table. */
  clear(): void {
    this.#db.exec(`delete from message_tags; drop table message_words; ${WORD_TABLE}`)
  }

  #removeTags(n: number, { tenantId, createdAt }: MessageState, searchable: Searchable | undefined): void {
    for (const tag of searchable?.tags ?? []) this.#sql.deleteTag.run(tenantId, tag, createdAt, n)
  }

  #addWords(n: number, state: MessageState, searchable: Searchable | undefined, id?: bigint): void {
    const words = toWords(state, searchable)
    if (words === '') return
    this.#sql.insertWords.run(id ?? this.#nextId(state.createdAt), words, state.tenantId, n)
  }

  #findWords(n: number, createdAt: number): bigint | undefined {
    const first = toWordsId(createdAt)
    return this.#sql.findWords.get(first, first + WORDS_PER_MS, n)?.['id'] as bigint | undefined
  }

  #nextId(createdAt: number): bigint {
    const first = toWordsId(createdAt)
    const last = this.#sql.lastWords.get(first, first + WORDS_PER_MS)?.['id']
    return typeof last === 'bigint' ? last + 1n : first
  }
}

function toWords(state: MessageState, searchable: Searchable | undefined): string {
  const terms = toMessageTerms(state)
  const { errorCode, errorDetail } = state
  if (searchable === undefined && errorCode === undefined && terms.length === 0) return ''
  const { tags = [], metadata = {}, subject, body } = searchable ?? {}
  const said = [...tags, ...Object.values(metadata), subject, body, errorCode, errorDetail]
  return [...terms, ...toMetadataTerms(metadata), ...said].filter((word) => word !== undefined).join(' ')
}

function prepare(db: DatabaseSync) {
  // The table in which FTS5 keeps the columns, because it is searched by the number of a row.
  const of = 'from message_words_content where id >= ? and id < ?'
  const findWords = db.prepare(`select id ${of} and c2 = ?`)
  const lastWords = db.prepare(`select max(id) as id ${of}`)
  for (const statement of [findWords, lastWords]) statement.setReadBigInts(true)
  return {
    findWords,
    lastWords,
    insertTag: db.prepare('insert or ignore into message_tags (tenant, tag, created_at, n) values (?, ?, ?, ?)'),
    insertWords: db.prepare('insert into message_words (rowid, words, tenant, n) values (?, ?, ?, ?)'),
    deleteTag: db.prepare('delete from message_tags where tenant = ? and tag = ? and created_at = ? and n = ?'),
    deleteWords: db.prepare('delete from message_words where rowid = ?'),
  }
}
