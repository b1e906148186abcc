/**
 * PostgreSQL for tests: a server of their own, or the one that POMBO_TEST_POSTGRES_URL names with a
 * superuser. Every test has a database of its own on it, with an owner who migrates and a login for the app.
 * `npm test` starts one server for all tests that do not stop it, with a migrated database to copy.
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
    /** A new database that is migrated already. */
    migrated: () => Promise<TestDatabase>
    /** What can be made to go wrong with it; missing on a server that is not the tests' own. */
    faults?: Pick<PostgresProcess, 'start' | 'stop' | 'kill' | 'freeze' | 'thaw'>
  }>

/** Why there is none to test with; undefined when there is. */
export const missingPostgres = (): string | undefined =>
  process.env[BORROWED] === undefined && findPostgres() === undefined
    ? `PostgreSQL 15 or newer is not installed, and ${BORROWED} is not set`
    : undefined

const BORROWED = 'POMBO_TEST_POSTGRES_URL'
/** Names a migrated database on the server that is borrowed. */
const BORROWED_TEMPLATE = 'POMBO_TEST_POSTGRES_TEMPLATE'
const OWNER = 'pombo_test_owner'
const APP = 'pombo_test_app'
/** The same for all who share a server, and worth nothing: each goes with its databases. */
const PASSWORD = 'only-for-tests'

export type PostgresOptions = Readonly<{
  /** A server of its own to stop or kill, where PostgreSQL is installed. */
  own?: boolean
}>

export async function openPostgres({ own = false }: PostgresOptions = {}): Promise<PostgresServer> {
  const borrowed = process.env[BORROWED]
  const programs = findPostgres()
  if (borrowed !== undefined && (!own || programs === undefined)) {
    return serve(borrowed, process.env[BORROWED_TEMPLATE])
  }
  if (programs === undefined) throw new Error(missingPostgres())
  const server = await startPostgres(programs)
  return serve(server.url, undefined, server)
}

async function serve(url: string, template?: string, own?: PostgresProcess): Promise<PostgresServer> {
  await ask(url, MAKE_LOGINS)
  let toCopy = template === undefined ? undefined : Promise.resolve(template)
  const opened = new AsyncDisposableStack()
  const makeTemplate = async (): Promise<string> => {
    const database = await createDatabase(url)
    if (own === undefined) opened.use(database)
    await migrate(database.ownerUrl, database)
    return database.name
  }
  return {
    database: (copied) => createDatabase(url, copied),
    async migrated() {
      toCopy ??= makeTemplate()
      return createDatabase(url, await toCopy)
    },
    ...(own === undefined ? {} : { faults: opened.use(own) }),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** One server for every process that is started from here on; none where one is lent already, or cannot be started. */
export async function lendPostgres(): Promise<AsyncDisposable | undefined> {
  const programs = findPostgres()
  if (process.env[BORROWED] !== undefined || programs === undefined) return undefined
  const own = await startPostgres(programs, 'off')
  const { migrated } = await serve(own.url)
  process.env[BORROWED_TEMPLATE] = (await migrated()).name
  process.env[BORROWED] = own.url
  return own
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

export type SharedPostgres = Readonly<{ server: PostgresServer }> & Pick<PostgresServer, 'migrated'>

/** One server for all tests of a file, started now and gone after the last. To be called at the top of a test file. */
export async function sharePostgres(options?: PostgresOptions): Promise<SharedPostgres> {
  const server = await openPostgres(options)
  after(() => server[Symbol.asyncDispose]())
  return { server, migrated: server.migrated }
}
