/** Migrating an index that an older release has filled: new columns cover the existing messages. */
import assert from 'node:assert/strict'
import { cp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openFolder } from '../../../test/support/folder.ts'
import { sharePostgres } from '../../../test/support/postgres-server.ts'
import type { MessageState } from '../../domain/message/state.ts'
import { ACCEPTED, ATTEMPTED, DEAD, someMessage, stateAfter } from '../../ports/samples.contract.ts'
import { encodeMessage, encodeState } from '../shared/codec.ts'
import { Database, openPool } from './database.ts'
import { checkIsolation } from './isolation.ts'
import { postgresMessageIndex } from './message-index.ts'
import { migrate } from './migrate.ts'
import { MIGRATIONS } from './migrations.ts'
import { checkSchema } from './schema.ts'

const { server } = await sharePostgres()

/** A database migrated from this version, with one message; its policies are in force again. */
async function openOlder(version: number, state: MessageState) {
  await using opened = new AsyncDisposableStack()
  const folder = opened.use(await openFolder())
  await cp(MIGRATIONS, folder.path, { recursive: true })
  const later = (await readdir(folder.path)).filter((name) => Number.parseInt(name, 10) > version)
  await Promise.all(later.map((name) => rm(join(folder.path, name))))
  const { ownerUrl, adminUrl, appRole, appUrl } = opened.use(await server.database())
  await migrate(ownerUrl, { appRole, folder: folder.path })
  await fill(adminUrl, state)
  await migrate(ownerUrl, { appRole })
  const pool = openPool(appUrl)
  const db = opened.use(new Database(pool, checkSchema))
  assert.deepEqual(await checkIsolation(pool), [])
  const closing = opened.move()
  return { index: postgresMessageIndex(db), [Symbol.asyncDispose]: () => closing.disposeAsync() }
}

async function fill(url: string, state: MessageState): Promise<void> {
  const pool = openPool(url)
  const { id, tenantId, channel, dead } = state
  await pool.query(INSERT, [id, tenantId, channel, dead, encodeMessage(state), encodeState(state)])
  await pool.end()
}

const INSERT = `
  insert into pombo.messages (id, tenant, position, created_at, channel, lane, status, handoff_state, provider_state,
    dead, outcome_unknown, facts, state, forgotten)
  values ($1, $2, 1, 1, $3, 'bulk', 'sent', 'handed_off', 'unknown', $4, false, $5, $6, false)
`

test('finds an existing mail by its provider message id', async () => {
  const state = stateAfter(someMessage({ channel: 'email', kind: 'email' }), [ATTEMPTED, ACCEPTED])
  await using older = await openOlder(9, state)
  const query = { tenantId: state.tenantId, filter: { providerMessageId: 'SM1' }, limit: 9 }
  assert.deepEqual((await older.index.search(query)).rows, [{ state }])
})

test('counts an existing error', async () => {
  const state = stateAfter(someMessage(), [ATTEMPTED, DEAD])
  await using older = await openOlder(10, state)
  const [counted, ...others] = await older.index.errors({ tenantId: state.tenantId, dead: true, limit: 9 })
  assert.deepEqual([counted?.code, counted?.count, others], ['CARRIER_BLOCKED', 1, []])
})
