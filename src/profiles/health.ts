/** Health checks that try the dependency, for /health/ready. */
import { statfs } from 'node:fs/promises'
import type { Journal } from '../engines/sqlite/journal/journal.ts'
import type { ReaderThreads } from '../engines/sqlite/reader-threads.ts'
import type { StoreMethods } from '../engines/sqlite/store.ts'
import type { ThreadDriver } from '../engines/sqlite/thread-driver.ts'
import { reasonOf } from '../ports/unavailable.ts'

export type DependencyHealth = Readonly<{ ok: boolean; detail?: string }>

/** Healthy when `ask` resolves. */
export async function probe(ask: () => Promise<unknown>, describe = reasonOf): Promise<DependencyHealth> {
  try {
    await ask()
    return { ok: true }
  } catch (error) {
    return unhealthy(describe(error))
  }
}

const unhealthy = (detail: string): DependencyHealth => ({ ok: false, detail })

type Stores = Readonly<{
  journal: Pick<Journal, 'prove' | 'damage'>
  writer: Pick<ThreadDriver<StoreMethods>, 'call' | 'damage'>
  reader: Pick<ReaderThreads, 'damage'>
}>

/** On a full disk one row still fits into the space that the write-ahead log has reserved, and a message does not. */
const MIN_FREE_BYTES = 1024 * 1024

/** Whether the journal and the tables can be written. The detail names no path: health answers need no token. */
export async function checkWritable({ journal, writer, reader }: Stores, folder: string): Promise<DependencyHealth> {
  const isDamaged = (): boolean => (journal.damage ?? writer.damage ?? reader.damage) !== undefined
  try {
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < MIN_FREE_BYTES) return unhealthy('the disk is full')
    await Promise.all([journal.prove(), writer.call('health.prove', [])])
  } catch (error) {
    if (!isDamaged()) return unhealthy(`the database cannot be written: ${reasonOf(error)}`)
  }
  return isDamaged() ? unhealthy('the database is damaged; the log names the file') : { ok: true }
}
