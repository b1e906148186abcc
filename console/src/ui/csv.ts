/** Writes CSV as in RFC 4180, safe to open in a spreadsheet: the same as the exports of the API. */

/** What makes a spreadsheet take a cell for a formula; some also take the full-width forms. */
const FORMULA = /^[=+\-@\t\r\n＝＋－＠]/
const SPECIAL = /[",\r\n]/

/** An apostrophe makes a spreadsheet show a cell as text. */
function toCell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text
  return SPECIAL.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export const toCsvLine = (cells: readonly string[]): string => `${cells.map(toCell).join(',')}\r\n`
