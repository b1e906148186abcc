/**
 * A CSV parser (RFC 4180) that reads a text in pieces of any size: quotes, line breaks within quotes, CRLF, LF and CR,
 * and commas, semicolons or tabs, whichever the first record has most of.
 */
export type CsvRecord = Readonly<{
  cells: readonly string[]
  /** Where it begins, counted from 1. */
  line: number
}>

const DELIMITERS = [',', ';', '\t'] as const
const [QUOTE, CR, LF] = ['"', '\r', '\n']

export class CsvParser {
  #delimiter: string | undefined
  /** What is read before the delimiter is known. */
  #head = ''
  #cells: string[] = []
  #cell = ''
  #isQuoted = false
  /** A quote was the last character of a quoted cell: the cell ends, unless another one follows. */
  #isClosing = false
  /** The last character was a CR: an LF belongs to it. */
  #isAfterCr = false
  /** Whether this record has begun: an empty line is none. */
  #hasBegun = false
  #line = 1
  #startedIn = 1
  #quotedIn = 1

  /** The records that end within this piece. */
  push(piece: string): readonly CsvRecord[] {
    if (this.#delimiter !== undefined) return this.#read(piece, this.#delimiter)
    this.#head += piece
    const delimiter = detectDelimiter(this.#head)
    return delimiter === undefined ? [] : this.#begin(delimiter)
  }

  /** The last record, if no line break ended it; or the line of a quote that is not closed. */
  end(): Readonly<{ records: readonly CsvRecord[]; unclosedIn?: number }> {
    const records = this.#delimiter === undefined ? this.#begin(detectDelimiter(`${this.#head}\n`) ?? ',') : []
    if (this.#isQuoted && !this.#isClosing) return { records, unclosedIn: this.#quotedIn }
    return { records: this.#hasBegun ? [...records, this.#endRecord()] : records }
  }

  #begin(delimiter: string): readonly CsvRecord[] {
    this.#delimiter = delimiter
    const head = this.#head
    this.#head = ''
    return this.#read(head.startsWith('\ufeff') ? head.slice(1) : head, delimiter)
  }

  #read(piece: string, delimiter: string): CsvRecord[] {
    const records: CsvRecord[] = []
    for (const character of piece) {
      const isSecondOfTwo = character === LF && this.#isAfterCr
      this.#isAfterCr = character === CR
      if (this.#isQuoted && !this.#closes(character)) {
        if (!isSecondOfTwo) this.#countLine(character)
        continue
      }
      if (isSecondOfTwo) continue
      if (character === CR || character === LF) {
        if (this.#hasBegun) records.push(this.#endRecord())
        this.#countLine(character)
        this.#startedIn = this.#line
      } else this.#take(character, delimiter)
    }
    return records
  }

  /** Whether the quoted cell ended before this character; otherwise it belongs to the cell. */
  #closes(character: string): boolean {
    if (this.#isClosing && character !== QUOTE) {
      this.#isQuoted = false
      this.#isClosing = false
      return true
    }
    if (character === QUOTE && !this.#isClosing) this.#isClosing = true
    else {
      this.#cell += character
      this.#isClosing = false
    }
    return false
  }

  #take(character: string, delimiter: string): void {
    this.#hasBegun = true
    if (character === delimiter) {
      this.#cells.push(this.#cell)
      this.#cell = ''
    } else if (character === QUOTE && this.#cell.trim() === '') {
      this.#cell = ''
      this.#isQuoted = true
      this.#quotedIn = this.#line
    } else this.#cell += character
  }

  #countLine(character: string): void {
    if (character === CR || character === LF) this.#line += 1
  }

  #endRecord(): CsvRecord {
    const record = { cells: [...this.#cells, this.#cell], line: this.#startedIn }
    this.#cells = []
    this.#cell = ''
    this.#isQuoted = false
    this.#isClosing = false
    this.#hasBegun = false
    return record
  }
}

/** Undefined while the first record is not complete. */
function detectDelimiter(head: string): string | undefined {
  const counts = new Map<string, number>(DELIMITERS.map((delimiter) => [delimiter, 0]))
  let isQuoted = false
  for (const character of head.replace(/^\ufeff?[\r\n]*/, '')) {
    if (character === QUOTE) isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === LF || character === CR) return mostOf(counts)
    else counts.set(character, (counts.get(character) ?? -1) + 1)
  }
  return undefined
}

const mostOf = (counts: ReadonlyMap<string, number>): string =>
  DELIMITERS.reduce((most, one) => ((counts.get(one) ?? 0) > (counts.get(most) ?? 0) ? one : most))

/** One line of CSV. */
export const toCsvLine = (cells: readonly string[]): string => `${cells.map(toCell).join(',')}\r\n`

const toCell = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
