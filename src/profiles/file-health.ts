/** Whether the database file of the embedded profile can still be read and written, found out by doing it. */
import { statfs } from 'node:fs/promises'
import type { SearchMethods } from '../engines/sqlite/message-index.ts'
import type { StoreMethods } from '../engines/sqlite/store.ts'
import type { ThreadDriver } from '../engines/sqlite/thread-driver.ts'
import { reasonOf } from '../ports/unavailable.ts'

type Threads = Readonly<{
  writer: Pick<ThreadDriver<StoreMethods>, 'call' | 'damage'>
  reader: Pick<ThreadDriver<SearchMethods>, 'damage'>
}>

/** A row fits into what the write-ahead log has left on a full disk, and a message does not. */
const LEAST_ROOM_BYTES = 1024 * 1024

/** The answer goes to whoever asks, so it names no path; faults in the log do. */
export async function checkWritable({ writer, reader }: Threads, folder: string) {
  const isDamaged = (): boolean => (writer.damage ?? reader.damage) !== undefined
  try {
    const { bavail, bsize } = await statfs(folder)
    if (bavail * bsize < LEAST_ROOM_BYTES) return bad('the disk is full')
    await writer.call('proveWritable')
  } catch (error) {
    if (!isDamaged()) return bad(`the database cannot be written: ${reasonOf(error)}`)
  }
  return isDamaged() ? bad('the database is damaged; the log names the file') : { ok: true }
}

const bad = (detail: string) => ({ ok: false, detail })
