/** Which page of a database file, or which frame of a write-ahead log, belongs to what. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Files } from '../../power/disk.ts'
import { writeFiles } from '../../power/folder-files.ts'

/**
 * Bytes of a file. `owner` is a table or an index, and what kind of page it is. `commitsAfter` is for a write-ahead log:
 * how many commits there are from here to its end.
 */
export type Extent = Readonly<{ file: string; owner: string; at: number; length: number; commitsAfter?: number }>

const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
const STALE = 'stale frame'

export const pageSizeOf = (database: Buffer): number => database.readUInt16BE(16)

export function extentsOf(files: Files, scratch: string): readonly Extent[] {
  return ['pombo.db', 'pombo-journal.db'].flatMap((file) => {
    const [database, log] = [files.get(file) ?? Buffer.alloc(0), files.get(`${file}-wal`) ?? Buffer.alloc(0)]
    const owners = ownersIn(files, file, scratch)
    const size = pageSizeOf(database)
    const ownerOf = (page: number): string => owners.get(page) ?? (page === 1 ? 'schema' : 'free or map')
    const pages = Array.from({ length: database.length / size }, (_, nth) => ({
      file,
      owner: ownerOf(nth + 1),
      at: nth * size,
      length: size,
    }))
    return [...pages, ...framesOf(`${file}-wal`, log, size, ownerOf)]
  })
}

/** The owner of each page of a database, as the newest transaction has left it. */
function ownersIn(files: Files, file: string, scratch: string): ReadonlyMap<number, string> {
  const folder = mkdtempSync(join(scratch, 'owners-'))
  writeFiles(folder, files)
  using db = new DatabaseSync(join(folder, file))
  const rows = db.prepare('select pageno, name, pagetype from dbstat').all()
  db.close()
  rmSync(folder, { recursive: true })
  return new Map(rows.map(({ pageno, name, pagetype }) => [Number(pageno), nameOf(String(name), String(pagetype))]))
}

const nameOf = (table: string, type: string): string =>
  type === 'overflow' ? `${table} (overflow)` : table.startsWith('sqlite_schema') ? 'schema' : table

/** Frames that were written before the log was started over are stale. */
function framesOf(file: string, log: Buffer, size: number, ownerOf: (page: number) => string): readonly Extent[] {
  if (log.length < LOG_HEADER_BYTES) return []
  const salt = log.subarray(16, 24)
  const length = FRAME_HEADER_BYTES + size
  const frames = Array.from({ length: Math.floor((log.length - LOG_HEADER_BYTES) / length) }, (_, nth) => {
    const at = LOG_HEADER_BYTES + nth * length
    const isStale = !log.subarray(at + 8, at + 16).equals(salt)
    const owner = isStale ? STALE : ownerOf(log.readUInt32BE(at))
    return { file, owner, at, length, isCommit: !isStale && log.readUInt32BE(at + 4) !== 0 }
  })
  const commitsFrom = (from: number): number => frames.filter(({ at, isCommit }) => at >= from && isCommit).length
  const header = { file, owner: 'log header', at: 0, length: LOG_HEADER_BYTES }
  return [header, ...frames].map((extent) => ({ ...extent, commitsAfter: commitsFrom(extent.at) }))
}
