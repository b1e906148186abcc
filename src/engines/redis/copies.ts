/**
 * Copies of rows in Redis. A reader that finds none gets a lease, and may store what it then reads from the database
 * only while it holds the lease. Dropping a copy ends the lease, so nothing older than the last change is ever stored.
 */
import { randomUUID } from 'node:crypto'
import type { Connection } from './connection.ts'

export type CopiesDeps = Readonly<{
  connection: Pick<Connection, 'run' | 'command'>
  prefix: string
  /** How long a copy lasts. */
  lastsMs?: number
}>

export type FoundCopy = Readonly<{ kind: 'found'; text: string } | { kind: 'missing'; lease: string }>

/** Bounds what a change goes unnoticed that nobody could report to Redis, as after a crash right after it. */
const LASTS_MS = 300_000
/** Longer than any read of the database takes. */
const LEASE_MS = 10_000
const SCAN_COUNT = 1_000

export class Copies {
  readonly #deps: CopiesDeps

  constructor(deps: CopiesDeps) {
    this.#deps = deps
  }

  async find(name: string): Promise<FoundCopy> {
    const lease = randomUUID()
    const call = { keys: [this.#keyOf(name)], args: [lease, LEASE_MS] }
    const text = await this.#deps.connection.run('pomboFindCopy', () => call)
    return text === null ? { kind: 'missing', lease } : { kind: 'found', text: String(text) }
  }

  /** Does nothing when the lease has ended. */
  async store(name: string, lease: string, text: string): Promise<void> {
    const { connection, lastsMs = LASTS_MS } = this.#deps
    const call = { keys: [this.#keyOf(name)], args: [lease, text, lastsMs] }
    await connection.run('pomboStoreCopy', () => call)
  }

  async drop(names: readonly string[]): Promise<void> {
    if (names.length > 0) await this.#deps.connection.command('unlink', ...names.map((name) => this.#keyOf(name)))
  }

  async dropAll(): Promise<void> {
    const { connection, prefix } = this.#deps
    let cursor = '0'
    do {
      const answer = await connection.command('scan', cursor, 'MATCH', `${prefix}:copy:*`, 'COUNT', SCAN_COUNT)
      const [next, keys] = answer as [string, string[]]
      if (keys.length > 0) await connection.command('unlink', ...keys)
      cursor = next
    } while (cursor !== '0')
  }

  #keyOf(name: string): string {
    return `${this.#deps.prefix}:copy:${name}`
  }
}
