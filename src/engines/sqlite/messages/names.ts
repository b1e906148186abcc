/**
 * Finds messages by their ids and recipients. Names arrive in random order, and each would dirty a page of its own, which
 * is what a commit costs. So they are kept in chapters: the names of some thousand messages, sorted, at the right edge
 * of the tree. Sixteen chapters of one level are merged into one of the next, so that a look-up probes few. Names of the
 * newest messages are in no chapter yet, but in memory.
 *
 * A name is 48 bits (name-of.ts), so what is found by it must be compared.
 */
import type { DatabaseSync } from 'node:sqlite'
import { hashOf, nameOf, rangeOf } from './name-of.ts'
import { prepareNames } from './name-statements.ts'

export const NAME_TABLES = `
  -- The messages from \`first\` to \`last\`. While chapters are merged \`into_chapter\`, that one counts the ranges done; those
  -- merged into 0 are being deleted.
  create table chapters (
    chapter integer primary key,
    level integer not null,
    first integer not null,
    last integer not null,
    into_chapter integer,
    ranges_done integer
  ) strict;
  create table names (
    chapter integer not null,
    name integer not null,
    n integer not null,
    primary key (chapter, name, n)
  ) strict, without rowid;
`

/** All names in the chapters of earlier releases are hashes. */
export const HASHED_CHAPTERS = 'alter table chapters add column hashed integer not null default 1;'

/** Messages in a chapter of the lowest level. */
export const CHAPTER_MESSAGES = 8192
const MERGED = 16
/** Messages whose names a start keeps in memory at most. */
const MOST_IN_MEMORY = 4 * CHAPTER_MESSAGES
/** Names written in one transaction, which takes a few milliseconds: the longest that a write waits for it. */
const STEP = 1024
const NAMES = 2 ** 48
/** What expired chapters are merged into: no chapter has this number. */
const EXPIRED = 0

type Named = { readonly n: number; names: readonly number[] }
type Entry = readonly [name: number, n: number]
type Draft = Readonly<{ entries: Entry[]; last: number }>
/** The chapter that takes the names of others, and how many ranges of them it has. */
type Merge = Readonly<{ chapter: number; level: number; done: number }>

/** Reads the names of the messages after a number, in order. */
export type ReadNamed = (after: number) => Iterable<Readonly<{ n: number; names: readonly string[] }>>

export class Names {
  readonly #db: DatabaseSync
  readonly #sql: ReturnType<typeof prepareNames>
  readonly #readNamed: ReadNamed
  /** Messages in no chapter, in the order of their numbers. */
  #unfiled: Named[] = []
  readonly #numbers = new Map<number, number[]>()
  /** The entries of the chapter being written, the largest name first, and the last message of it. */
  #draft: Draft | undefined
  /** The last message in a chapter. */
  #last = 0
  #merge: Merge | undefined
  #hasExpired = false
  /** Whether there is a chapter with names as earlier releases stored them. */
  #hasHashed = false

  constructor(db: DatabaseSync, readNamed: ReadNamed) {
    this.#db = db
    this.#sql = prepareNames(db)
    this.#readNamed = readNamed
    this.recall()
  }

