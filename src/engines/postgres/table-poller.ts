/**
 * Keeps a process up to date with a table in which every change gets a new version: asks several times a
 * second for what is newer than all it has seen. While PostgreSQL is away what is known stays.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Database, Rows } from './database.ts'

export type TablePollerOptions = Readonly<{
  db: Database
  /** Finds rows with a version above $1, by version, and at most $2 of them. */
  changed: string
  /** Told every row in its order, those of removed things too. */
  tell: (row: Rows[number]) => void
  /** Told once each time PostgreSQL is found to be away. */
  onFault: (error: unknown) => void
}>

const POLL_MS = 200
const PAGE = 5_000
/** After so long every healthy process has asked. */
const SETTLE_MS = 250

export const settled = (): Promise<unknown> => wait(SETTLE_MS)

export class TablePoller implements AsyncDisposable {
  readonly #options: TablePollerOptions
  readonly #ended = new AbortController()
  #polling: Promise<void> | undefined
  #version = 0
  #isKnown = false
  #isFailing = false

  constructor(options: TablePollerOptions) {
    this.#options = options
  }

  /** Whether all that there is was ever seen. */
  get isKnown(): boolean {
    return this.#isKnown
  }

  /** Looks once, and from then on again and again. */
  async start(): Promise<void> {
    await this.#catchUp()
    this.#polling = this.#poll()
  }

  /** Says once that it cannot, not each time. */
  async #catchUp(): Promise<void> {
    try {
      while (await this.#readPage());
      this.#isKnown = true
      this.#isFailing = false
    } catch (error) {
      if (!this.#isFailing) this.#options.onFault(error)
      this.#isFailing = true
    }
  }

  /** Whether there may be more. */
  async #readPage(): Promise<boolean> {
    const { db, changed, tell } = this.#options
    const rows = await db.asSystem(changed, [this.#version, PAGE])
    for (const row of rows) {
      tell(row)
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
