import assert from 'node:assert/strict'
import { test } from 'node:test'
import { lintMigration } from './migration-lint.fixture.ts'
import { statementsOf } from './migration-statements.fixture.ts'
import { BASELINE, type Migration, readMigrations } from './migrations.ts'

const VERSION = BASELINE + 9

/** The problems of a migration that runs after the statements in `earlier`. */
function lint(sql: string, earlier = ''): readonly string[] {
  const isTransactional = !sql.startsWith('-- transaction: none\n')
  const migration: Migration = { version: VERSION, file: 'x.sql', sql, oldestCompatible: BASELINE, isTransactional }
  return lintMigration(migration, statementsOf(earlier))
}

test('every migration may run while the gateway does', () => {
  const migrations = readMigrations()
  for (const [index, migration] of migrations.entries()) {
    if (migration.version <= BASELINE) continue
    const earlier = migrations.slice(0, index).flatMap(({ sql }) => statementsOf(sql))
    assert.deepEqual(lintMigration(migration, earlier), [])
  }
})

test('a backfill and an index from before the rules would not pass', () => {
  const [old] = readMigrations().filter(({ version }) => version === BASELINE)
  const problems = old === undefined ? [] : lintMigration(old)
  assert.match(problems.join('\n'), /`update pombo\.messages .*in batches[\s\S]*`create index .*concurrently/)
})

const OUTSIDE = '-- transaction: none\n'
const CONTRACT = `-- compatible-with: ${VERSION - 1}\n`

const FORBIDDEN: readonly (readonly [sql: string, why: RegExp])[] = [
  ['alter table pombo.messages alter column status type varchar(20)', /rewrites the table/],
  ['ALTER TABLE pombo.messages\n  ALTER position SET DATA TYPE int', /rewrites the table/],
  ['alter table pombo.messages add column more text not null', /older code cannot insert/],
  ['alter table pombo.messages add column a int, add column b text not null', /older code cannot insert/],
  ['alter table pombo.messages add column at timestamptz default clock_timestamp()', /a constant default/],
  ['alter table pombo.messages add column id2 uuid not null default gen_random_uuid()', /a constant default/],
  ['alter table pombo.messages add column a text generated always as (lower(tenant)) stored', /rewrites/],
  ['alter table pombo.messages add column n bigserial', /rewrites/],
  ['alter table pombo.messages add column more int check (more > 0)', /checks every row/],
  ['alter table pombo.messages add column more uuid references pombo.more', /checks every row/],
  ['alter table pombo.messages set unlogged', /rewrites the table/],
  ['create index more on pombo.messages (more)', /concurrently/],
  ['create unique index more on pombo.message_events (more)', /concurrently/],
  ['create index concurrently if not exists more on pombo.messages (more)', /transaction: none/],
  [`${OUTSIDE}create index concurrently more on pombo.messages (more)`, /if not exists/],
  [`${OUTSIDE}create index concurrently if not exists a on pombo.messages (a); select 1`, /one statement/],
  [`${OUTSIDE}alter table pombo.messages add column more text`, /one statement/],
  ['drop index pombo.messages_lane', /concurrently/],
  ['reindex table pombo.messages', /concurrently/],
  ['vacuum full pombo.messages', /rewrites/],
  ['vacuum (analyze, full) pombo.messages', /rewrites/],
  ['cluster pombo.messages using messages_pkey', /rewrites/],
  ['lock table pombo.messages in share mode', /locks/],
  ["update pombo.messages set more = 'x; y'", /in batches/],
  [`${CONTRACT}alter table pombo.messages alter column more set not null`, /validate a check/],
  [`${CONTRACT}alter table pombo.messages add constraint a check (more > 0)`, /not valid/],
  [`${CONTRACT}alter table pombo.messages add constraint a unique (more)`, /using index/],
  ["-- A tenant's own.\nlock table pombo.messages; select 'it''s'", /locks/],
  ['alter table pombo.messages drop column more', /declare compatible-with/],
  ['alter table pombo.messages rename column more to less', /declare compatible-with/],
  ['alter table pombo.messages add constraint a check (more > 0) not valid', /declare compatible-with/],
  ['drop table pombo.rounds', /declare compatible-with/],
  ['revoke select on pombo.messages from pombo_tenant', /declare compatible-with/],
]

for (const [sql, why] of FORBIDDEN) {
  test(`rejects on a database in use: ${sql.replaceAll('\n', ' ')}`, () => {
    assert.match(lint(sql).join('\n'), why)
  })
}

const NOT_NULL = `
  alter table pombo.messages add constraint known check (more is not null) not valid;
  alter table pombo.messages validate constraint known;
`

const ALLOWED: readonly (readonly [sql: string, earlier?: string])[] = [
  ['alter table pombo.messages add column more text collate "C"'],
  ['alter table pombo.messages add column more boolean not null default false, add column less bigint default 0'],
  ["alter table pombo.messages add column more text not null default 'now(); drop table x'"],
  ["alter table pombo.messages add column tags2 text[] not null default '{}'::text[]"],
  ['create table pombo.more (n bigserial primary key, at timestamptz not null default now(), check (n > 0))'],
  ['create table pombo.more (n int); create index more_n on pombo.more (n); insert into pombo.more values (1)'],
  ['create table pombo.more (n int); alter table pombo.more enable row level security'],
  ['-- A lock table pombo.messages would be bad.\n/* vacuum full; */ select 1'],
  ["do $$ begin execute 'vacuum full; lock table x'; end $$"],
  [`${OUTSIDE}create index concurrently if not exists more on pombo.messages (more)`],
  [`${OUTSIDE}drop index concurrently if exists pombo.messages_lane`],
  [`${OUTSIDE}do $$ begin loop update pombo.messages set more = 1; commit; end loop; end $$`],
  [`${CONTRACT}alter table pombo.messages drop column more`],
  [`${CONTRACT}alter table pombo.messages alter column more set not null`, NOT_NULL],
  ['alter table pombo.messages validate constraint known'],
  ['alter table pombo.messages alter column more drop not null'],
]

for (const [sql, earlier] of ALLOWED) {
  test(`allows ${sql.replaceAll('\n', ' ')}`, () => {
    assert.deepEqual(lint(sql, earlier), [])
  })
}
