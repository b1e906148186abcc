/**
 * Rejects migrations that harm a table in use: rewriting it, scanning it under a lock that blocks writers, or removing
 * what running code needs without declaring it. Works on the text of the migration.
 */
import { type Alteration, alterationsOf, createdIn, statementsOf } from './migration-statements.fixture.ts'
import type { Migration } from './migrations.ts'

/** The reason why a statement, or one action of `alter table`, is not allowed; undefined when it is. */
type Rule<Subject> = (subject: Subject, earlier: readonly string[]) => string | undefined

const forbid =
  (pattern: RegExp, why: string): Rule<string> =>
  (text) =>
    pattern.test(text) ? why : undefined

/** Only a constant default is stored without rewriting the rows. */
const CONSTANT = /\bdefault (?:''|-?[\d.]+|true|false|null)(?:::[\w ]+(?:\[\])?)?(?: not null| null| collate "\w+")*$/

const ON_STATEMENTS: readonly Rule<string>[] = [
  forbid(/^create (?:unique )?index (?!concurrently)/, 'blocks writers while the index is built: concurrently'),
  forbid(/^create (?:unique )?index concurrently (?!if not exists)/, 'cannot be run again: if not exists'),
  forbid(/^drop index (?!concurrently)/, 'locks the table: concurrently'),
  forbid(/^drop index concurrently (?!if exists)/, 'cannot be run again: if exists'),
  forbid(/^reindex (?!.*\bconcurrently\b)/, 'blocks writers: concurrently'),
  forbid(/^(?:vacuum (?:\(.*)?full\b|cluster\b)/, 'rewrites the table under a lock'),
  forbid(/^lock\b/, 'locks the table for as long as the migration takes'),
  forbid(/^(?:update|delete from|truncate)\b/, 'writes a whole table at once: in batches, in a migration of its own'),
]

const ON_ALTERATIONS: readonly Rule<string>[] = [
  forbid(/^alter (?:column )?\w+ (?:set data )?type\b/, 'rewrites the table: add a column instead'),
  forbid(/^set (?:logged|unlogged|tablespace|access method)\b/, 'rewrites the table'),
  (action, earlier) => {
    const [, column] = /^alter (?:column )?(\w+) set not null/.exec(action) ?? []
    if (column === undefined || isKnownNotNull(column, earlier)) return undefined
    return 'scans the table under a lock: validate a check (… is not null) first'
  },
  forbid(
    /^add (?:constraint \w+ )?(?:check|foreign key)\b(?!.*\bnot valid$)/,
    'scans the table under a lock: not valid, and validate it later',
  ),
  forbid(
    /^add (?:constraint \w+ )?(?:unique|primary key|exclude)\b(?!.*\busing index\b)/,
    'builds an index under a lock: build it concurrently, then `using index`',
  ),
  (action) => {
    if (!ADDS_COLUMN.test(action)) return undefined
    if (/\b(?:generated|\w*serial\d?)\b/.test(action)) return 'rewrites the table: fill the column by the code'
    if (/\b(?:unique|primary key|references|check)\b/.test(action)) return 'checks every row under a lock: add it later'
    if (/\bdefault\b/.test(action)) return CONSTANT.test(action) ? undefined : 'rewrites the table: a constant default'
    return /\bnot null\b/.test(action) ? 'older code cannot insert: nullable, or with a constant default' : undefined
  },
]

const ADDS_COLUMN = /^add (?!(?:constraint|check|foreign key|unique|primary key|exclude)\b)/

/** A check that was validated without a lock avoids the scan. */
const isKnownNotNull = (column: string, earlier: readonly string[]): boolean =>
  earlier.some((statement) => {
    const added = new RegExp(`add constraint (\\w+) check \\( ?${column} is not null ?\\) not valid`).exec(statement)
    return added !== null && earlier.some((other) => other.includes(`validate constraint ${added[1]}`))
  })

/** Changes that older code may depend on or violate. */
const CONTRACTS =
  /^(?:drop (?!index|not null|default)|rename\b|revoke\b|alter (?:column )?\w+ (?:set not null|drop default)|add (?:constraint|check|foreign key|unique|primary key|exclude)\b)/
const DECLARES = /^-- compatible-with: \d+$/m

/** The problems found; none when the migration may run on a database in use. `earlier` are the statements before it. */
export function lintMigration(migration: Migration, earlier: readonly string[] = []): readonly string[] {
  const { sql, file, isTransactional } = migration
  const statements = statementsOf(sql)
  const created = createdIn(statements)
  const before = [...earlier, ...statements]
  const alterations = statements.flatMap((statement) => alterationsOf(statement)).filter(isOnOld(created))
  const touched = statements.filter((statement) => !created.has(targetOf(statement)))
  const subjects = [...touched, ...alterations.map(({ action }) => action)]
  return [
    ...touched.flatMap((statement) => broken(ON_STATEMENTS, statement, before)),
    ...alterations.flatMap(({ action }) => broken(ON_ALTERATIONS, action, before)),
    ...(subjects.some((subject) => CONTRACTS.test(subject)) && !DECLARES.test(sql)
      ? ['it removes something from older code: declare compatible-with']
      : []),
    ...problemsOfTransaction(isTransactional, statements),
  ].map((problem) => `${file}: ${problem}`)
}

const isOnOld =
  (created: ReadonlySet<string>) =>
  ({ table }: Alteration): boolean =>
    !created.has(table)

const broken = (rules: readonly Rule<string>[], subject: string, earlier: readonly string[]): string[] =>
  rules.flatMap((rule) => {
    const why = rule(subject, earlier)
    return why === undefined ? [] : [`\`${subject.slice(0, 80)}\` ${why}`]
  })

/** The table that a statement targets. */
const targetOf = (statement: string): string =>
  /^(?:create (?:unique )?index .*?\bon|(?:update|delete from|truncate|lock)(?: table)?(?: only)?) ([\w.]+)/.exec(
    statement,
  )?.[1] ?? ''

const ALONE = /^(?:do\b|(?:create|drop|reindex) .*\bconcurrently\b)/

/** Outside a transaction nothing is undone, so there must be one statement that can be repeated. */
function problemsOfTransaction(isTransactional: boolean, statements: readonly string[]): readonly string[] {
  if (isTransactional) {
    const isLate = statements.some((statement) => /^(?:create|drop|reindex) .*\bconcurrently\b/.test(statement))
    return isLate ? ['concurrently needs `-- transaction: none`'] : []
  }
  const isAlone = statements.length === 1 && ALONE.test(statements[0] ?? '')
  return isAlone ? [] : ['without a transaction there is one statement, `… concurrently` or `do`']
}
