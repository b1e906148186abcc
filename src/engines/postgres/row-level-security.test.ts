import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { Client, DatabaseError } from 'pg'
import { sharePostgres, type TestDatabase } from '../../../test/support/postgres-server.ts'
import { at, someProjection } from '../../ports/index-samples.contract.ts'
import { tenant } from '../../ports/samples.contract.ts'
import { Database, openPool } from './database.ts'
import { postgresMessageIndex } from './message-index.ts'
import { checkSchema } from './schema.ts'

const { migrated } = await sharePostgres()

async function connect(url: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

type Table = Readonly<{ name: string; columns: readonly string[]; types: readonly string[]; key: readonly string[] }>
type Values = readonly unknown[]

/** Every table with a tenant column, now and in the future. */
const TABLES = `
  select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns,
    array_agg(a.atttypid::regtype::text order by a.attnum) as types,
    array_agg(a.attname::text) filter (where a.attnum = any(i.indkey)) as key
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    join pg_index i on i.indrelid = c.oid and i.indisprimary
  where c.relnamespace = 'pombo'::regnamespace and a.attgenerated = ''
  group by 1 having 'tenant' = any(array_agg(a.attname)) order by 1
`

const SOME: Readonly<Record<string, () => unknown>> = {
  uuid: () => randomUUID(),
  text: () => randomBytes(4).toString('hex'),
  'text[]': () => ['a', 'b'],
  bytea: () => randomBytes(8),
  bigint: () => randomBytes(4).readUInt32BE(),
  boolean: () => false,
  tsvector: () => 'a b',
  jsonb: () => '{}',
}

const someRow = ({ columns, types }: Table, owner: string): Values =>
  columns.map((column, index) => (column === 'tenant' ? owner : SOME[types[index] ?? '']?.()))

const insert = ({ name, columns }: Table): string =>
  `insert into pombo.${name} (${columns}) values (${columns.map((_, index) => `$${index + 1}`)})`

type Deed = Readonly<{ sql: string; values?: Values }>
/** `victim` is an existing row, `target` the tenant that a row is to belong to. */
type Means = Readonly<{ table: Table; victim: Values; target: string }>

const tenantPlace = ({ columns }: Table): number => columns.indexOf('tenant')

/** Every operation on a table. Each returns the tenants of the rows it saw or changed. */
const DEEDS: Readonly<Record<string, (means: Means) => Deed>> = {
  read: ({ table }) => ({ sql: `select tenant from pombo.${table.name}` }),
  readByKey: ({ table, victim }) => ({
    sql: `select tenant from pombo.${table.name} where ${table.key.map((column, nth) => `${column} = $${nth + 1}`).join(' and ')}`,
    values: table.key.map((column) => victim[table.columns.indexOf(column)]),
  }),
  lock: ({ table }) => ({ sql: `select tenant from pombo.${table.name} for update` }),
  touch: ({ table }) => ({ sql: `update pombo.${table.name} set tenant = tenant returning tenant` }),
  change: ({ table, victim }) => {
    const column = table.columns.find((name) => name !== 'tenant' && !table.key.includes(name)) ?? 'tenant'
    const values = [victim[table.columns.indexOf(column)]]
    return { sql: `update pombo.${table.name} set ${column} = $1 returning tenant`, values }
  },
  giveAway: ({ table, target }) => ({ sql: `update pombo.${table.name} set tenant = $1`, values: [target] }),
  remove: ({ table }) => ({ sql: `delete from pombo.${table.name} returning tenant` }),
  add: ({ table, target }) => ({ sql: insert(table), values: someRow(table, target) }),
  replace: ({ table, victim, target }) => ({
    sql: `${insert(table)} on conflict (${table.key}) do update set tenant = excluded.tenant`,
    values: victim.with(tenantPlace(table), target),
  }),
  addUnlessThere: ({ table, victim, target }) => ({
    sql: `${insert(table)} on conflict do nothing returning tenant`,
    values: victim.with(tenantPlace(table), target),
  }),
  merge: ({ table }) => ({ sql: `merge into pombo.${table.name} using (select) s on true when matched then delete` }),
}

const TENANTS = ['north', 'south', 'west']
const NAMES = [...TENANTS, undefined, '', 'NORTH', 'north ', '%', `north' or 'a' = 'a`, 'pombo_system']
const WHO = ['tenant', 'login', 'owner'] as const
type Who = (typeof WHO)[number]

/** Denied, or a second row where there may be only one. */
const REFUSED = ['42501', '23505']

/** Runs it under a role in a transaction with a tenant, or none. A refused operation saw nothing. */
async function attempt(client: Client, who: Who, named: string | undefined, deed: Deed): Promise<readonly string[]> {
  await client.query(who === 'tenant' ? 'begin; set local role pombo_tenant' : 'begin')
  if (named !== undefined) await client.query(`select set_config('pombo.tenant', $1, true)`, [named])
  try {
    const { rows } = await client.query(deed.sql, [...(deed.values ?? [])])
    await client.query('commit')
    return rows.map((row) => row.tenant)
  } catch (error) {
    await client.query('rollback')
    if (error instanceof DatabaseError && REFUSED.includes(error.code ?? '')) return []
    throw error
  }
}

/** The contents of all tables, by tenant. */
async function everything(admin: Client, tables: readonly Table[]) {
  const all: { name: string; owner: string; row: string }[] = []
  for (const { name } of tables) {
    const { rows } = await admin.query(`select tenant as owner, t::text as row from pombo.${name} t order by 2`)
    for (const { owner, row } of rows) all.push({ name, owner, row })
  }
  return all
}

/** Grants all rights and drops the triggers, so that only the policies protect the rows and nothing else writes any. */
async function giveAllRights({ ownerUrl, appRole }: TestDatabase): Promise<void> {
  await using owner = await connect(ownerUrl)
  await owner.query(`
    grant usage on schema pombo to ${appRole};
    grant select, insert, update, delete on all tables in schema pombo to pombo_tenant, ${appRole};
    alter table pombo.audit_log disable trigger user;
    alter table pombo.messages disable trigger user;
    alter table pombo.recipients disable trigger user;
    alter table pombo.timelines disable trigger user
  `)
}

test('S3-RLS under any role and operation, a tenant sees and changes only its own rows', async () => {
  await using database = await migrated()
  await giveAllRights(database)
  await using admin = await connect(database.adminUrl)
  await using app = await connect(database.appUrl)
  await using owner = await connect(database.ownerUrl)
  const { rows: tables } = await admin.query<Table>(TABLES)
  assert.ok(tables.length >= 2)
  const scene = fc.record({
    rows: fc.array(fc.record({ table: fc.constantFrom(...tables), tenant: fc.constantFrom(...TENANTS) }), {
      minLength: 1,
      maxLength: 8,
    }),
    who: fc.oneof({ weight: 3, arbitrary: fc.constant('tenant' as const) }, fc.constantFrom(...WHO)),
    named: fc.constantFrom(...NAMES),
    deed: fc.constantFrom(...Object.keys(DEEDS)),
    victim: fc.nat(),
    target: fc.constantFrom(...TENANTS),
  })
  const property = fc.asyncProperty(scene, async ({ rows, who, named, deed, victim, target }) => {
    for (const { name } of tables) await admin.query(`delete from pombo.${name}`)
    const filled = rows.map(({ table, tenant }) => ({ table, row: someRow(table, tenant) }))
    // Of some tables a tenant has one row.
    for (const { table, row } of filled) await admin.query(`${insert(table)} on conflict do nothing`, [...row])
    const chosen = filled[victim % filled.length]
    assert.ok(chosen !== undefined)
    const before = await everything(admin, tables)
    const mine = who === 'tenant' ? named : undefined

    const means = { table: chosen.table, victim: chosen.row, target }
    const seen = await attempt(who === 'owner' ? owner : app, who, named, DEEDS[deed]?.(means) ?? { sql: '' })
    assert.ok(seen.every((owner) => owner === mine))
    if (deed === 'read') {
      assert.equal(seen.length, before.filter((row) => row.name === chosen.table.name && row.owner === mine).length)
    }
    const ofOthers = (all: typeof before) => all.filter((row) => row.owner !== mine)
    assert.deepEqual(ofOthers(await everything(admin, tables)), ofOthers(before))
  })
  await fc.assert(property, { numRuns: 300 })
})

test('the tenant role may only read, and the login itself not even that', async () => {
  await using database = await migrated()
  await using app = await connect(database.appUrl)
  for (const table of ['messages', 'message_events', 'timelines']) {
    for (const sql of [
      `delete from pombo.${table}`,
      `update pombo.${table} set facts = ''`,
      `truncate pombo.${table}`,
    ]) {
      await assert.rejects(app.query(sql), { code: '42501' })
      await app.query('set role pombo_tenant')
      await assert.rejects(app.query(sql), { code: '42501' })
      await app.query('reset role')
    }
    await assert.rejects(app.query(`select from pombo.${table}`), { code: '42501' })
  }
})

test('no row can belong to the empty tenant, which a session without a tenant would match', async () => {
  await using database = await migrated()
  await using admin = await connect(database.adminUrl)
  const { rows: tables } = await admin.query<Table>(TABLES)
  for (const table of tables) {
    // Entries without a tenant are the operator's, and match no session of a tenant.
    for (const nobody of table.name === 'audit_log' ? [''] : ['', null]) {
      const row = someRow(table, '').with(tenantPlace(table), nobody)
      await assert.rejects(admin.query(insert(table), [...row]), { code: nobody === '' ? '23514' : '23502' })
    }
  }
})

test("a tenant query without a tenant condition returns only the tenant's rows", async () => {
  await using database = await migrated()
  await using db = new Database(openPool(database.appUrl), checkSchema)
  const owners = ['north', 'south', 'south']
  const projections = owners.map((name, nth) => someProjection({ message: { tenantId: tenant(name) } }, nth + 1))
  await postgresMessageIndex(db).apply(projections, at(3))
  const count = 'select count(*)::int as count from pombo.messages'
  assert.deepEqual(await db.asTenant(tenant('north'), count, []), [{ count: 1 }])
  assert.deepEqual(await db.asTenant(tenant('south'), count, []), [{ count: 2 }])
  assert.deepEqual(await db.asTenant(tenant('west'), count, []), [{ count: 0 }])
  assert.deepEqual(await db.asSystem(count), [{ count: 3 }])
})
