/**
 * Keeps a process up to date with a table in which every change gets a new version, by polling several times a second
 * for newer versions. While PostgreSQL is unreachable the cached data stays.
 */
import { setTimeout as wait } from 'node:timers/promises'
import { pause } from '../../lib/pause.ts'
import type { Database, Rows } from './database.ts'

export type TablePollerOptions = Readonly<{
  db: Database
  /**
   * Selects rows with a version above this, by version, at most so many. The numbers are in the text, because an idle
   * process does little else, and a statement without parameters is the cheapest.
   */
  changed: (version: number, limit: number) => string
  /** Called with every changed row in order, removed ones included. */
  onRow: (row: Rows[number]) => void
  /** Called once per outage of PostgreSQL. */
  onFault: (error: unknown) => void
}>

const POLL_MS = 200
const PAGE = 5_000
/** After this long every healthy process has polled. */
const PROPAGATED_MS = 250

export const awaitPropagation = (): Promise<void> => pause(PROPAGATED_MS)

export class TablePoller implements AsyncDisposable {
  readonly #options: TablePollerOptions
  readonly #ended = new AbortController()
  #polling: Promise<void> | undefined
  #version = 0
  #isLoaded = false
  #isFailing = false

  constructor(options: TablePollerOptions) {
    this.#options = options
  }

  /** Whether the table was ever read completely. */
  get isLoaded(): boolean {
    return this.#isLoaded
  }

  /** Reads the table once, and then polls. */
  async start(): Promise<void> {
    await this.#catchUp()
    this.#polling = this.#poll()
  }

  /** Reports an outage once, not with every poll. */
  async #catchUp(): Promise<void> {
    try {
      while (await this.#readPage());
      this.#isLoaded = true
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#options.onFault(error)
      this.#isFailing = true
    }
  }

  /** Returns whether there may be more. */
  async #readPage(): Promise<boolean> {
    const { db, changed, onRow } = this.#options
    const rows = await db.asSystem(changed(this.#version, PAGE))
    for (const row of rows) {
      onRow(row)
      this.#version = Number(row['version'])
    }
    return rows.length === PAGE
  }

  async #poll(): Promise<void> {
    const { signal } = this.#ended
    while (!signal.aborted) {
      await wait(POLL_MS, undefined, { signal, ref: false }).catch(() => undefined)
      if (!signal.aborted) await this.#catchUp()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ended.abort()
    await this.#polling
  }
}
