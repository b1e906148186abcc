/** One PostgreSQL server with fsync for the whole run; each measurement has its own database. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Client } from 'pg'
import { migrate } from '../../src/engines/postgres/migrate.ts'
import { openPostgres as openTestServer, type TestDatabase } from '../../test/support/postgres-server.ts'
import { adoptFolder } from '../processes.ts'

export type Postgres = Readonly<{
  /** Absent for a remote server, whose CPU cannot be measured. */
  pid: number | undefined
  /** A new, migrated database. */
  database: () => Promise<TestDatabase>
}> &
  AsyncDisposable

export async function openPostgres(): Promise<Postgres> {
  await using opened = new AsyncDisposableStack()
  const server = opened.use(await openTestServer())
  const template = opened.use(await server.database())
  const pid = server.faults === undefined ? undefined : await adopt(template)
  await migrate(template.ownerUrl, template)
  const closing = opened.move()
  return { pid, database: () => server.database(template.name), [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

/** Removes its folder on exit, and reads its process id from there. */
async function adopt({ adminUrl }: TestDatabase): Promise<number> {
  const client = new Client({ connectionString: adminUrl })
  await client.connect()
  const { rows } = await client.query<{ data_directory: string }>('show data_directory')
  await client.end()
  const data = rows[0]?.data_directory ?? ''
  adoptFolder(dirname(data))
  return Number.parseInt(readFileSync(join(data, 'postmaster.pid'), 'utf8'), 10)
}
