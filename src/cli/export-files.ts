/**
 * The files of one exported day, compressed, in the folders that data tools take for partitions. They have their names
 * once they are complete and on disk; the file of messages comes last and says that the day is done.
 */
import { once } from 'node:events'
import { createWriteStream, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { createGzip, type Gzip } from 'node:zlib'
import type { Json } from './json.ts'

const TABLES = ['events', 'messages'] as const
type Table = (typeof TABLES)[number]

const pathOf = (folder: string, table: Table, day: string): string =>
  join(folder, table, `day=${day}`, 'part.ndjson.gz')

export const isExported = (folder: string, day: string): boolean => existsSync(pathOf(folder, 'messages', day))

type Opened = Readonly<{ table: Table; path: string; temporary: string; gzip: Gzip; written: Promise<void> }>

export class DayFiles implements AsyncDisposable {
  readonly #files: readonly Opened[]
  #isComplete = false

  constructor(folder: string, day: string) {
    this.#files = TABLES.map((table) => open(table, pathOf(folder, table, day)))
  }

  async write(table: Table, row: Json): Promise<void> {
    const file = this.#files.find((one) => one.table === table)
    if (file?.gzip.write(`${JSON.stringify(row)}\n`) !== false) return
    await Promise.race([once(file.gzip, 'drain'), file.written])
  }

  /** Gives the files their names. */
  async complete(): Promise<void> {
    for (const { gzip } of this.#files) gzip.end()
    await Promise.all(this.#files.map(({ written }) => written))
    for (const { temporary, path } of this.#files) renameSync(temporary, path)
    this.#isComplete = true
  }

  /** Removes what is incomplete. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#isComplete) return
    for (const { gzip } of this.#files) gzip.destroy()
    await Promise.allSettled(this.#files.map(({ written }) => written))
    for (const { temporary } of this.#files) rmSync(temporary, { force: true })
  }
}

function open(table: Table, path: string): Opened {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.tmp`
  const gzip = createGzip()
  const written = pipeline(gzip, createWriteStream(temporary, { mode: 0o600, flush: true }))
  // Awaited later: until then a failure must not end the process.
  written.catch(() => undefined)
  return { table, path, temporary, gzip, written }
}
