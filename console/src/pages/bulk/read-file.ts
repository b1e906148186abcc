/** Reads a CSV file in pieces, so that the page stays responsive. */
import { BULK_TEXTS } from '../../texts/bulk.ts'
import { CsvParser, type CsvRecord } from './csv.ts'
import { Sha256 } from './sha256.ts'

const T = BULK_TEXTS

const PIECE = 64 * 1024
const MOST_BYTES = 50 * 1024 * 1024
const MOST_ROWS = 100_000

export type ReadFile = Readonly<{
  header: readonly string[]
  records: readonly CsvRecord[]
  /** Of all its bytes. */
  hash: string
}>

export type NamedFile = ReadFile & Readonly<{ name: string }>

/** A file that cannot be read as CSV; the message says why. */
export class BadFile extends Error {}

export async function readFile(file: File, onProgress: (rows: number) => void, signal: AbortSignal): Promise<ReadFile> {
  if (file.size > MOST_BYTES) throw new BadFile(T.tooLarge)
  const [hash, parser, decoder] = [new Sha256(), new CsvParser(), new TextDecoder('utf-8', { fatal: true })]
  const records: CsvRecord[] = []
  const take = (more: readonly CsvRecord[]): void => {
    for (const record of more) records.push(record)
    if (records.length > MOST_ROWS + 1) throw new BadFile(T.tooMany)
  }
  for (let at = 0; at < file.size; at += PIECE) {
    const bytes = new Uint8Array(await file.slice(at, at + PIECE).arrayBuffer())
    signal.throwIfAborted()
    hash.update(bytes)
    take(parser.push(decode(decoder, bytes, true)))
    onProgress(Math.max(0, records.length - 1))
  }
  take(parser.push(decode(decoder, new Uint8Array(), false)))
  const { records: last, unclosedIn } = parser.end()
  if (unclosedIn !== undefined) throw new BadFile(T.unclosed(unclosedIn))
  take(last)
  const [header, ...rows] = records
  if (header === undefined || rows.length === 0) throw new BadFile(T.noRows)
  return { header: header.cells.map((name) => name.trim()), records: rows, hash: hash.digest() }
}

function decode(decoder: TextDecoder, bytes: Uint8Array, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream })
  } catch {
    throw new BadFile(T.notUtf8)
  }
}
