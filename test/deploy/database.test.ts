import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { promisify } from 'node:util'
import { Pool } from 'pg'
import { checkIsolation } from '../../src/engines/postgres/isolation.ts'
import { migrate } from '../../src/engines/postgres/migrate.ts'
import { openFolder } from '../support/folder.ts'
import { findPostgres, startPostgres } from '../support/postgres-process.ts'
import { skipUnavailable } from '../support/skip.ts'
import { DEPLOY, textOf, yamlIn } from './files.ts'

const run = promisify(execFile)
const LACK = 'PostgreSQL 15 or newer is not installed'
const CONF = 'deploy/postgres/postgresql.conf'

describe('the database of the deployments', () => {
  test('has valid PostgreSQL settings and enough connections', async (t) => {
    const programs = findPostgres()
    if (programs === undefined) return skipUnavailable(t, LACK)
    await using folder = await openFolder()
    const file = `config_file=${join(DEPLOY, 'postgres/postgresql.conf')}`
    const { stdout } = await run(join(programs, 'postgres'), ['-C', 'max_connections', '-D', folder.path, '-c', file])
    // 10 API processes, 5 workers, 2 projectors and one migration, with 26 connections each; three are reserved for superusers.
    assert.ok(Number(stdout) > 18 * 26 + 3, stdout)
  })

  test('has the same settings in the manifest of the operator and in the file', () => {
    type Cluster = { spec: { postgresql: { parameters: Record<string, string> } } }
    const [cluster] = yamlIn('deploy/postgres/cluster.example.yaml') as [Cluster]
    const settings = new Map([...textOf(CONF).matchAll(/^(\w+) = (\S+)/gm)].map(([, name, value]) => [name, value]))
    for (const [name, value] of Object.entries(cluster.spec.postgresql.parameters)) {
      assert.equal(value, settings.get(name), name)
    }
  })

  test('has an owner who can migrate, and a login for the app that is subject to row-level security', async (t) => {
    const programs = findPostgres()
    if (programs === undefined) return skipUnavailable(t, LACK)
    await using server = await startPostgres(programs)
    const makeRoles = (secrets: Readonly<Record<string, string>>) =>
      run(join(programs, 'psql'), ['-v', 'ON_ERROR_STOP=1', '-qf', join(DEPLOY, 'postgres/roles.sql'), server.url], {
        env: { ...process.env, ...secrets },
      })
    await assert.rejects(makeRoles({ POSTGRES_APP_PASSWORD: 'app' }), /syntax error/, 'a password is missing')
    await makeRoles({ POSTGRES_OWNER_PASSWORD: `o'wner`, POSTGRES_APP_PASSWORD: 'app' })

    const as = (username: string, password: string): string =>
      Object.assign(new URL(server.url), { username, password, pathname: '/pombo' }).href
    await migrate(as('pombo_owner', `o'wner`), { appRole: 'pombo_app' })
    const pool = new Pool({ connectionString: as('pombo_app', 'app') })
    assert.deepEqual(await checkIsolation(pool), [])
    await assert.rejects(pool.query('create table public.mine (id int)'), /permission denied/)
    await pool.end()
  })
})
