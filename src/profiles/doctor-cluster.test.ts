import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sharePostgres } from '../../test/support/postgres-server.ts'
import { loadConfig } from '../config/config.ts'
import { openPostgresIndex } from '../engines/postgres/postgres.ts'
import { at, someProjection } from '../ports/index-samples.contract.ts'
import { NOON } from '../ports/samples.contract.ts'
import { checkCluster } from './doctor-cluster.ts'

const { migrated } = await sharePostgres()

/** Only PostgreSQL can be reached. */
const configOf = (postgresUrl: string) =>
  loadConfig(
    {
      POMBO_PROFILE: 'cluster',
      POMBO_POSTGRES_URL: postgresUrl,
      POMBO_NATS_URL: 'nats://127.0.0.1:1',
      POMBO_REDIS_URL: 'redis://127.0.0.1:1',
      POMBO_MASTER_KEY: 'ab'.repeat(32),
      POMBO_JWT_SECRET: 'x'.repeat(32),
      POMBO_SIMULATOR_URL: 'http://127.0.0.1:1',
      POMBO_SIMULATOR_SECRET: 'y'.repeat(16),
      POMBO_PUBLIC_URL: 'http://127.0.0.1:1',
    },
    () => '',
  )

test('doctor says how many messages are stored, and when the oldest was created', async () => {
  await using database = await migrated()
  const storedAt = async () =>
    (await checkCluster(configOf(database.appUrl))).find(({ name }) => name === 'stored messages')
  assert.deepEqual(await storedAt(), { kind: 'passed', name: 'stored messages', detail: 'none' })

  await using postgres = await openPostgresIndex({ url: database.appUrl })
  await postgres.index.apply([someProjection({ message: { createdAt: NOON } }, 1)], at(1))
  const oldest = new Date(NOON).toISOString()
  assert.equal((await storedAt())?.detail, `about 1, the oldest from ${oldest}`)
})
