/** What the stores of a profile occupy, for the metrics. */
import { readdir, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { DATABASE_FILE } from '../config/secrets.ts'
import type { NatsEngine } from '../engines/nats/nats.ts'
import type { PostgresIndex } from '../engines/postgres/postgres.ts'
import { journalPathOf } from '../engines/sqlite/journal/journal-file.ts'

/** In bytes, by the name of the store. */
export type Storage = Readonly<Record<string, number>>

/** In bytes. */
export type Disk = Readonly<{ size: number; free: number }>

export async function diskOf(folder: string): Promise<Disk> {
  const { blocks, bavail, bsize } = await statfs(folder)
  return { size: blocks * bsize, free: bavail * bsize }
}

/** The files of a data folder, with their write-ahead logs. */
export async function folderStorage(folder: string): Promise<Storage> {
  const bytes = { tables: 0, journal: 0, other: 0 }
  for (const name of await readdir(folder)) bytes[storeOf(name)] += await sizeOf(join(folder, name))
  return bytes
}

const JOURNAL_FILE = journalPathOf(DATABASE_FILE)

function storeOf(file: string): 'tables' | 'journal' | 'other' {
  if (file.startsWith(JOURNAL_FILE)) return 'journal'
  return file.startsWith(DATABASE_FILE) ? 'tables' : 'other'
}

/** A file may be gone by the time it is measured. */
const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    (found) => (found.isFile() ? found.size : 0),
    () => 0,
  )

/** The streams of the broker and the database. One that is unreachable is missing. */
export async function clusterStorage(
  { streamBytes }: Pick<NatsEngine, 'streamBytes'>,
  { databaseBytes }: Pick<PostgresIndex, 'databaseBytes'>,
): Promise<Storage> {
  const [streams, postgres] = await Promise.all([
    streamBytes().catch(() => ({})),
    databaseBytes().then(
      (bytes) => ({ postgres: bytes }),
      () => ({}),
    ),
  ])
  return { ...streams, ...postgres }
}
