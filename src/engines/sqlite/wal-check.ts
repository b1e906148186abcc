/**
 * Refuses a write-ahead log that is damaged in the middle. SQLite reads such a log up to the damage, as if a power cut
 * had torn the last write, and drops everything after it: a gateway would start without messages that it has accepted.
 * But a power cut can only lose what was not synced, which is a few commits. If more of them follow, the disk has lost
 * what was on it.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { asDamage, DatabaseDamaged } from './damage.ts'
import { openUnchanged } from './file-check.ts'

/** https://www.sqlite.org/fileformat.html#walformat */
const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const SALT_BYTES = 8

/** Where the log ends, in frames, and the size of a page. */
type Log = Readonly<{ end: number; pageSize: number }>

/** `unsynced` commits may be lost at most. Before the database is opened for writing: that overwrites the log. */
export function checkWal(database: string, unsynced: number): void {
  const path = `${database}-wal`
  const log = readLog(database)
  const lost = countLost(path, log)
  if (lost <= unsynced) return
  throw new DatabaseDamaged(
    `${path} is damaged (frame ${log.end + 1} is not what was written, and ${lost} commits after it are lost): restore a backup with \`pombo restore --force\``,
  )
}

function readLog(database: string): Log {
  try {
    using db = openUnchanged(database)
    const pageSize = Number(db.prepare('pragma page_size').get()?.['page_size'])
    return { end: Number(db.prepare('pragma wal_checkpoint(noop)').get()?.['log']), pageSize }
  } catch (error) {
    throw asDamage(database, error)
  }
}

/** The commits after the end of the log that were written since it was started over. */
function countLost(path: string, { end, pageSize }: Log): number {
  const fd = openSync(path, 'r')
  try {
    const frameBytes = FRAME_HEADER_BYTES + pageSize
    const frames = Math.floor((fstatSync(fd).size - LOG_HEADER_BYTES) / frameBytes)
    if (frames <= end) return 0
    const frameHeader = (nth: number): Buffer => read(fd, LOG_HEADER_BYTES + nth * frameBytes, FRAME_HEADER_BYTES)
    const salts = saltsOf(read(fd, 0, LOG_HEADER_BYTES), frameHeader(0), end)
    let lost = 0
    for (let nth = end; nth < frames; nth += 1) {
      const header = frameHeader(nth)
      if (isCommit(header) && salts.some((salt) => salt.equals(frameSaltOf(header)))) lost += 1
    }
    return lost
  } finally {
    closeSync(fd)
  }
}

function read(fd: number, at: number, length: number): Buffer {
  const bytes = Buffer.alloc(length)
  readSync(fd, bytes, 0, length, at)
  return bytes
}

const isCommit = (frame: Buffer): boolean => frame.readUInt32BE(4) !== 0
const frameSaltOf = (frame: Buffer): Buffer => frame.subarray(8, 8 + SALT_BYTES)

/**
 * What the frames have that were written since the log was started over: the salt of the log's header. If the first frame
 * cannot be read, its header or that of the log may be damaged; unless the frame is from before, because starting over
 * adds one to the salt.
 */
function saltsOf(log: Buffer, first: Buffer, end: number): readonly Buffer[] {
  const isStale = log.readUInt32BE(16) === (first.readUInt32BE(8) + 1) >>> 0
  const own = log.subarray(16, 16 + SALT_BYTES)
  return end > 0 || isStale ? [own] : [own, frameSaltOf(first)]
}