  /** Reloads from the tables what is in memory. Not in a transaction. */
  recall(): void {
    this.#unfiled = []
    this.#numbers.clear()
    this.#draft = undefined
    this.#merge = this.#readMerge()
    this.#hasExpired = this.#sql.expired.get(EXPIRED) !== undefined
    this.#hasHashed = this.#sql.hashed.get() !== undefined
    this.#last = Number(this.#sql.last.get()?.['last'])
    for (const { n, names } of this.#readNamed(this.#last)) {
      this.#add(n, names.map(nameOf))
      if (this.#unfiled.length >= MOST_IN_MEMORY) this.#fileAll()
    }
  }

  /** Deletes all names. */
  clear(): void {
    this.#db.exec('delete from names; delete from chapters')
    this.#unfiled = []
    this.#numbers.clear()
    this.#draft = undefined
    this.#merge = undefined
    this.#hasExpired = false
    this.#hasHashed = false
    this.#last = 0
  }

  /** Numbers only grow, but a message may get more names later. */
  add(n: number, texts: readonly string[]): void {
    const names = texts.map(nameOf)
    if (n > this.#last) this.#add(n, names)
    else this.#addLate(n, names)
  }

  /** The numbers of messages that may have this name. */
  find(text: string): readonly number[] {
    const name = nameOf(text)
    const recent = this.#numbers.get(name) ?? []
    const earlier = this.#hasHashed ? this.#sql.findHashed.all(hashOf(text)) : []
    return toNumbers(recent, [...this.#sql.find.all(name), ...earlier])
  }

  /** The numbers of messages whose id may begin with these 8 hexadecimal digits or more. */
  findPrefix(prefix: string): readonly number[] {
    const [from, to] = rangeOf(prefix)
    const recent = [...this.#numbers].flatMap(([name, numbers]) => (from <= name && name < to ? numbers : []))
    return toNumbers(recent, this.#sql.findRange.all(from, to))
  }

  /** Also from the chapter that is being written. */
  remove(n: number, texts: readonly string[]): void {
    for (const name of texts.map(nameOf)) {
      this.#forget(name, (other) => other === n)
      for (const named of this.#unfiled) if (named.n === n) named.names = named.names.filter((other) => other !== name)
      this.#draft = this.#draft && {
        ...this.#draft,
        entries: this.#draft.entries.filter(([a, b]) => a !== name || b !== n),
      }
      this.#sql.remove.run(this.#next(), name, n)
    }
  }

  /** The messages before this one were deleted: chapters that have no others are deleted too, in steps. */
  removeBefore(n: number): void {
    this.#sql.expire.run(EXPIRED, n)
    this.#hasExpired = this.#sql.expired.get(EXPIRED) !== undefined
  }

  isDue(): boolean {
    return this.#isChapterDue() || this.#merge !== undefined || this.#hasExpired
  }

  /** Writes a part of a chapter, merges a part of some, or deletes a part of an expired one. In a transaction. */
  step(): void {
    if (this.#isChapterDue()) this.#writePart(this.#draft ?? this.#begin())
    else if (this.#merge !== undefined) this.#mergeRange(this.#merge)
    else this.#removePart()
  }

  #isChapterDue(): boolean {
    return this.#draft !== undefined || this.#unfiled.length >= CHAPTER_MESSAGES
  }

  #removePart(): void {
    const chapter = this.#sql.expired.get(EXPIRED)?.['chapter']
    this.#hasExpired = chapter !== undefined
    if (chapter === undefined) return
    const { changes } = this.#sql.removePart.run(Number(chapter), Number(chapter), STEP)
    if (changes === 0) this.#sql.removeEmpty.run(Number(chapter))
  }

  /** What a rebuild that did not end has left. */
  #fileAll(): void {
    this.#db.exec('begin immediate')
    while (this.isDue()) this.step()
    this.#db.exec('commit')
  }

  #add(n: number, names: readonly number[]): void {
    this.#unfiled.push({ n, names })
    for (const name of names) {
      const others = this.#numbers.get(name)
      if (others === undefined) this.#numbers.set(name, [n])
      else others.push(n)
    }
  }

  #addLate(n: number, names: readonly number[]): void {
    for (const name of names) {
      this.#forget(name, (other) => other === n)
      this.#sql.insertLate.run(name, n, n)
    }
  }

  #forget(name: number, isGone: (n: number) => boolean): void {
    const left = (this.#numbers.get(name) ?? []).filter((n) => !isGone(n))
    if (left.length > 0) this.#numbers.set(name, left)
    else this.#numbers.delete(name)
  }

  #begin(): Draft {
    const messages = this.#unfiled.slice(0, CHAPTER_MESSAGES)
    const entries = messages.flatMap(({ n, names }) => names.map((name): Entry => [name, n]))
    const last = messages.reduce((most, { n }) => Math.max(most, n), 0)
    this.#draft = { entries: entries.sort(([one], [other]) => other - one), last }
    // A part that was written before a crash.
    this.#sql.removeChapter.run(this.#next())
    return this.#draft
  }

  #writePart({ entries, last }: Draft): void {
    const chapter = this.#next()
    for (const [name, n] of entries.splice(-STEP)) this.#sql.insert.run(chapter, name, n)
    if (entries.length > 0) return
    this.#sql.insertChapter.run(chapter, 0, this.#last + 1, last)
    this.#last = last
    const written = new Set(this.#unfiled.splice(0, CHAPTER_MESSAGES).flatMap(({ names }) => names))
    for (const name of written) this.#forget(name, (n) => n <= last)
    // Messages of the chapter that got names while it was written.
    for (const { n, names } of this.#unfiled.filter((late) => late.n <= last)) this.#addLate(n, names)
    this.#unfiled = this.#unfiled.filter(({ n }) => n > last)
    this.#draft = undefined
    this.#startMerge()
  }

  /** A new chapter takes the names of the oldest ones of its level, range by range. */
  #startMerge(): void {
    if (this.#merge !== undefined) return
    const full = this.#sql.full.get(MERGED)
    if (full === undefined) return
    const [level, chapter] = [Number(full['level']), this.#next()]
    const sources = this.#sql.ofLevel.all(level, MERGED)
    const [first, last] = [Number(sources[0]?.['first']), Number(sources.at(-1)?.['last'])]
    const hashed = Math.max(...sources.map((source) => Number(source['hashed'])))
    this.#sql.insertMerged.run(chapter, level + 1, first, last, hashed)
    for (const source of sources) this.#sql.startMerging.run(chapter, Number(source['chapter']))
    this.#merge = this.#readMerge()
  }

  #readMerge(): Merge | undefined {
    const row = this.#sql.merging.get()
    return row && { chapter: Number(row['chapter']), level: Number(row['level']), done: Number(row['ranges_done']) }
  }

  #mergeRange({ chapter, level, done }: Merge): void {
    const ranges = (2 * CHAPTER_MESSAGES * MERGED ** level) / STEP
    const [from, to] = [Math.floor((NAMES / ranges) * done), Math.floor((NAMES / ranges) * (done + 1))]
    this.#sql.copyRange.run(chapter, chapter, from, to)
    this.#sql.removeRange.run(chapter, from, to)
    this.#merge = done + 1 < ranges ? { chapter, level, done: done + 1 } : undefined
    this.#sql.advanceMerge.run(this.#merge?.done ?? null, chapter)
    if (this.#merge !== undefined) return
    this.#sql.removeMerged.run(chapter)
    this.#startMerge()
  }

  #next(): number {
    return Number(this.#sql.next.get()?.['chapter'])
  }
}

const toNumbers = (
  recent: readonly number[],
  rows: readonly Readonly<Record<string, unknown>>[],
): readonly number[] => [...new Set([...recent, ...rows.map(({ n }) => Number(n))])]
