import assert from 'node:assert/strict'
import { cp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { openFolder } from '../../../test/support/folder.ts'
import { sharePostgres } from '../../../test/support/postgres-server.ts'
import { encodeMessage, encodeState } from '../../domain/codec.ts'
import type { MessageEvent } from '../../domain/events.ts'
import type { MessageState } from '../../domain/state.ts'
import { type History, sentMail } from '../../ports/email-histories.contract.ts'
import { emailViewsContract, type ViewStore } from '../../ports/email-views.contract.ts'
import type { Position, Revision } from '../../ports/event-log.ts'
import { at } from '../../ports/index-samples.contract.ts'
import type { Projection } from '../../ports/message-index.ts'
import { tenant } from '../../ports/samples.contract.ts'
import { openStores } from './database.fixture.ts'
import { Database, openPool } from './database.ts'
import { checkIsolation } from './isolation.ts'
import { postgresMessageIndex } from './message-index.ts'
import { migrate } from './migrate.ts'
import { checkSchema, MIGRATIONS } from './schema.ts'
import { postgresTimeline } from './timeline.ts'

const { migrated, server } = await sharePostgres()

const SENT = sentMail()

const open = () => openStores(migrated, (db) => ({ ...toViews(db), db }))

function toViews(db: Database): Omit<ViewStore, typeof Symbol.asyncDispose> {
  const [index, timeline] = [postgresMessageIndex(db), postgresTimeline(db)]
  let position = 0

  const toRecorded = (event: MessageEvent) => ({ event, position: next(), revision: position as Revision })
  const next = (): Position => {
    position += 1
    return at(position)
  }

  return {
    async keep(histories) {
      const recorded = histories.flatMap(({ events }) => events.map(toRecorded))
      await timeline.keep(recorded)
      await index.apply(
        histories.map((history) => toProjection(history, next())),
        at(position),
      )
    },
    read: (view, tenantId) => db.asTenant(tenantId, `select * from pombo.${view}`, []),
  }
}

function toProjection({ events, searchable }: History, position: Position): Projection {
  const state = events.at(-1)?.state
  assert.ok(state !== undefined)
  return { state, position, ...(searchable === undefined ? {} : { searchable }) }
}

emailViewsContract('postgres', open)

test('S3-RLS a tenant sees nothing of another in the views of mail, and whoever names none sees nothing', async () => {
  await using store = await open()
  await store.keep([SENT])
  for (const view of ['email_logs', 'email_events'] as const) {
    assert.ok((await store.read(view, tenant('north'))).length > 0)
    assert.deepEqual(await store.read(view, tenant('south')), [])
    assert.deepEqual(await store.read(view, tenant('')), [])
  }
})

test('a mail that was there before is found by what its provider calls it, and the table is under its policies again', async () => {
  await using folder = await openFolder()
  await cp(MIGRATIONS, folder.path, { recursive: true })
  const later = (await readdir(folder.path)).filter((name) => Number.parseInt(name, 10) > 9)
  await Promise.all(later.map((name) => rm(join(folder.path, name))))
  await using database = await server.database()
  const { ownerUrl, adminUrl, appRole, appUrl } = database
  await migrate(ownerUrl, { appRole, folder: folder.path })
  const state = SENT.events.at(-1)?.state
  assert.ok(state !== undefined)
  await fill(adminUrl, state)
  await migrate(ownerUrl, { appRole })

  const pool = openPool(appUrl)
  await using db = new Database(pool, checkSchema)
  assert.deepEqual(await checkIsolation(pool), [])
  const query = { tenantId: state.tenantId, filter: { providerMessageId: 'SM1' }, limit: 9 }
  assert.deepEqual((await postgresMessageIndex(db).search(query)).rows, [{ state }])
})

async function fill(url: string, state: MessageState): Promise<void> {
  const pool = openPool(url)
  await pool.query(INSERT, [state.id, state.tenantId, encodeMessage(state), encodeState(state)])
  await pool.end()
}

const INSERT = `
  insert into pombo.messages (id, tenant, position, created_at, channel, lane, status, handoff_state, provider_state,
    dead, doubt, facts, state, forgotten)
  values ($1, $2, 1, 1, 'email', 'bulk', 'sent', 'handed_off', 'unknown', false, false, $3, $4, false)
`
