/** Splits SQL as far as linting migrations needs it: statements, and the actions of `alter table`. */

export type Alteration = Readonly<{ table: string; action: string }>

/** Comments and quoted text, whichever begins first. */
const OPAQUE = /--.*$|\/\*[\s\S]*?\*\/|\$(\w*)\$[\s\S]*?\$\1\$|'(?:[^']|'')*'/gm

/** In lower case, one per line, without comments and quoted text. */
export const statementsOf = (sql: string): readonly string[] =>
  sql
    .replace(OPAQUE, (text) => (/^(?:--|\/)/.test(text) ? ' ' : "''"))
    .split(';')
    .map((statement) => statement.toLowerCase().replace(/\s+/g, ' ').trim())
    .filter((statement) => statement !== '')

/** The tables that a migration creates: nothing uses them yet. */
export const createdIn = (statements: readonly string[]): ReadonlySet<string> =>
  new Set(statements.flatMap((statement) => /^create table (?:if not exists )?([\w.]+)/.exec(statement)?.[1] ?? []))

export function alterationsOf(statement: string): readonly Alteration[] {
  const [, table = '', actions] = /^alter table (?:if exists )?(?:only )?([\w.]+) (.*)$/.exec(statement) ?? []
  return actions === undefined ? [] : splitAtCommas(actions).map((action) => ({ table, action: action.trim() }))
}

/** Not at commas between brackets. */
function splitAtCommas(text: string): readonly string[] {
  const parts = ['']
  let depth = 0
  for (const sign of text) {
    if (sign === '(') depth += 1
    if (sign === ')') depth -= 1
    if (sign === ',' && depth === 0) parts.push('')
    else parts.push(`${parts.pop()}${sign}`)
  }
  return parts
}
