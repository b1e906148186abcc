/** Parses a pasted list: one address per line, optionally followed by a note after a comma, semicolon or tab. */
import { SUPPRESSIONS_TEXTS } from '../../texts/suppressions.ts'

const T = SUPPRESSIONS_TEXTS
const LABEL = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'
const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
const ADDRESS = new RegExp(`^(?=[^@]{1,64}@)${ATOM}(?:\\.${ATOM})*@(?:${LABEL}\\.)+(?!\\d+$)${LABEL}$`)
const LONGEST_NOTE = 200
export const MOST_LINES = 1000

export type Entry = Readonly<{ line: number; address: string; note: string }>
export type WrongLine = Readonly<{ line: number; text: string; problem: string }>
export type Pasted = Readonly<{ entries: readonly Entry[]; wrong: readonly WrongLine[]; duplicates: number }>

export function parseList(text: string): Pasted {
  const entries = new Map<string, Entry>()
  const wrong: WrongLine[] = []
  let duplicates = 0
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '') continue
    const entry = parseLine(line, index + 1)
    if ('problem' in entry) wrong.push(entry)
    else {
      if (entries.has(entry.address.toLowerCase())) duplicates += 1
      // The last line of an address wins.
      entries.set(entry.address.toLowerCase(), entry)
    }
  }
  return { entries: [...entries.values()], wrong, duplicates }
}

function parseLine(text: string, line: number): Entry | WrongLine {
  const [, address = '', note = ''] = /^([^,;\t]*)(?:[,;\t](.*))?$/.exec(text)?.map((part) => unquote(part ?? '')) ?? []
  if (!ADDRESS.test(address) || address.length > 254) return { line, text: text.trim(), problem: T.notAnAddress }
  if (note.length > LONGEST_NOTE) return { line, text: address, problem: T.noteTooLong }
  return { line, address, note }
}

/** Unquotes as spreadsheets quote. */
const unquote = (text: string): string =>
  text
    .trim()
    .replace(/^"(.*)"$/, '$1')
    .replaceAll('""', '"')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .toWellFormed()
    .trim()

export function withoutLines(text: string, wrong: readonly WrongLine[]): string {
  const numbers = new Set(wrong.map(({ line }) => line))
  return text
    .split(/\r?\n/)
    .filter((_, index) => !numbers.has(index + 1))
    .join('\n')
}
