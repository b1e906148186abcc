/**
 * PostgreSQL for tests: a server of their own, or the one that POMBO_TEST_POSTGRES_URL names with a
 * superuser. Every test has a database of its own on it, with an owner who migrates and a login for the app.
 */
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { Client } from 'pg'
import { migrate } from '../../src/engines/postgres/migrate.ts'
import { findPostgres, type PostgresProcess, startPostgres } from './postgres-process.ts'

export type TestDatabase = AsyncDisposable &
  Readonly<{
    name: string
    /** May make tables and roles, and is no superuser: row-level security binds it too. */
    ownerUrl: string
    /** May log in, and nothing else until it is migrated. */
    appUrl: string
    appRole: string
    /** May do everything. */
    adminUrl: string
  }>

export type PostgresServer = AsyncDisposable &
  Readonly<{
    /** A new database, empty or a copy of one nobody is connected to. */
    database: (template?: string) => Promise<TestDatabase>
    /** What can be made to go wrong with it; missing on a server that is not the tests' own. */
    faults?: Pick<PostgresProcess, 'start' | 'stop' | 'kill' | 'freeze' | 'thaw'>
  }>

/** Why there is none to test with; undefined when there is. */
export const missingPostgres = (): string | undefined =>
  process.env[BORROWED] === undefined && findPostgres() === undefined
    ? `PostgreSQL 15 or newer is not installed, and ${BORROWED} is not set`
    : undefined

const BORROWED = 'POMBO_TEST_POSTGRES_URL'
const OWNER = 'pombo_test_owner'
const APP = 'pombo_test_app'
/** The same for all who share a server, and worth nothing: each goes with its databases. */
const PASSWORD = 'only-for-tests'

export async function openPostgres(): Promise<PostgresServer> {
  const borrowed = process.env[BORROWED]
  if (borrowed !== undefined) return serve(borrowed)
  const programs = findPostgres()
  if (programs === undefined) throw new Error(missingPostgres())
  const server = await startPostgres(programs)
  return serve(server.url, server)
}

async function serve(url: string, server?: PostgresProcess): Promise<PostgresServer> {
  await ask(url, MAKE_LOGINS)
  return {
    database: (template) => createDatabase(url, template),
    ...(server === undefined ? {} : { faults: server }),
    [Symbol.asyncDispose]: async () => server?.[Symbol.asyncDispose](),
  }
}

const MAKE_LOGINS = [`${OWNER} login createrole`, `${APP} login`]
  .map((role) => {
    const make = `create role ${role} password '${PASSWORD}'`
    return `do $$ begin ${make}; exception when duplicate_object or unique_violation then null; end $$;`
  })
  .join('\n')

async function createDatabase(url: string, template = 'template0'): Promise<TestDatabase> {
  const name = `pombo_test_${randomBytes(6).toString('hex')}`
  await ask(url, `create database ${name} owner ${OWNER} template ${template}`)
  return {
    name,
    appRole: APP,
    ownerUrl: urlOf(url, name, OWNER),
    appUrl: urlOf(url, name, APP),
    adminUrl: urlOf(url, name),
    [Symbol.asyncDispose]: () => ask(url, `drop database if exists ${name} with (force)`),
  }
}

function urlOf(admin: string, database: string, role?: string): string {
  const url = new URL(admin)
  url.pathname = database
  if (role !== undefined) Object.assign(url, { username: role, password: PASSWORD })
  return url.href
}

async function ask(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}

export type SharedPostgres = Readonly<{
  server: PostgresServer
  /** A new database that is migrated already. */
  migrated: () => Promise<TestDatabase>
}>

/** One server for all tests of a file, started now and gone after the last. To be called at the top of a test file. */
export async function sharePostgres(): Promise<SharedPostgres> {
  const opened = new AsyncDisposableStack()
  after(() => opened.disposeAsync())
  const server = opened.use(await openPostgres())
  const template = opened.use(await server.database())
  await migrate(template.ownerUrl, template)
  return { server, migrated: () => server.database(template.name) }
}
