/**
 * An index that is filled in the background. Keys in random order dirty one page each, and dirty pages are the cost of
 * a commit; so new entries wait in memory and are filed in sorted batches, a few at a time. On opening, the source
 * table tells which entries are not filed yet, so nothing is lost.
 *
 * `#through` is a watermark: every entry up to it is filed or in the batch being filed. Entries may be added in any
 * order; one that arrives below the watermark is filed at once.
 */
import type { DatabaseSync, StatementSync } from 'node:sqlite'

export type LateIndexTables = Readonly<{
  /** The name of its row in `progress`, which holds up to which number entries are filed. */
  name: string
  /** Reads `n` and `key` of the entries after a number. */
  unfiled: string
  /** Files one entry, given `n` and `key`. */
  file: string
}>

const BATCH = 4096
const STEP = 256

export class LateIndex {
  readonly #insert: StatementSync
  readonly #advance: StatementSync
  readonly #name: string
  readonly #unfiled = new Map<number, string>()
  /** The batch being filed, largest key first. */
  #batch: [n: number, key: string][] = []
  #through = 0

  constructor(db: DatabaseSync, { name, unfiled, file }: LateIndexTables) {
    this.#name = name
    this.#insert = db.prepare(file)
    this.#advance = db.prepare(`
      insert into progress (name, position) values (?, ?) on conflict (name) do update set position = excluded.position
    `)
    this.#through = Number(db.prepare('select position from progress where name = ?').get(name)?.['position'] ?? 0)
    for (const row of db.prepare(unfiled).all(this.#through)) this.add(Number(row['n']), String(row['key']))
  }

  /** The entries that are not filed yet. */
  entries(): Iterable<readonly [n: number, key: string]> {
    return this.#unfiled
  }

  add(n: number, key: string): void {
    if (n > this.#through) this.#unfiled.set(n, key)
    else this.#insert.run(n, key)
  }

  remove(n: number): void {
    this.#unfiled.delete(n)
  }

  isDue(): boolean {
    return this.#batch.length > 0 || this.#unfiled.size >= BATCH
  }

  /** Files a few entries; returns the entries of a batch once it is complete. */
  file(): readonly string[] {
    if (this.#batch.length === 0) this.#gather()
    for (const [n, key] of this.#batch.splice(-STEP)) if (this.#unfiled.has(n)) this.#insert.run(n, key)
    return this.#batch.length === 0 ? this.#finish() : []
  }

  /** The lowest numbers first, so that none is left below the watermark. */
  #gather(): void {
    const lowest = [...this.#unfiled].sort(([one], [other]) => one - other).slice(0, BATCH)
    this.#through = lowest.at(-1)?.[0] ?? this.#through
    this.#batch = lowest.sort(([, one], [, other]) => (one < other ? 1 : -1))
  }

  #finish(): readonly string[] {
    this.#advance.run(this.#name, this.#through)
    const filed: string[] = []
    for (const [n, key] of this.#unfiled) {
      if (n > this.#through) continue
      this.#unfiled.delete(n)
      filed.push(key)
    }
    return filed
  }
}
