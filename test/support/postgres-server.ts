/**
 * PostgreSQL for tests: a newly started server, or the one at POMBO_TEST_POSTGRES_URL, whose user must be a superuser.
 * Every test has its own database, with an owner who migrates and a login for the app. `npm test` starts one server
 * for all tests that do not stop it, with a migrated database to copy.
 */
import { randomBytes } from 'node:crypto'
import { after } from 'node:test'
import { Client } from 'pg'
import { migrate } from '../../src/engines/postgres/migrate.ts'
import { omitUndefined } from '../../src/lib/omit-undefined.ts'
import { findPostgres, type PostgresProcess, startPostgres } from './postgres-process.ts'

export type TestDatabase = AsyncDisposable &
  Readonly<{
    name: string
    /** May create tables and roles, and is not a superuser: row-level security applies to it. */
    ownerUrl: string
    /** May only log in until the database is migrated. */
    appUrl: string
    appRole: string
    /** A superuser. */
    adminUrl: string
  }>

export type PostgresServer = AsyncDisposable &
  Readonly<{
    /** A new database, empty or a copy of `template`, which must have no connections. */
    database: (template?: string) => Promise<TestDatabase>
    /** A new, migrated database. */
    migrated: () => Promise<TestDatabase>
    /** Missing for an external server. */
    faults?: Pick<PostgresProcess, 'start' | 'stop' | 'kill' | 'freeze' | 'thaw'>
  }>

/** Why no server is available; undefined if one is. */
export const missingPostgres = (): string | undefined =>
  process.env[EXTERNAL_URL] === undefined && findPostgres() === undefined
    ? `PostgreSQL 15 or newer is not installed, and ${EXTERNAL_URL} is not set`
    : undefined

const EXTERNAL_URL = 'POMBO_TEST_POSTGRES_URL'
/** The name of a migrated database on the external server. */
const EXTERNAL_TEMPLATE = 'POMBO_TEST_POSTGRES_TEMPLATE'
const OWNER = 'pombo_test_owner'
const APP = 'pombo_test_app'
/** Not a secret: the roles only own test databases. */
const PASSWORD = 'only-for-tests'

export type PostgresOptions = Readonly<{
  /** Starts a new server that the test may stop or kill, if PostgreSQL is installed. */
  own?: boolean
}>

export async function openPostgres({ own = false }: PostgresOptions = {}): Promise<PostgresServer> {
  const external = process.env[EXTERNAL_URL]
  const programs = findPostgres()
  if (external !== undefined && (!own || programs === undefined)) {
    return serve(external, process.env[EXTERNAL_TEMPLATE])
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
    ...omitUndefined({ faults: own && opened.use(own) }),
    database: (copied) => createDatabase(url, copied),
    async migrated() {
      toCopy ??= makeTemplate()
      return createDatabase(url, await toCopy)
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

/** Starts one server for all child processes; undefined if there is an external one or PostgreSQL is not installed. */
export async function startSharedPostgres(): Promise<AsyncDisposable | undefined> {
  const programs = findPostgres()
  if (process.env[EXTERNAL_URL] !== undefined || programs === undefined) return undefined
  const own = await startPostgres(programs, 'off')
  const { migrated } = await serve(own.url)
  process.env[EXTERNAL_TEMPLATE] = (await migrated()).name
  process.env[EXTERNAL_URL] = own.url
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

/** One server for all tests of a file, stopped after the last. Call it at the top of a test file. */
export async function sharePostgres(options?: PostgresOptions): Promise<SharedPostgres> {
  const server = await openPostgres(options)
  after(() => server[Symbol.asyncDispose]())
  return { server, migrated: server.migrated }
}
